/**
 * A running program as servers of the same person find it: by a socket file that says what the program is. A server that
 * asks to work with the program gets a control thread of its own; with nobody there, the program has nothing but the socket.
 */
import { chmodSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createFrameReader, encodeFrame } from "../child/wire/frames.ts";
import type { AppFacts, FromApp, RunFacts, RunningModule, ToApp } from "../child/wire/app-frames.ts";
import { instrumentLoaded, namesIn } from "../source/instrument-loaded.ts";
import type { AppThread } from "./app-thread.ts";
import type { Followed } from "./followed.ts";
import { createStub } from "./stub.ts";

const BUSY = "another editor's server works with it: one can at a time";

export interface App {
  /** The module is about to be compiled. Answers the text to compile in place of `compiled`; undefined to leave it alone. */
  readonly loading: (module: RunningModule, compiled: string) => string | undefined;
  /** Resolves when servers can find the program; with a sentence when they cannot. */
  readonly listens: Promise<string | undefined>;
  /** Resolves when the person has detached the program. */
  readonly detached: Promise<void>;
}

/** `isLate`: the program has loaded modules already; it has the `stub` where it was detached before. */
export function openApp(
  run: RunFacts,
  { level = "modules", why }: Followed,
  { isLate = false, stub = createStub() } = {},
): App {
  const { modules } = stub;
  let thread: AppThread | undefined;
  const { promise: detached, resolve: onDetached } = Promise.withResolvers<void>();
  const listens = listen(run, factsOf(run, { level, ...(why === undefined ? {} : { why }) }), {
    open: async (socket) => {
      if (thread?.isLeaving === true) await thread.gone;
      return thread === undefined ? (thread = begin(socket)) : undefined;
    },
    detach: async () => {
      onDetached();
      thread?.leave();
      await thread?.gone;
      stub.rest();
    },
  });

  function begin(path: string): AppThread {
    // Nearly all of our code is for work with the program, and is loaded when that begins.
    const here = import.meta.url;
    const { AppThread: Thread } = createRequire(here)(
      `./app-thread${here.slice(here.lastIndexOf("."))}`,
    ) as typeof import("./app-thread.ts");
    const begun = new Thread({
      path,
      root: run.root,
      stub,
      modules: () => [...modules.values()],
      ...(isLate ? { namesIn } : {}),
    });
    void begun.gone.then(() => (thread = undefined));
    return begun;
  }

  return {
    listens,
    detached,
    loading: (module, compiled) => {
      let text: string | undefined;
      try {
        text = instrumentLoaded({ ...module, text: compiled });
      } catch {
        // What cannot be followed runs as it is.
      }
      if (text === undefined) return undefined;
      modules.set(module.url, module);
      thread?.tell(module);
      return text;
    },
  };
}

function factsOf({ name, root }: RunFacts, level: Pick<AppFacts, "level" | "why">): AppFacts {
  const [, ...command] = process.argv;
  const startedAt = Math.round(performance.timeOrigin);
  return { name, root, pid: process.pid, command, node: process.version, startedAt, ...level };
}

interface Door {
  /** Undefined while another server works with the program. */
  readonly open: (socket: string) => Promise<AppThread | undefined>;
  /** Resolves when nothing of ours works in the program. Nothing comes in any more. */
  readonly detach: () => Promise<void>;
}

/** Nobody else can make files in that folder: a name needs only to be another one. */
const uniqueWord = (): string => process.hrtime.bigint().toString(36);

/** The program never waits for this socket, and never fails because of it. Whoever hears of the program finds the socket. */
function listen({ sockets }: RunFacts, facts: AppFacts, door: Door): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const name = `app-${process.pid}-${uniqueWord()}`;
  const path = join(sockets, `${name}.sock`);
  const there = new Set<Socket>();
  const detach = async (): Promise<void> => {
    server.close();
    const frame: FromApp = { t: "detached" };
    for (const socket of there) if (socket.writable) socket.write(encodeFrame(frame));
    await door.detach();
    for (const socket of there) socket.destroy();
  };
  const server = createServer((socket) => {
    there.add(socket);
    socket.once("close", () => there.delete(socket));
    serve(socket, facts, { ...door, detach }, join(sockets, `${name}.forms`));
  });
  server.on("error", ({ message }) => resolve(message));
  server.listen(path, () => {
    try {
      chmodSync(path, 0o600);
    } catch {
      // Whose file is gone is not found, and runs.
    }
    resolve(undefined);
  });
  server.unref();
  return promise;
}

function serve(socket: Socket, facts: AppFacts, door: Door, forms: string): void {
  socket.unref();
  const tell = (frame: FromApp): void => void (socket.writable && socket.write(encodeFrame(frame)));
  const end = (): void => void socket.destroy();
  let thread: AppThread | undefined;
  const open = async (): Promise<void> => {
    const begun = await door.open(`${forms}-${uniqueWord()}`);
    if (begun === undefined) return tell({ t: "refused", reason: BUSY });
    thread = begun;
    if (socket.destroyed) return begun.leave();
    const opened = await begun.opened;
    tell(
      opened === undefined
        ? { t: "refused", reason: "its control thread did not start" }
        : { t: "opened", socket: opened },
    );
  };
  const read = createFrameReader((frame) => {
    const { t } = (frame ?? {}) as Partial<ToApp>;
    if (t === "open") open().catch(end);
    if (t === "detach") door.detach().catch(end);
  }, end);
  socket.on("data", read);
  socket.on("error", end).on("close", () => thread?.leave());
  tell({ t: "app", facts });
}
