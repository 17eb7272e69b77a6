/**
 * Servers in the process of the tests for editors, which connect to a socket. One server serves one editor after the other as
 * long as nothing but its conversations is left of the last one.
 */
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { vi } from "vitest";
import type { ClientPort, Services, WatchedFileChange } from "../../server/src/services.ts";
import type { ServerSetup } from "../../server/src/handlers/stdio-server.ts";
import { composeHere, serveSocket, type Variables } from "./served-here.ts";

const SETTLES_WITHIN_MS = 40_000;

/** Answers the folder of a server's first project, without the slash at its end that some editors send. */
function rootOf({ services }: Kept): string | undefined {
  return services.paths.folders()[0]?.replace(/\/$/, "");
}

/** A server that editors use one after the other. */
interface Kept {
  readonly key: string;
  readonly services: Services;
  /** The conversations whose turn runs. */
  readonly running: Set<string>;
  /** Whose the services are now. */
  client: ClientPort;
  /** True once the server has ended. */
  isOver: boolean;
}

export class ServersHere {
  /** What an editor connects with in place of a server's standard streams. */
  readonly socket: string;
  readonly #folder: string;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  readonly #used = new Map<Socket, Kept>();
  readonly #ends = new Set<Promise<void>>();
  #variables: Variables = {};
  #kept: Kept | undefined;
  /** Tells the folders apart in which servers keep what outlives them. */
  #state = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.socket = join(folder, "server");
    this.#listener = createServer((socket) => {
      this.#sockets.add(socket);
      this.#waitFor(this.#serve(socket, this.#variables));
    }).listen(this.socket);
  }

  /** The environment of the servers from now on, but for the folder of their state, which is theirs alone. */
  useVariables(variables: Variables): void {
    this.#variables = variables;
  }

  /** The next editor gets a server that nobody has used. */
  async startAnew(): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    this.#state += 1;
    await kept?.services.dispose();
  }

  /** Hangs up on all editors, and waits until nothing of theirs goes on. */
  async hangUp(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    while (this.#ends.size > 0) await Promise.all(this.#ends);
    if (this.#kept === undefined) this.#state += 1;
  }

  /** The servers of a project end, and say nothing more. What waited in them waits for the next one. */
  async cut(root: string): Promise<void> {
    for (const [socket, kept] of this.#used) {
      if (rootOf(kept) !== root) continue;
      kept.client = { ...kept.client, notify: () => undefined };
      await kept.services.dispose();
      socket.destroy();
    }
  }

  /** Tells the server that waits of files that changed on disk, by their paths. */
  filesChanged(changes: readonly (readonly [path: string, type: WatchedFileChange["type"]])[]): void {
    if (changes.length === 0) return;
    this.#kept?.services.didChangeWatchedFiles(
      changes.map(([path, type]) => ({ uri: pathToFileURL(path).href, type })),
    );
  }

  async dispose(): Promise<void> {
    await this.hangUp();
    this.#listener.close();
    await this.startAnew();
  }

  /** Until the editor hangs up, and its turns have ended. */
  async #serve(socket: Socket, variables: Variables): Promise<void> {
    let kept: Kept | undefined;
    socket.on("error", () => socket.destroy());
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    serveSocket(socket, (client, setup) => {
      kept = this.#take(variables, client, setup);
      this.#used.set(socket, kept);
      return kept.services;
    });
    await closed;
    this.#sockets.delete(socket);
    this.#used.delete(socket);
    if (kept === undefined || kept.isOver) return;
    const isAsNew = await settle(kept);
    if (!isAsNew || this.#kept !== undefined) await kept.services.dispose();
    else this.#kept = kept;
  }

  #take(variables: Variables, client: ClientPort, setup: ServerSetup): Kept {
    const key = JSON.stringify([variables, { ...setup, languageClient: setup.languageClient !== undefined }]);
    const old = this.#kept;
    this.#kept = undefined;
    if (old?.key === key && setup.languageClient === undefined) {
      old.client = client;
      return old;
    }
    if (old !== undefined) {
      this.#waitFor(old.services.dispose());
      this.#state += 1;
    }
    const running = new Set<string>();
    const state = { XDG_STATE_HOME: join(this.#folder, `state-${this.#state}`) };
    const port = forwarding(() => kept.client, running);
    const services = composeHere({ ...variables, ...state }, port, setup);
    const end = async (): Promise<void> => {
      kept.isOver = true;
      await services.dispose();
    };
    const kept: Kept = { key, services: { ...services, dispose: end }, running, client, isOver: false };
    return kept;
  }

  #waitFor(end: Promise<void>): void {
    const known = end.finally(() => this.#ends.delete(known));
    this.#ends.add(known);
  }
}

/** Ends what an editor left running; answers whether the services are now as good as new. */
async function settle({ services, running }: Kept): Promise<boolean> {
  for (const sessionId of running) await services.sessions.cancel(sessionId);
  await vi.waitUntil(() => running.size === 0, { timeout: SETTLES_WITHIN_MS, interval: 2 });
  for (const { uri } of services.documents.all()) services.documents.close(uri);
  const { typescript, repl, pendingProposals, background, mcp } = await services.status();
  return (
    (typescript.state === "ready" || typescript.state === "notStarted") &&
    repl.state === "notStarted" &&
    repl.locked !== true &&
    pendingProposals === 0 &&
    background === undefined &&
    mcp === undefined &&
    services.remembered.list().length === 0
  );
}

/** A port to whoever is the client now, which notes the turns that run. */
function forwarding(now: () => ClientPort, running: Set<string>): ClientPort {
  return {
    name: () => now().name(),
    announced: () => now().announced(),
    notify: (method, params) => {
      if (method === "agentq/event") {
        const { sessionId, event } = params as { sessionId: string; event: { kind: string } };
        if (event.kind === "turnStarted") running.add(sessionId);
        if (event.kind === "turnEnded") running.delete(sessionId);
      }
      now().notify(method, params);
    },
    choose: (...question) => now().choose(...question),
    buffers: {
      list: (signal) => now().buffers.list(signal),
      read: (params, signal) => now().buffers.read(params, signal),
      reload: (params, signal) => now().buffers.reload(params, signal),
    },
    warn: (message) => now().warn(message),
    log: (level, message) => now().log(level, message),
    progress: (title) => now().progress(title),
    showLong: (title, token, work) => now().showLong(title, token, work),
  };
}
