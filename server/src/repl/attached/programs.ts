/**
 * The running programs of the person, each with a REPL of its own in front of it: its forms, values and history, under the
 * lock and the consent that all of them have.
 */
import { InvalidParamsError } from "../../base/errors.ts";
import { given } from "../../base/given.ts";
import { plainLine } from "../../workspace/plain-text.ts";
import type { RunningProcess, RunningProcesses } from "../../protocol/repl-shapes.ts";
import type { AppFacts } from "../child/wire/app-frames.ts";
import type { Repl } from "../repl.ts";
import type { Asked } from "../stages/consent/open-consent.ts";
import type { AppConnection } from "./app-connection.ts";
import { RunningApps, type RunningApp, type RunningAppsOptions } from "./running-apps.ts";

export interface Program {
  readonly id: string;
  /** The program while it runs. */
  readonly connection: () => AppConnection | undefined;
}

export interface ProgramsOptions extends Omit<RunningAppsOptions, "onChange"> {
  readonly createRepl: (program: Program) => Promise<Repl>;
  readonly onChange: (now: RunningProcesses) => void;
}

const MAX_COMMAND = 200;

export class Programs {
  readonly #options: ProgramsOptions;
  readonly #apps: RunningApps;
  /** Kept when a program ends: it may start anew, and its history can be read. */
  readonly #repls = new Map<string, Promise<Repl>>();
  #isLocked = false;

  constructor(options: ProgramsOptions) {
    this.#options = options;
    this.#apps = new RunningApps({ ...options, onChange: () => options.onChange(this.#now()) });
  }

  /** From now on programs that start and end are told. */
  start(): Promise<void> {
    return this.#apps.start();
  }

  async list(): Promise<RunningProcesses> {
    await this.#apps.look();
    return this.#now();
  }

  /** What is known without looking. */
  names(): readonly string[] {
    return this.#apps.known().map(({ id }) => id);
  }

  /** What runs, as `shownName` has it, without looking. */
  shown(): readonly string[] {
    return this.#apps.known().map(shownName);
  }

  /** The REPL of the program, and what the program is; undefined where none of that name runs. */
  async find(id: string): Promise<{ readonly repl: Repl; readonly shown: string } | undefined> {
    const app = this.#apps.find(id) ?? (await this.#apps.all()).find((each) => each.id === id);
    if (app === undefined) return undefined;
    return { repl: await this.#replOf(id), shown: shownName(app) };
  }

  /** The REPL of a program, also of one that has ended. */
  async repl(id: string): Promise<Repl> {
    const found = (await this.find(id))?.repl ?? (await this.#repls.get(id));
    if (found !== undefined) return found;
    const names = this.names().join(", ");
    const expected = names === "" ? "a program that was started with agentq run; none runs" : `one of ${names}`;
    throw new InvalidParamsError([{ path: "/process", expected, received: id }]);
  }

  /** Locks the programs for the agent, also those that come later. */
  lock(isLocked: boolean): void {
    this.#isLocked = isLocked;
    for (const repl of this.#repls.values()) void repl.then((each) => each.lock(isLocked));
  }

  async dispose(): Promise<void> {
    this.#apps.dispose();
    await Promise.all([...this.#repls.values()].map(async (repl) => (await repl).dispose()));
  }

  #replOf(id: string): Promise<Repl> {
    const known = this.#repls.get(id);
    if (known !== undefined) return known;
    const made = this.#options.createRepl({ id, connection: () => this.#apps.find(id)?.connection });
    this.#repls.set(id, made);
    return made.then((repl) => {
      if (this.#isLocked) repl.lock(true);
      return repl;
    });
  }

  #now(): RunningProcesses {
    return { processes: this.#apps.known().map(toProcess) };
  }
}

/** `api (process 4711)`. */
export function shownName({ id, connection }: RunningApp): string {
  return `${id} (process ${connection.facts.pid})`;
}

/** The words are the program's own, and are shown to a person and to a model. */
export function commandOf({ command }: Pick<AppFacts, "command">): string {
  return plainLine(command.join(" "), MAX_COMMAND);
}

export function programQuestion({ id, connection }: Program): { readonly asked: Asked; readonly why: () => string } {
  return {
    asked: {
      tool: "open_repl",
      text: `Evaluate in ${id}, your running program?`,
      risk: "Forms of yours and of the agent run inside of it, with all that it may do and knows. It holds until the server ends, also when the program starts anew; the agent's evaluations that may have effects still ask one by one.",
      yes: "Evaluate there",
      no: "No",
      refused: `Nothing is evaluated in ${id}.`,
      again: "When the person evaluates something there, they are asked again.",
    },
    why: () => {
      const facts = connection()?.facts;
      return facts === undefined ? "It does not run now." : `It is process ${facts.pid}: node ${commandOf(facts)}.`;
    },
  };
}

function toProcess({ id, connection: { facts } }: RunningApp): RunningProcess {
  const { pid, root, node, startedAt, level, why } = facts;
  return {
    id,
    pid,
    command: commandOf(facts),
    folder: root,
    nodeVersion: plainLine(node, 40),
    startedAt: new Date(startedAt).toISOString(),
    level,
    ...given({ why: why === undefined ? undefined : plainLine(why, MAX_COMMAND) }),
  };
}
