/** The paused main thread: whose code it runs, where it is, and how it continues or ends. */
import type { Debugger, Runtime } from "node:inspector";
import { OWN_FOLDER } from "../../shared/own-folder.ts";
import type { BusyFrame } from "../../wire/busy-frame.ts";
import { kernelCall } from "../../wire/kernel-call.ts";
import type { Post } from "../inspector/inspector-post.ts";
import { withTimeLimit } from "../inspector/time-limit.ts";
import { intoTheLoop, localsOf } from "./paused-locals.ts";

const MAX_FRAMES = 8;
const ANSWER_MS = 500;

export interface PausedParts {
  readonly post: Post;
  /** The innermost frame comes first. */
  readonly frames: readonly Debugger.CallFrame[];
  /** The URL of a frame's script. */
  readonly urlOf: (frame: Debugger.CallFrame) => string;
  /** Runs one statement; undefined when the main thread did not pause again. */
  readonly step: () => Promise<readonly Debugger.CallFrame[] | undefined>;
}

export class PausedMain {
  readonly #parts: PausedParts;

  constructor(parts: PausedParts) {
    this.#parts = parts;
  }

  /** The evaluation whose code was running; 0 when it is not known. */
  async owner(): Promise<number> {
    const params = { expression: kernelCall("owner"), returnByValue: true, silent: true };
    const reply = await withTimeLimit(
      ANSWER_MS,
      this.#parts.post<Runtime.EvaluateReturnType>("Runtime.evaluate", params),
    );
    const owner = reply?.result?.result.value as unknown;
    return typeof owner === "number" ? owner : 0;
  }

  /**
   * The innermost frames; the first one of the project's has its local variables. The code may run one step to show the
   * variables of a loop: ask for the owner again afterwards.
   */
  async frames(): Promise<readonly BusyFrame[]> {
    const { post, frames, urlOf, step } = this.#parts;
    const shown = frames.slice(0, MAX_FRAMES);
    const first = shown.findIndex((frame) => isOfTheProject(urlOf(frame)));
    let locals = first === -1 ? undefined : await localsOf(post, shown[first] as Debugger.CallFrame);
    const inside = first === 0 ? await intoTheLoop(post, frames, step) : undefined;
    if (inside !== undefined) locals = (await localsOf(post, inside)) ?? locals;
    return shown.map((frame, index) => ({
      function: frame.functionName,
      url: urlOf(frame),
      line: frame.location.lineNumber,
      column: frame.location.columnNumber ?? 0,
      ...(index === first && locals !== undefined ? { locals } : {}),
    }));
  }

  resume(): void {
    void this.#parts.post("Debugger.resume");
  }

  /** Ends exactly the paused code, and nothing after it. */
  async terminate(): Promise<void> {
    const params = { expression: kernelCall("leave"), silent: true };
    await withTimeLimit(ANSWER_MS, this.#parts.post("Runtime.evaluate", params));
    void this.#parts.post("Debugger.resume", { terminateOnResume: true });
  }
}

function isOfTheProject(url: string): boolean {
  return url.startsWith("repl:") || (url.startsWith("file:") && !url.startsWith(OWN_FOLDER));
}
