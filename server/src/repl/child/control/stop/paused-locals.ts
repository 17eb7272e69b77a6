/** The variables of a paused frame: those of its function, and of the blocks around the place. */
import { inKernel } from "../../wire/kernel-call.ts";
import type { Debugger, Runtime } from "node:inspector";
import type { Post } from "../inspector/inspector-post.ts";
import type { BusyFrame } from "../../wire/busy-frame.ts";
import { withTimeLimit } from "../inspector/time-limit.ts";

const ANSWER_MS = 500;
const LOOP_WITH_VARIABLES = /for\s*(?:await\s*)?\(\s*(?:let|const|var|using|await)\b/y;

type Frames = readonly Debugger.CallFrame[];

/** The kernel prints them without running any of the user's code. */
export async function localsOf(post: Post, frame: Debugger.CallFrame): Promise<BusyFrame["locals"]> {
  const objects = ownScopes(frame).flatMap(({ object }) =>
    object.objectId === undefined ? [] : [{ objectId: object.objectId }],
  );
  const [self] = objects;
  if (self === undefined) return undefined;
  const reply = await withTimeLimit(
    ANSWER_MS,
    post<Runtime.CallFunctionOnReturnType>("Runtime.callFunctionOn", {
      functionDeclaration: `function(...scopes){return ${inKernel("locals")}(scopes)}`,
      objectId: self.objectId,
      arguments: objects,
      returnByValue: true,
      silent: true,
    }),
  );
  const text = reply?.result?.exceptionDetails === undefined ? (reply?.result?.result.value as unknown) : undefined;
  return typeof text === "string" ? (JSON.parse(text) as BusyFrame["locals"]) : undefined;
}

/**
 * The innermost scope comes first. Top-level code has blocks and no function. A `with` scope is left out, because it
 * shows an object of the user's.
 */
function ownScopes({ scopeChain }: Debugger.CallFrame): readonly Debugger.Scope[] {
  const end = scopeChain.findIndex(({ type }) => type !== "block" && type !== "catch" && type !== "with");
  const last = scopeChain[end]?.type === "local" ? end + 1 : end;
  return scopeChain.slice(0, last).filter(({ type }) => type !== "with");
}

/**
 * Between two rounds of a loop, V8 pauses before the loop's variables exist and shows none of them; one step later it
 * shows them. Answers the frame after that step, or undefined where a step would show nothing more. `step` answers
 * undefined when the main thread did not pause again. Frames from before the step are invalid afterwards.
 */
export async function intoTheLoop(
  post: Post,
  frames: Frames,
  step: () => Promise<Frames | undefined>,
): Promise<Debugger.CallFrame | undefined> {
  const [top] = frames;
  if (top === undefined || !(await isBeforeVariables(post, top))) return undefined;
  const reached = await step();
  const [at] = reached ?? [];
  const isSame = reached?.length === frames.length && isSamePlace(at?.functionLocation, top.functionLocation);
  return isSame && at?.location.scriptId === top.location.scriptId ? at : undefined;
}

async function isBeforeVariables(post: Post, { location }: Debugger.CallFrame): Promise<boolean> {
  const params = { scriptId: location.scriptId };
  const reply = await withTimeLimit(
    ANSWER_MS,
    post<Debugger.GetScriptSourceReturnType>("Debugger.getScriptSource", params),
  );
  const source = reply?.result?.scriptSource ?? "";
  let start = 0;
  for (let line = 0; line < location.lineNumber; line++) {
    start = source.indexOf("\n", start) + 1;
    if (start === 0) return false;
  }
  LOOP_WITH_VARIABLES.lastIndex = start + (location.columnNumber ?? 0);
  return LOOP_WITH_VARIABLES.test(source);
}

function isSamePlace(a: Debugger.Location | undefined, b: Debugger.Location | undefined): boolean {
  return a?.lineNumber === b?.lineNumber && a?.columnNumber === b?.columnNumber;
}
