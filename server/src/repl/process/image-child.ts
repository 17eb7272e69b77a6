/** One process of the image: started, spoken to on file descriptor 3, and ended. It is never restarted in place. */
import { randomBytes } from "node:crypto";
import { Duplex } from "node:stream";
import { join } from "node:path";
import { killWithGroup, spawn, type ChildProcess } from "../../process/spawn.ts";
import type { LaunchPlan } from "../confinement/confinement.ts";
import { CHILD_FOLDER, THREAD_EXTENSION } from "../child-folder.ts";
import { createFrameReader, encodeFrame } from "../child/wire/frames.ts";
import type { FromImage, ToImage } from "../child/wire/wire.ts";

export interface ImageChildOptions {
  readonly projectRoot: string;
  readonly confined: boolean;
  readonly plan: LaunchPlan;
  /** How large the heap may become, in megabytes, before the process ends; by default what Node thinks right. */
  readonly heapLimitMb?: number;
}

export interface ImageListener {
  readonly onFrame: (frame: FromImage) => void;
  /** Text written past the image's own streams, by native code or a child process. */
  readonly onRaw: (stream: "stdout" | "stderr", text: string) => void;
}

export interface ImageChild {
  readonly pid: number | undefined;
  /** Settles when user code may run, or with the reason why it never will. */
  readonly ready: Promise<{ readonly refused?: string }>;
  /** Settles with a sentence when the process is gone. */
  readonly gone: Promise<string>;
  readonly send: (frame: ToImage) => void;
  /** To be called once; what came before is heard then. */
  readonly listen: (listener: ImageListener) => void;
  readonly kill: () => void;
}

const START_LIMIT_MS = 20_000;
/** What Node says of its end comes before a list of native frames that is thousands of characters long. */
const TAIL = 16_000;
const LAST_WORDS_MS = 500;

export function startImageChild(options: ImageChildOptions): ImageChild {
  const config = JSON.stringify({
    confined: options.confined,
    projectRoot: options.projectRoot,
    aliases: options.plan.aliases,
    elsewhere: options.plan.elsewhere,
  });
  const heap = heapFlags(options.heapLimitMb);
  const boot = join(CHILD_FOLDER, `boot${THREAD_EXTENSION}`);
  const [program, ...args] = options.plan.line([...options.plan.flags, ...heap, boot, config]);
  const child = spawn(program, args, {
    cwd: options.projectRoot,
    env: options.plan.env,
    stdio: options.plan.elsewhere ? ["pipe", "pipe", "pipe"] : ["ignore", "pipe", "pipe", "pipe"],
    // A group of its own: what the image sends to its group reaches neither the server nor the editor.
    detached: process.platform !== "win32",
  });
  const kill = (): void => killWithGroup(child);
  const channel = options.plan.elsewhere ? standardChannel(child) : (child.stdio[3] as Duplex);
  // User code can write to the channel, but it cannot know the token, which is read before any of it runs.
  const token = randomBytes(16).toString("hex");
  let settleReady: (answer: { refused?: string }) => void = () => {};
  const ready = new Promise<{ refused?: string }>((resolve) => {
    settleReady = resolve;
  });
  const patience = setTimeout(() => {
    settleReady({ refused: `it did not start within ${START_LIMIT_MS / 1000} s` });
    kill();
  }, START_LIMIT_MS);

  let listener: ImageListener | undefined;
  const unheard: ((to: ImageListener) => void)[] = [];
  const tell = (what: (to: ImageListener) => void): void => {
    if (listener === undefined) unheard.push(what);
    else what(listener);
  };
  const read = createFrameReader((raw) => {
    const frame = raw as FromImage & { token?: unknown };
    if (frame.token !== token) return;
    if (frame.t === "ready") {
      options.plan.onStarted();
      settleReady({});
    } else if (frame.t === "refused") settleReady({ refused: frame.reason });
    else tell(({ onFrame }) => onFrame(frame));
  }, kill);
  channel.on("data", read);
  // A broken or closed channel leaves a process that nobody can talk to.
  channel.on("error", kill).on("close", kill);
  const send = (frame: ToImage): void => {
    if (channel.writable) channel.write(encodeFrame(frame));
  };
  send({ t: "hello", token });

  let tail = "";
  for (const stream of options.plan.elsewhere ? (["stderr"] as const) : (["stdout", "stderr"] as const)) {
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      if (stream === "stderr") tail = (tail + text).slice(-TAIL);
      tell(({ onRaw }) => onRaw(stream, text));
    });
  }
  const gone = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    child.once("close", (code, signal) => resolve(howItEnded(code, signal, tail)));
    child.once("exit", (code, signal) => {
      // What it started must not outlive it; what took itself out of its group may still hold its output.
      killWithGroup(child);
      setTimeout(() => resolve(howItEnded(code, signal, tail)), LAST_WORDS_MS).unref();
    });
  });
  void gone.then((reason) => {
    clearTimeout(patience);
    settleReady({ refused: reason });
  });
  void ready.then(() => clearTimeout(patience));

  return {
    pid: child.pid,
    ready,
    gone,
    send,
    listen: (to) => {
      listener = to;
      for (const what of unheard.splice(0)) what(to);
    },
    kill,
  };
}

/**
 * The watch on the memory collects when four fifths of the heap are full; four such collections in a row that free little
 * would be V8's reason to end the process, though there is room left to stop what eats it.
 */
const COLLECT_IN_PEACE = "--no-detect-ineffective-gcs-near-heap-limit";

/** A small heap gets a small nursery: Node's own is up to 192 MB, and nothing can be stopped while it is emptied. */
function heapFlags(limitMb: number | undefined): string[] {
  if (limitMb === undefined) return [COLLECT_IN_PEACE];
  const nursery = Math.max(1, Math.ceil(limitMb / 32));
  const nurseryFlags = nursery > 16 ? [] : [`--max-semi-space-size=${nursery}`];
  return [COLLECT_IN_PEACE, `--max-old-space-size=${limitMb}`, ...nurseryFlags];
}

const NATIVE_FRAME = /^\d+: +0x/;

function howItEnded(code: number | null, signal: NodeJS.Signals | null, tail: string): string {
  if (/heap out of memory|Allocation failed/i.test(tail)) return "it ran out of memory";
  const how = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
  const line = tail
    .split("\n")
    .map((text) => text.replace(/^[\s#]+/, "").trim())
    .findLast((text) => /error|fatal|assert/i.test(text) && !NATIVE_FRAME.test(text));
  return line === undefined ? how : `${how} (${line.slice(0, 200)})`;
}

function standardChannel({ stdin, stdout }: ChildProcess): Duplex {
  if (stdin === null || stdout === null) throw new Error("the command has no standard input and output");
  return Duplex.from({ readable: stdout, writable: stdin });
}
