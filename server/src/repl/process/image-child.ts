/**
 * One process of the image: it is started, gets frames on file descriptor 3, and is ended. It is never restarted in
 * place.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:os";
import { Duplex } from "node:stream";
import { join } from "node:path";
import { killWithGroup, spawn, type ChildProcess } from "../../process/spawn.ts";
import type { LaunchPlan } from "../confinement/launch-plan.ts";
import { CHILD_FOLDER, THREAD_EXTENSION } from "../child-folder.ts";
import type { BootConfig } from "../child/wire/boot-config.ts";
import { createFrameReader, encodeFrame } from "../child/wire/frames.ts";
import type { FromImage, ToImage } from "../child/wire/wire.ts";
import { given } from "../../base/given.ts";
import type { ImageChannel, ImageListener } from "./image-channel.ts";

export interface ImageChildOptions {
  readonly projectRoot: string;
  readonly plan: LaunchPlan;
  /** The limit of the heap, in megabytes, at which the process ends; by default what Node chooses. */
  readonly heapLimitMb?: number;
}

const START_LIMIT_MS = 20_000;
/**
 * How much of standard error is kept, in characters. Node's last message precedes a list of native frames that is
 * thousands of characters long.
 */
const TAIL = 16_000;
const LAST_WORDS_MS = 500;

export class ImageChild implements ImageChannel {
  readonly pid: number | undefined;
  /** Settles when user code may run, or with the reason why user code never will. */
  readonly ready: Promise<{ readonly refused?: string }>;
  /** Settles with a sentence when the process is gone. */
  readonly gone: Promise<string>;
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #onStarted: () => void;
  readonly #ready = Promise.withResolvers<{ readonly refused?: string }>();
  // User code can write to the channel, but does not know the token, which the image reads before user code runs.
  readonly #token = randomBytes(16).toString("hex");
  #listener: ImageListener | undefined;
  readonly #unheard: ((to: ImageListener) => void)[] = [];
  /** The end of what was written to standard error. */
  #tail = "";

  constructor(options: ImageChildOptions) {
    const { elsewhere, onStarted } = options.plan;
    this.#onStarted = onStarted;
    this.#child = spawnImage(options);
    options.plan.begun(this.#child);
    this.#channel = elsewhere ? standardChannel(this.#child) : (this.#child.stdio[3] as Duplex);
    this.pid = this.#child.pid;
    this.ready = this.#ready.promise;
    this.#readFrames();
    this.send({ t: "hello", token: this.#token });
    this.#readStreams(elsewhere ? ["stderr"] : ["stdout", "stderr"]);
    this.gone = this.#untilGone();
    this.#limitStart();
  }

  /** False as soon as its end of the channel is closed, which is heard before its end. */
  get isOpen(): boolean {
    return this.#channel.readable && this.#channel.writable;
  }

  send(frame: ToImage): void {
    if (this.#channel.writable) this.#channel.write(encodeFrame(frame));
  }

  /** To be called once. Frames and texts that came before the call are passed on now. */
  listen(to: ImageListener): void {
    this.#listener = to;
    for (const what of this.#unheard.splice(0)) what(to);
  }

  kill(): void {
    killWithGroup(this.#child);
  }

  #readFrames(): void {
    const kill = (): void => this.kill();
    this.#channel.on(
      "data",
      createFrameReader((raw) => this.#take(raw as FromImage & { token?: unknown }), kill),
    );
    // Nobody can talk to a process whose channel is broken or closed, so the process is ended.
    this.#channel.on("error", kill).on("close", kill);
  }

  #take(frame: FromImage & { token?: unknown }): void {
    if (frame.token !== this.#token) return;
    if (frame.t === "ready") {
      this.#onStarted();
      this.#ready.resolve({});
    } else if (frame.t === "refused") this.#ready.resolve({ refused: frame.reason });
    else this.#tell(({ onFrame }) => onFrame(frame));
  }

  #readStreams(streams: readonly ("stdout" | "stderr")[]): void {
    for (const stream of streams) {
      this.#child[stream]?.setEncoding("utf8").on("data", (text: string) => {
        if (stream === "stderr") this.#tail = (this.#tail + text).slice(-TAIL);
        this.#tell(({ onRaw }) => onRaw(stream, text));
      });
    }
  }

  #tell(what: (to: ImageListener) => void): void {
    if (this.#listener === undefined) this.#unheard.push(what);
    else what(this.#listener);
  }

  #untilGone(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const child = this.#child;
    child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    child.once("close", (code, signal) => resolve(howItEnded(code, signal, this.#tail)));
    child.once("exit", (code, signal) => {
      // Processes that the image started must not outlive it; one that left the image's group may still hold its
      // output.
      killWithGroup(child);
      const giveUp = (): void => {
        // A wall that is killed while it is being made may already have started an image: the image ends itself when
        // its channel closes.
        this.#channel.destroy();
        resolve(howItEnded(code, signal, this.#tail));
      };
      setTimeout(giveUp, LAST_WORDS_MS).unref();
    });
    return promise;
  }

  #limitStart(): void {
    const patience = setTimeout(() => {
      this.#ready.resolve({ refused: `it did not start within ${START_LIMIT_MS / 1000} s` });
      this.kill();
    }, START_LIMIT_MS);
    void this.ready.then(() => clearTimeout(patience));
    void this.gone.then((reason) => this.#ready.resolve({ refused: reason }));
  }
}

function spawnImage({ projectRoot, plan, heapLimitMb }: ImageChildOptions): ChildProcess {
  const { limited, elsewhere, flags, env } = plan;
  const config: BootConfig = { projectRoot, elsewhere, ...given({ limited }) };
  const boot = join(CHILD_FOLDER, `boot${THREAD_EXTENSION}`);
  const [program, ...args] = plan.line([...flags, ...heapFlags(heapLimitMb), boot, JSON.stringify(config)]);
  return spawn(program, args, {
    cwd: projectRoot,
    env,
    stdio: elsewhere ? ["pipe", "pipe", "pipe"] : ["ignore", "pipe", "pipe", "pipe", ...plan.stdio],
    // The image has a process group of its own: signals to that group reach neither the server nor the editor.
    detached: process.platform !== "win32",
  });
}

/**
 * The memory watch collects garbage when four fifths of the heap are full. V8 would end the process after four such
 * collections in a row that free little, although the evaluation that fills the heap can still be stopped.
 */
const COLLECT_IN_PEACE = "--no-detect-ineffective-gcs-near-heap-limit";

/**
 * A small heap gets a small young generation: Node's own is up to 192 MB, and nothing can be stopped while V8 empties
 * it.
 */
function heapFlags(limitMb: number | undefined): string[] {
  if (limitMb === undefined) return [COLLECT_IN_PEACE];
  const nursery = Math.max(1, Math.ceil(limitMb / 32));
  const nurseryFlags = nursery > 16 ? [] : [`--max-semi-space-size=${nursery}`];
  return [COLLECT_IN_PEACE, `--max-old-space-size=${limitMb}`, ...nurseryFlags];
}

const NATIVE_FRAME = /^\d+: +0x/;

/** The output of a wall that cannot be made. */
const WALL_FAILED = /^bwrap: |the wall could not be made/;

function howItEnded(code: number | null, by: NodeJS.Signals | null, tail: string): string {
  if (/heap out of memory|Allocation failed/i.test(tail)) return "it ran out of memory";
  const signal = by ?? signalIn(code);
  const how = signal === undefined ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
  const line = tail
    .split("\n")
    .map((text) => text.replace(/^[\s#]+/, "").trim())
    .findLast((text) => (/error|fatal|assert/i.test(text) && !NATIVE_FRAME.test(text)) || WALL_FAILED.test(text));
  return line === undefined ? how : `${how} (${line.slice(0, 200)})`;
}

/** A wall or a shell reports a signal as an exit code above 128. */
function signalIn(code: number | null): string | undefined {
  if (code === null || code <= 128) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
}

function standardChannel({ stdin, stdout }: ChildProcess): Duplex {
  if (stdin === null || stdout === null) throw new Error("the command has no standard input and output");
  return Duplex.from({ readable: stdout, writable: stdin });
}
