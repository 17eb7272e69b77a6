/** The connection to one running program: what the program is, its end, and the way to its control thread. */
import { lstatSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createFrameReader, encodeFrame } from "../child/wire/frames.ts";
import type { AppFacts, FromApp, ToApp } from "../child/wire/app-frames.ts";
import { AppChannel } from "./app-channel.ts";

/** A program whose main thread is busy answers when it is free again. */
const ANSWER_MS = 5_000;
const AGAIN_MS = 300;

export class AppConnection {
  readonly facts: AppFacts;
  /** Resolves when the program has ended, or was detached. */
  readonly gone: Promise<void>;
  readonly #socket: Socket;
  #heard: ((frame: FromApp) => void) | undefined;
  #end = "has ended";
  #opening: Promise<AppChannel | string> | undefined;

  private constructor(facts: AppFacts, socket: Socket) {
    this.facts = facts;
    this.#socket = socket;
    this.gone = new Promise((resolve) => socket.once("close", () => resolve()));
    if (socket.destroyed) this.gone = Promise.resolve();
  }

  /**
   * Undefined where nobody listens, or where another than a program of this person answers. `pid` is that of the file's
   * name; a program that says another one is not believed.
   */
  static async to(path: string, pid: number): Promise<AppConnection | "nobody" | undefined> {
    if (!isOwnSocket(path)) return undefined;
    const { promise, resolve } = Promise.withResolvers<AppConnection | "nobody" | undefined>();
    const socket = createConnection(path);
    const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
    let made: AppConnection | undefined;
    const read = createFrameReader(
      (frame) => {
        const told = frame as Partial<FromApp>;
        if (made !== undefined) return made.#take(frame as FromApp);
        if (told.t !== "app" || !areFacts(told.facts) || told.facts.pid !== pid) return resolve(undefined);
        made = new AppConnection(told.facts, socket);
        resolve(made);
      },
      () => socket.destroy(),
    );
    socket.unref().on("data", read);
    socket.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNREFUSED" ? "nobody" : undefined));
    socket.on("close", () => resolve(undefined));
    const found = await promise;
    clearTimeout(timer);
    if (!(found instanceof AppConnection)) socket.destroy();
    return found;
  }

  /** The channel to the program's control thread, which starts with the first call; or a sentence why there is none. */
  open(): Promise<AppChannel | string> {
    return (this.#opening ??= this.#open().then((opened) => {
      if (typeof opened === "string") this.#opening = undefined;
      else void opened.gone.then(() => (this.#opening = undefined));
      return opened;
    }));
  }

  leave(): void {
    this.#socket.destroy();
  }

  /** The program is one no more, for every server. False where its main thread is too busy to hear that. */
  async detach(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), ANSWER_MS);
    void this.gone.then(() => resolve(true));
    this.#tell({ t: "detach" });
    const isGone = await promise;
    clearTimeout(timer);
    return isGone;
  }

  async #open(): Promise<AppChannel | string> {
    let answer = await this.#ask();
    if (answer?.t === "refused") {
      // The end of a server that was killed may not have come to the program.
      await sleep(AGAIN_MS);
      answer = await this.#ask();
    }
    const { name, pid } = this.facts;
    if (answer?.t === "refused") return `${name} (process ${pid}) cannot be worked with: ${answer.reason}.`;
    if (answer?.t !== "opened") {
      const why = this.#socket.destroyed ? `it ${this.#end}` : `its main thread was busy for ${ANSWER_MS / 1000} s`;
      return `${name} (process ${pid}) does not answer: ${why}.`;
    }
    return AppChannel.to(answer.socket, this.facts, () => this.#end);
  }

  async #ask(): Promise<FromApp | undefined> {
    const { promise, resolve } = Promise.withResolvers<FromApp | undefined>();
    this.#heard = resolve;
    const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
    void this.gone.then(() => resolve(undefined));
    this.#tell({ t: "open" });
    const answer = await promise;
    clearTimeout(timer);
    return answer;
  }

  #take(frame: FromApp): void {
    if (frame.t === "detached") this.#end = "was detached";
    else this.#heard?.(frame);
  }

  #tell(frame: ToApp): void {
    if (this.#socket.writable) this.#socket.write(encodeFrame(frame));
  }
}

/** Nobody else can put a file into the folder of the sockets; a link would lead out of the folder. */
function isOwnSocket(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSocket() === true && stats.uid === process.getuid?.();
}

function areFacts(facts: unknown): facts is AppFacts {
  if (typeof facts !== "object" || facts === null) return false;
  const { name, root, pid, command, node, startedAt, level, why } = facts as Partial<Record<keyof AppFacts, unknown>>;
  const isText = (value: unknown): boolean => typeof value === "string" && value.length < 10_000;
  const areWords = Array.isArray(command) && command.length < 1_000 && command.every(isText);
  const isKnown = level === "modules" || level === "globals";
  const isName = typeof name === "string" && /^[\w.-]{1,40}$/.test(name);
  const areTexts = isName && isText(root) && isText(node) && (why === undefined || isText(why));
  return areTexts && areWords && isKnown && Number.isInteger(pid) && typeof startedAt === "number";
}
