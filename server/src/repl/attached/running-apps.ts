/** The running programs of the person that belong to the open folders: those below `agentq run`, while they run. */
import { readdirSync, rmSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
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

export class RunningApps {
  readonly #options: RunningAppsOptions;
  readonly #known = new Map<string, RunningApp>();
  /** Files that lead to no program of these folders. */
  readonly #others = new Set<string>();
  #watcher: FSWatcher | undefined;
  #looking: Promise<void> | undefined;

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

  find(id: string): RunningApp | undefined {
    return this.known().find((each) => each.id === id);
  }

  async look(): Promise<void> {
    const again = this.#looking;
    const looking = (again ?? Promise.resolve()).then(() => this.#look());
    this.#looking = looking;
    await looking;
    if (this.#looking === looking) this.#looking = undefined;
  }

  dispose(): void {
    this.#watcher?.close();
    for (const { connection } of this.#known.values()) connection.leave();
  }

  async #look(): Promise<void> {
    const { sockets } = this.#options;
    if (sockets === undefined) return;
    const names = namesIn(sockets);
    for (const other of this.#others) if (!names.includes(other)) this.#others.delete(other);
    const fresh = names.filter((name) => !this.#known.has(name) && !this.#others.has(name));
    await Promise.all(fresh.map((name) => this.#meet(join(sockets, name), name)));
  }

  async #meet(path: string, name: string): Promise<void> {
    const pid = Number(APP_SOCKET.exec(name)?.[1]);
    const connection = await AppConnection.to(path, pid);
    if (connection === "nobody") {
      // A program that was killed leaves its file. One that starts has its file a moment before it listens.
      if (!isAlive(pid)) rmSync(path, { force: true });
      return;
    }
    if (connection === undefined) return;
    if (!this.#isOfThese(connection.facts.root)) {
      this.#others.add(name);
      return connection.leave();
    }
    const { name: called } = connection.facts;
    const isTaken = [...this.#known.values()].some(({ id }) => id === called);
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
