/**
 * Ends the program for which the main thread waits in `execSync` and similar calls: no termination reaches a thread
 * that waits there. Only Linux tells which program that is; elsewhere the wait goes on.
 */
import { readdirSync, readFileSync } from "node:fs";

interface Program {
  readonly pid: string;
  readonly name: string;
  readonly parent: string;
  readonly group: string;
}

const SELF = String(process.pid);
const STAT = /^\d+ \((?<name>.*)\) \S (?<parent>\d+) (?<group>-?\d+) /s;

export class AwaitedPrograms {
  /** The processes that existed when the wait began; undefined while the main thread waits for no program. */
  #before: ReadonlySet<string> | undefined;
  readonly #asked = new Set<string>();

  began(before: readonly string[]): void {
    this.#before = new Set(before);
    this.#asked.clear();
  }

  /** To be called also when code was terminated: such code does not report the end of its wait. */
  over(): void {
    this.#before = undefined;
  }

  /**
   * Asks the awaited programs to end, and kills those that were asked before. Answers their names: `1 process (sleep,
   * 117)`.
   */
  end(): string {
    const programs = this.#before === undefined ? [] : awaited(this.#before);
    for (const { pid } of programs) {
      try {
        process.kill(Number(pid), this.#asked.has(pid) ? "SIGKILL" : "SIGTERM");
      } catch {
        // The program has ended by itself.
      }
      this.#asked.add(pid);
    }
    const names = programs.map(({ name, pid }) => `${name}, ${pid}`);
    return names.length === 0 ? "" : `${names.length} process${names.length === 1 ? "" : "es"} (${names.join("; ")})`;
  }
}

/**
 * The processes that the main thread has started since, and all their descendants, even those that lost their parent.
 */
function awaited(before: ReadonlySet<string>): Program[] {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? programOf(name) : []));
  const fresh = all.filter(({ pid }) => !before.has(pid));
  const ofMain = new Set(readFileSync(`/proc/self/task/${SELF}/children`, "utf8").split(" "));
  const found = new Set(fresh.filter(({ pid }) => ofMain.has(pid)));
  for (const program of found) {
    for (const each of fresh) if (each.parent === program.pid) found.add(each);
  }
  // An orphan of this process's group can only be a descendant of such a program, when this process started nothing
  // else.
  const group = all.find(({ pid }) => pid === SELF)?.group;
  const isAlone = all.every((each) => each.parent !== SELF || found.has(each));
  return fresh.filter((each) => found.has(each) || (isAlone && each.group === group));
}

function programOf(pid: string): Program[] {
  try {
    const { name = "", parent = "", group = "" } = STAT.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.groups ?? {};
    return [{ pid, name, parent, group }];
  } catch {
    // The process has ended since it was listed.
    return [];
  }
}
