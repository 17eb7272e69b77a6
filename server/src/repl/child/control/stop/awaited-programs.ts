/**
 * Ends the program for which the main thread waits in `execSync` and its like: no termination reaches a thread that waits there.
 * Linux tells which program that is; elsewhere the wait goes on.
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
  /** The processes that there were when the wait began; undefined while the main thread waits for no program. */
  #before: ReadonlySet<string> | undefined;
  readonly #asked = new Set<string>();

  began(before: readonly string[]): void {
    this.#before = new Set(before);
    this.#asked.clear();
  }

  /** Also to be called when code was ended: it did not come to the end of its wait. */
  over(): void {
    this.#before = undefined;
  }

  /** Asks what the wait is for to end, and by force when it was asked before. Answers what it is: `1 process (sleep, 117)`. */
  end(): string {
    const programs = this.#before === undefined ? [] : awaited(this.#before);
    for (const { pid } of programs) {
      try {
        process.kill(Number(pid), this.#asked.has(pid) ? "SIGKILL" : "SIGTERM");
      } catch {
        // It has ended by itself.
      }
      this.#asked.add(pid);
    }
    const names = programs.map(({ name, pid }) => `${name}, ${pid}`);
    return names.length === 0 ? "" : `${names.length} process${names.length === 1 ? "" : "es"} (${names.join("; ")})`;
  }
}

/** What the main thread has started since, all that this started in turn, and what lost its parent among them. */
function awaited(before: ReadonlySet<string>): Program[] {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? programOf(name) : []));
  const fresh = all.filter(({ pid }) => !before.has(pid));
  const ofMain = new Set(readFileSync(`/proc/self/task/${SELF}/children`, "utf8").split(" "));
  const found = new Set(fresh.filter(({ pid }) => ofMain.has(pid)));
  for (const program of found) {
    for (const each of fresh) if (each.parent === program.pid) found.add(each);
  }
  // Where nothing else was started by this process, an orphan of its group can be nobody else's.
  const group = all.find(({ pid }) => pid === SELF)?.group;
  const isAlone = all.every((each) => each.parent !== SELF || found.has(each));
  return fresh.filter((each) => found.has(each) || (isAlone && each.group === group));
}

function programOf(pid: string): Program[] {
  try {
    const { name = "", parent = "", group = "" } = STAT.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.groups ?? {};
    return [{ pid, name, parent, group }];
  } catch {
    // It has ended since it was listed.
    return [];
  }
}
