/** `agentq attach`: a Node process that runs already becomes a program that forms can run in. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { CHILD_FOLDER } from "../../repl/child-folder.ts";
import type { AppFacts, AttachAnswer, RunFacts } from "../../repl/child/wire/app-frames.ts";
import { plainLine } from "../../workspace/plain-text.ts";
import { EXIT } from "../exit-codes.ts";
import { UsageError, type Stage } from "../stage.ts";
import { InspectorClient, NoAnswer, NoInspector, type Address } from "./inspector-client.ts";
import { allListeners, isSame, listenersOf, nodeProcess, type NodeProcess } from "./node-process.ts";
import { identified, known, parsed, Refused } from "./identify.ts";
import { programOf } from "./met.ts";
import { nameProblem, NO_PLACE, runFacts } from "./run-facts.ts";
import { readTarget, type Target } from "./target.ts";

const HELP = `usage: agentq attach [--name NAME] [--yes] PID|PORT|HOST:PORT

Makes a program of a Node process that runs already: from then on it is as if agentq run had started it (docs/running-app.md),
for the current folder. The process is reached by its inspector, once. Where the inspector is closed, you are asked before Node
is told by SIGUSR1 to open it, and it is closed again. The process goes on all the time.

A number is a process where one has that id, and otherwise the port of an inspector; :9229 is always a port.

  --name NAME   how the program is called; by default like the current folder
  --yes         open a closed inspector without a question

Exit codes: 0 forms can run in the process, 1 they cannot, 2 the command line makes no sense, 4 it would have to be asked and
nobody is there.
`;

const OPEN_MS = 10_000;
const ATTACH_MS = 15_000;
const LOOK_MS = 50;
const MAX_COMMAND = 120;
const MAX_FRAMES = 6;
const IS_LINUX = process.platform === "linux";

export async function runAttach(args: readonly string[], stage: Stage): Promise<number> {
  const options = {
    help: { type: "boolean", short: "h", default: false },
    name: { type: "string" },
    yes: { type: "boolean", default: false },
  } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  if (values.help) {
    stage.out.write(HELP);
    return EXIT.ok;
  }
  const [word = "", ...more] = positionals;
  const target = readTarget(word);
  if (target === undefined || more.length > 0) throw new UsageError("Name one process id, PORT or HOST:PORT.");
  const problem = values.name === undefined ? undefined : nameProblem(values.name);
  if (problem !== undefined) throw new UsageError(problem);
  try {
    const run = runFacts(values.name, stage.folder, stage.host.env);
    if (run === undefined) throw new Refused(`Nothing is attached: ${NO_PLACE}`);
    return await new Attachment(stage, run, values.yes).to(target);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    stage.errors.line(`agentq attach: ${error.message}`);
    return error.code;
  }
}

class Attachment {
  readonly #stage: Stage;
  readonly #run: RunFacts;
  readonly #isAgreed: boolean;

  constructor(stage: Stage, run: RunFacts, isAgreed: boolean) {
    this.#stage = stage;
    this.#run = run;
    this.#isAgreed = isAgreed;
  }

  async to(target: Target): Promise<number> {
    return "pid" in target ? this.#toProcess(target.pid) : this.#toPort(target);
  }

  async #toProcess(pid: number): Promise<number> {
    if (!IS_LINUX) {
      const how = `open its inspector yourself (kill -USR1 ${pid}), and name the port`;
      throw new Refused(`This system does not tell whether SIGUSR1 would end process ${pid}: ${how}.`);
    }
    const node = known(nodeProcess(pid));
    const before = await programOf(pid, this.#run.sockets);
    if (before !== undefined) return this.#tell(before, "can be worked with already");
    const open = listenersOf(pid).find(({ port }) => port === node.port);
    if (open !== undefined) return this.#by(open, pid);
    await this.#mayOpen(node);
    // What was asked about may have ended meanwhile.
    if (!isSame(node) || !known(nodeProcess(pid)).opensOnSignal) throw new Refused(`Process ${pid} has ended.`);
    this.#stage.onInterrupt = () => undefined;
    process.kill(pid, "SIGUSR1");
    const opened = await within(OPEN_MS, () => listenersOf(pid).find(({ port }) => port === node.port));
    if (opened === undefined) throw new Refused(`${isSame(node) ? NOT_OPENED : "The process has ended"}.`);
    return this.#by(opened, pid, node);
  }

  async #toPort({ addresses, isTyped, isBare }: Exclude<Target, { readonly pid: number }>): Promise<number> {
    for (const address of addresses) {
      const owners = isTyped || !IS_LINUX ? [] : allListeners().filter(({ port }) => port === address.port);
      if (owners.length > 0 && owners.every(({ user }) => user !== process.getuid?.()))
        throw new Refused(`Port ${address.port} is another user's.`);
      try {
        return await this.#by(address);
      } catch (error) {
        if (!/ECONNREFUSED/.test(String(error))) throw error;
      }
    }
    const places = addresses.map(({ host, port }) => `${host}:${port}`).join(" or ");
    const nobody = isBare ? `There is no process ${addresses[0]?.port}, and nobody` : "Nobody";
    throw new Refused(`${nobody} listens on ${places}.`);
  }

  /** `opened`: the process whose inspector was closed before. */
  async #by(address: Address, pid?: number, opened?: NodeProcess): Promise<number> {
    let client: InspectorClient | undefined;
    try {
      client = await InspectorClient.to(address);
      const met = await identified(client, address, pid);
      const before = await programOf(met, this.#run.sockets);
      if (before !== undefined) return this.#tell(before, "can be worked with already");
      await inject(client, this.#run);
      const program = await programOf(met, this.#run.sockets);
      if (program === undefined) throw new Refused(`Process ${met} has ended, or its main thread is busy.`);
      return this.#tell(program, "can be worked with now");
    } catch (error) {
      if (!(error instanceof NoInspector)) throw error;
      const where = `${address.host}:${address.port}`;
      if (!(error instanceof NoAnswer))
        throw new Refused(`The inspector on ${where} cannot be used: ${error.message}.`);
      throw new Refused(
        `The process behind ${where} is busy, or a debugger holds it: ${error.message}. Nothing was changed in it.${await this.#place(client)}`,
      );
    } finally {
      if (opened !== undefined) await this.#closeInspector(client, address, opened);
      client?.close();
    }
  }

  /** Where a busy main thread is, as the end of a message. */
  async #place(client: InspectorClient | undefined): Promise<string> {
    const frames = (await client?.stack()) ?? [];
    const folder = `${pathToFileURL(this.#run.root).href}/`;
    const others = frames.filter(({ place }) => !place.startsWith("node:"));
    const own = others.filter(({ place }) => place.startsWith(folder) && !place.includes("/node_modules/"));
    const shown = (own.length === 0 ? others : own).slice(0, MAX_FRAMES).map(({ name, place }) => {
      const where = place.startsWith(folder) ? place.slice(folder.length) : place;
      return `\n  ${plainLine(`${name === "" ? "code" : name} at ${where}`, MAX_COMMAND)}`;
    });
    return shown.length === 0 ? "" : ` Its main thread is in:${shown.join("")}`;
  }

  async #closeInspector(client: InspectorClient | undefined, { port }: Address, node: NodeProcess): Promise<void> {
    await client?.evaluate("process._debugEnd()").catch(() => undefined);
    client?.close();
    const isClosed = (): true | undefined =>
      listenersOf(node.pid).some((each) => each.port === port) && isSame(node) ? undefined : true;
    if ((await within(LOOK_MS * 40, isClosed)) === true) return;
    this.#stage.errors.line(`agentq attach: the inspector of process ${node.pid} is still open on port ${port}.`);
  }

  /** Asks where the process cannot be reached without a signal. */
  async #mayOpen(node: NodeProcess): Promise<void> {
    const { pid, port } = node;
    if (node.isInspectedFromStart || port === 0)
      throw new Refused(`The inspector of process ${pid} is on a port that its options do not tell: name the port.`);
    if (!node.opensOnSignal)
      throw new Refused(
        `Process ${pid} does not open its inspector on SIGUSR1: it has only begun, or its options forbid that.`,
      );
    if (allListeners(`/proc/${pid}`).some((each) => each.port === port))
      throw new Refused(`Another process holds port ${port}, where process ${pid} would open its inspector.`);
    if (this.#isAgreed) return;
    const { hasPerson, person, out } = this.#stage;
    if (!hasPerson)
      throw new Refused(
        `The inspector of process ${pid} would have to be opened by a signal: agree with --yes.`,
        EXIT.needsYes,
      );
    out.line(`Process ${pid}: ${plainLine(node.command.join(" "), MAX_COMMAND)}`);
    out.line(
      `Its inspector is closed. Node opens it on 127.0.0.1:${port} when the process gets SIGUSR1, and says so in the`,
    );
    out.line(
      "process's own terminal. By it agentq brings its code into the process; then the inspector is closed again.",
    );
    const answer = await person.ask("Attach? [y/N] ");
    if (!/^y(?:es)?$/i.test(answer ?? "")) throw new Refused("Nothing was done.");
  }

  #tell(program: AppFacts, what: string): number {
    const { out } = this.#stage;
    const { name, pid, root, why } = program;
    const where = root === this.#run.root ? "" : ` from ${plainLine(root, MAX_COMMAND)}`;
    out.line(
      `${name} (process ${pid}) ${what}${where}: agentq repl --in ${name}, :AgentQ process ${name}, M-x agentq-process.`,
    );
    if (why !== undefined) out.line(`Of ${name} is to be known: ${plainLine(why, 300)}.`);
    return EXIT.ok;
  }
}

const NOT_OPENED =
  "The process got SIGUSR1 and has not opened its inspector: it handles that signal itself, or it is busy and will open it later";

async function inject(client: InspectorClient, run: RunFacts): Promise<void> {
  const file = JSON.stringify(join(CHILD_FOLDER, "attach.cjs"));
  const until = Date.now() + ATTACH_MS;
  const load = `process.getBuiltinModule("node:module").createRequire(${file})(${file})`;
  const { refused } = parsed<AttachAnswer>(
    await client.settled(`${load}.attach(${JSON.stringify(run)}, ${until})`, ATTACH_MS),
  );
  if (refused !== undefined) throw new Refused(`The process is not attached: ${plainLine(refused, 300)}.`);
}

async function within<T>(patienceMs: number, look: () => T | undefined): Promise<T | undefined> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const found = look();
    if (found !== undefined || performance.now() > end) return found;
    await sleep(LOOK_MS);
  }
}
