/** The running programs of the person that belong to the open folders: those below `agentq run`, while they run. */
import { readdirSync, rmSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../../process/own-folder.ts";
import { isWithin } from "../../workspace/within.ts";
import { APP_SOCKET } from "../child/wire/app-frames.ts";
import { AppConnection } from "./app-connection.ts";

export interface RunningAppsOptions {
  /** Where programs have their sockets; undefined where there is no such place. */
  readonly sockets: string | undefined;
  /** The open folders, by their real paths. */
  readonly folders: () => readonly string[];
  /** A program has come, or has gone. */
  readonly onChange: (id: string, what: "started" | "ended") => void;
}

export interface RunningApp {
  /** The program's name; with `:` and the process id where another program had the name first. */
  readonly id: string;
  readonly connection: AppConnection;
}

interface Met {
  /** Of the socket's file. */
  readonly name: string;
  readonly connection: AppConnection;
}

/** How long programs that are found together wait for each other: the oldest gets the name that several of them say. */
const TOGETHER_MS = 500;

export class RunningApps {
  readonly #options: RunningAppsOptions;
  readonly #known = new Map<string, RunningApp>();
  /** Files that lead to no program of these folders. */
  readonly #others = new Set<string>();
  /** Files that did not answer, as that of a program that a debugger holds: nobody waits for them a second time. */
  readonly #silent = new Set<string>();
  readonly #asking = new Set<string>();
  #watcher: FSWatcher | undefined;
  #looking: Promise<void> | undefined;
  #isOver = false;
  #folders = "";

  constructor(options: RunningAppsOptions) {
    this.#options = options;
  }

  /** From now on programs that start are noticed. */
  async start(): Promise<void> {
    const { sockets } = this.#options;
    if (sockets === undefined) return;
    try {
      this.#watcher ??= watch(sockets, { persistent: false }, () => void this.look());
      this.#watcher.on("error", () => undefined);
    } catch {
      // Without a watcher, programs are found when somebody asks.
    }
    await this.look();
  }

  /** The programs that run now, the oldest first. */
  async all(): Promise<readonly RunningApp[]> {
    await this.look();
    return this.known();
  }

  known(): readonly RunningApp[] {
    const began = ({ connection }: RunningApp): number => connection.facts.startedAt;
    return [...this.#known.values()].toSorted((one, other) => began(one) - began(other));
  }

  /** Of two that say the same name, the latter lives. */
  find(id: string): RunningApp | undefined {
    return this.known().findLast((each) => each.id === id);
  }

  async look(): Promise<void> {
    const again = this.#looking;
    const looking = (again ?? Promise.resolve()).then(() => this.#look());
    this.#looking = looking;
    await looking;
    if (this.#looking === looking) this.#looking = undefined;
  }

  dispose(): void {
    this.#isOver = true;
    this.#watcher?.close();
    for (const { connection } of this.#known.values()) connection.leave();
  }

  async #look(): Promise<void> {
    const { sockets } = this.#options;
    if (sockets === undefined) return;
    this.#heedFolders();
    const names = namesIn(sockets);
    for (const left of [this.#others, this.#silent])
      for (const name of left) if (!names.includes(name)) left.delete(name);
    const isFresh = (name: string): boolean =>
      ![this.#known, this.#others, this.#asking].some((each) => each.has(name));
    const fresh = names.filter(isFresh);
    const awaited = fresh.map((name) => !this.#silent.has(name));
    const met: Met[] = [];
    const meetings = fresh.map(async (name) => {
      this.#asking.add(name);
      const connection = await this.#reach(join(sockets, name), name);
      if (connection === undefined) this.#asking.delete(name);
      else met.push({ name, connection });
    });
    const take = (): void => {
      const began = ({ connection }: Met): number => connection.facts.startedAt;
      for (const each of met.splice(0).toSorted((one, other) => began(one) - began(other))) this.#take(each);
    };
    await Promise.race([Promise.all(meetings), sleep(TOGETHER_MS, undefined, { ref: false })]);
    take();
    const over = meetings.map((each) => each.then(take));
    await Promise.all(over.filter((_, at) => awaited[at]));
  }

  /** Where other folders are open than before, other programs are meant. */
  #heedFolders(): void {
    const folders = this.#options.folders().join("\0");
    if (folders === this.#folders) return;
    this.#folders = folders;
    this.#others.clear();
    for (const { connection } of this.#known.values()) if (!this.#isOfThese(connection.facts.root)) connection.leave();
  }

  async #reach(path: string, name: string): Promise<AppConnection | undefined> {
    const pid = Number(APP_SOCKET.exec(name)?.[1]);
    const connection = await AppConnection.to(path, pid);
    if (connection === undefined) this.#silent.add(name);
    if (connection === "nobody") {
      // A program that was killed leaves its file. One that starts has its file a moment before it listens.
      if (!isAlive(pid)) rmSync(path, { force: true });
      return undefined;
    }
    if (connection === undefined || this.#isOfThese(connection.facts.root)) return connection;
    this.#others.add(name);
    connection.leave();
    return undefined;
  }

  #take({ name, connection }: Met): void {
    this.#asking.delete(name);
    if (this.#isOver) return connection.leave();
    const { name: called, pid } = connection.facts;
    // A program that starts anew may come before the end of its last process is heard.
    const isTaken = [...this.#known.values()].some((each) => each.id === called && isAlive(each.connection.facts.pid));
    const app = { id: isTaken ? `${called}:${pid}` : called, connection };
    this.#known.set(name, app);
    void connection.gone.then(() => {
      this.#known.delete(name);
      this.#options.onChange(app.id, "ended");
    });
    this.#options.onChange(app.id, "started");
  }

  #isOfThese(root: string): boolean {
    return this.#options.folders().some((folder) => isWithin(root, folder) || isWithin(folder, root));
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => APP_SOCKET.test(name));
  } catch {
    return [];
  }
}
