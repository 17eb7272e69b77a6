/** Holds a busy main thread still for a moment: where is it, whose code is it, and shall it go on? */
import type { Debugger, Runtime, Session } from "node:inspector";
import type { Post } from "../inspector/inspector-post.ts";
import { intoTheLoop, localsOf } from "./paused-locals.ts";
import type { BusyFrame } from "../../wire/busy-frame.ts";
import { within } from "../inspector/time-limit.ts";
import { OWN_FOLDER } from "../../shared/own-folder.ts";

export interface Pauses {
  /**
   * `idle`: it runs nothing just now. `silent`: it answers nothing, as in native code; a thread that is known to answer
   * is waited for longer.
   */
  readonly pause: (isAnswering: boolean) => Promise<PausedMain | "idle" | "silent">;
  /** Must be called once the main thread runs freely, and only then: it ends the debugger's part. */
  readonly end: () => void;
}

export interface PausedMain {
  /** The evaluation whose code was running; 0 when none is known. */
  readonly owner: () => Promise<number>;
  /**
   * The innermost frames, the first of the user's with its local variables. To see those of a loop the code may go on by
   * one step: who goes on is to be asked again afterwards.
   */
  readonly frames: () => Promise<readonly BusyFrame[]>;
  /** Lets it go on, or ends what it is doing: exactly the code that was paused, and nothing that comes after. */
  readonly resume: (how: "goOn" | "terminate") => void;
}

const MAX_FRAMES = 8;
const ANSWER_MS = 500;
/** Listing the scripts of a large project takes tens of milliseconds, and the machine may have much else to do. */
const PATIENCE_MS = { enable: 1500, pause: 400 };
/** In a loop that goes round the next statement comes at once. */
const STEP_MS = 50;
const IMPATIENCE_MS = { enable: 150, pause: 60 };
type PausedEvent = { readonly params: Debugger.PausedEventDataType };
type ParsedEvent = { readonly params: Debugger.ScriptParsedEventDataType };

export function startPauses(session: Session, post: Post): Pauses {
  // A frame of evaluated code does not name its script; the list that `enable` sends does.
  const urls = new Map<string, string>();
  let hand: ((frames: readonly Debugger.CallFrame[]) => void) | undefined;
  const onParsed = ({ params }: ParsedEvent): void => void urls.set(params.scriptId, params.url);
  const onPaused = ({ params }: PausedEvent): void => {
    // A pause that comes late, when nobody waits for it any more, must not hold anything up.
    if (hand === undefined) void post("Debugger.resume");
    else hand(params.callFrames);
    hand = undefined;
  };
  let enabled = false;
  let listening = false;
  const enable = async (limitMs: number): Promise<boolean> => {
    if (enabled) return true;
    enabled = true;
    if (!listening) session.on("Debugger.scriptParsed", onParsed).on("Debugger.paused", onPaused);
    listening = true;
    return (await within(limitMs, post("Debugger.enable"))) !== undefined;
  };
  const end = (): void => {
    if (!enabled) return;
    enabled = false;
    // Not awaited: a main thread in native code answers only when it comes back.
    void post("Debugger.disable").then(() => {
      if (enabled) return;
      session.off("Debugger.scriptParsed", onParsed).off("Debugger.paused", onPaused);
      listening = false;
    });
  };

  const nextPause = (): Promise<readonly Debugger.CallFrame[]> => {
    const { promise, resolve } = Promise.withResolvers<readonly Debugger.CallFrame[]>();
    hand = resolve;
    return promise;
  };

  /** Undefined when it did not pause again: nothing is wanted of it any more then. */
  const step = async (): Promise<readonly Debugger.CallFrame[] | undefined> => {
    const paused = nextPause();
    void post("Debugger.stepOver");
    const reached = await within(STEP_MS, paused);
    if (reached !== undefined) return reached;
    void post("Debugger.pause");
    const late = await within(PATIENCE_MS.pause, paused);
    if (late !== undefined) return late;
    hand = undefined;
    end();
    return undefined;
  };

  const toPaused = (frames: readonly Debugger.CallFrame[]): PausedMain => {
    const urlOf = (frame: Debugger.CallFrame): string => urls.get(frame.location.scriptId) ?? frame.url;
    return {
      owner: async () => {
        const params = { expression: "__agentq.owner()", returnByValue: true, silent: true };
        const reply = await within(ANSWER_MS, post<Runtime.EvaluateReturnType>("Runtime.evaluate", params));
        const owner = reply?.result?.result.value as unknown;
        return typeof owner === "number" ? owner : 0;
      },
      frames: async () => {
        const shown = frames.slice(0, MAX_FRAMES);
        const first = shown.findIndex((frame) => isOfTheUser(urlOf(frame)));
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
      },
      resume: (how) => void post("Debugger.resume", { terminateOnResume: how === "terminate" }),
    };
  };

  return {
    pause: async (isAnswering) => {
      const limits = isAnswering ? PATIENCE_MS : IMPATIENCE_MS;
      if (!(await enable(limits.enable))) {
        end();
        return "silent";
      }
      const paused = nextPause();
      void post("Debugger.pause");
      const frames = await within(limits.pause, paused);
      if (frames !== undefined) return toPaused(frames);
      // An idle main thread runs nothing that could pause; this it does. What stands in it must not be ended: in a busy
      // thread that would end this and nothing else.
      void post("Runtime.evaluate", { expression: "0", silent: true });
      if ((await within(limits.pause, paused)) !== undefined) {
        void post("Debugger.resume");
        return "idle";
      }
      hand = undefined;
      // A pause that is still wanted would hit whatever runs next: ending the debugger takes the wish back.
      end();
      return "silent";
    },
    end,
  };
}

function isOfTheUser(url: string): boolean {
  return url.startsWith("repl:") || (url.startsWith("file:") && !url.startsWith(OWN_FOLDER));
}
