/** What every command for the terminal uses: the process it runs in, its screens, and a server of its own. */
import { startAgentq, type AgentqClient } from "../client/agentq-client.ts";
import { startNothingOf } from "../process/search-path.ts";
import { Person } from "./person.ts";
import { createScreen, type Screen } from "./screen.ts";

/** The process whose terminal it is. */
export type Host = Pick<
  NodeJS.Process,
  "stdin" | "stdout" | "stderr" | "env" | "argv" | "execPath" | "cwd" | "exit"
> & {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
};

/** The command line makes no sense. The message is a sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const BY_SIGNAL = { SIGHUP: 129, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 } as const;

export class Stage {
  readonly host: Host;
  readonly folder: string;
  readonly out: Screen;
  readonly errors: Screen;
  readonly person: Person;
  /** A person sits here, who can be asked. */
  readonly hasPerson: boolean;
  /** What Ctrl-C does while something runs; a second one ends the command. */
  onInterrupt: (() => void) | undefined;
  #client: Promise<AgentqClient> | undefined;
  #interrupts = 0;

  constructor(host: Host) {
    this.host = host;
    this.folder = folderOf(host);
    startNothingOf([this.folder]);
    this.out = createScreen(host.stdout, host.env);
    this.errors = createScreen(host.stderr, host.env);
    this.hasPerson = host.stdin.isTTY && host.stdout.isTTY;
    this.person = new Person(host.stdin, host.stdout);
    // Whoever reads has gone, as in "agentq tool | head": nobody is left to be told.
    const closed = (): void => host.exit(BY_SIGNAL.SIGPIPE);
    host.stdout.on("error", closed);
    host.stderr.on("error", closed);
    host.on("SIGINT", () => this.interrupt());
    for (const signal of ["SIGHUP", "SIGTERM"] as const) host.on(signal, () => this.#exit(BY_SIGNAL[signal]));
  }

  /** The server, which is started when it is asked for first. */
  server(): Promise<AgentqClient> {
    this.#client ??= startAgentq({
      command: [this.host.execPath, this.host.argv[1] ?? "", "--stdio"],
      folder: this.folder,
      environment: this.host.env,
      name: "agentq-terminal",
    });
    return this.#client;
  }

  /** What runs from now on has had no Ctrl-C yet. */
  calm(): void {
    this.#interrupts = 0;
  }

  async dispose(): Promise<void> {
    this.person.leave();
    const client = await this.#client?.catch(() => undefined);
    await client?.dispose();
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#interrupts += 1;
    this.person.forget();
    if (this.#interrupts > 1 || this.onInterrupt === undefined) this.#exit(BY_SIGNAL.SIGINT);
    else this.onInterrupt();
  }

  #exit(code: number): void {
    this.person.leave();
    this.host.exit(code);
  }
}

function folderOf(host: Host): string {
  try {
    return host.cwd();
  } catch {
    throw new UsageError("The current folder does not exist any more.");
  }
}
