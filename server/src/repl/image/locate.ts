/** Finds out where a busy main thread is, without stopping it for good. */
import type { Debugger, Session } from "node:inspector";
import type { Post } from "./controller.ts";
import type { BusyFrame } from "./wire.ts";

const LIMIT_MS = 800;
const MAX_FRAMES = 8;

type Paused = { readonly params: Debugger.PausedEventDataType };
type Parsed = { readonly params: Debugger.ScriptParsedEventDataType };

/** Answers the innermost frames, or undefined when the main thread did not pause in time (native code). */
export async function locateMain(session: Session, post: Post): Promise<readonly BusyFrame[] | undefined> {
  // A frame of evaluated code does not name its script; the list that `enable` sends does.
  const urls = new Map<string, string>();
  const onParsed = ({ params }: Parsed): void => void urls.set(params.scriptId, params.url);
  session.on("Debugger.scriptParsed", onParsed);
  let onPaused: (message: Paused) => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  const paused = new Promise<readonly Debugger.CallFrame[] | undefined>((resolve) => {
    onPaused = ({ params }) => resolve(params.callFrames);
    timer = setTimeout(() => resolve(undefined), LIMIT_MS);
    session.on("Debugger.paused", onPaused);
  });
  await Promise.race([post("Debugger.enable"), paused]);
  void post("Debugger.pause");
  const frames = await paused;
  clearTimeout(timer);
  session.off("Debugger.paused", onPaused).off("Debugger.scriptParsed", onParsed);
  // Not awaited: a main thread in native code answers only when it comes back.
  void post("Debugger.resume");
  void post("Debugger.disable");
  return frames?.slice(0, MAX_FRAMES).map((frame) => ({
    function: frame.functionName,
    url: urls.get(frame.location.scriptId) ?? frame.url,
    line: frame.location.lineNumber,
    column: frame.location.columnNumber ?? 0,
  }));
}
