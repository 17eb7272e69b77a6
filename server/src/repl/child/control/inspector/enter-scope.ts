/**
 * The control worker's part in entering the scope of a module that was loaded without an evaluator of its own: see
 * `main/modules/scope-entry.ts`.
 */
import { inKernel, kernelCall } from "../../wire/kernel-call.ts";
import type { Debugger, Runtime, Session } from "node:inspector";
import { SCOPE_ENTRY_CALL } from "../../wire/kernel-name.ts";
import type { Inspector, Post } from "./inspector-post.ts";

const PAUSE_MS = 400;

export async function enterScope(
  session: Session,
  { post, isStopping }: Inspector,
  question: number,
  url: string,
): Promise<void> {
  const evaluate = async (expression: string, more: object = {}): Promise<Runtime.RemoteObject | undefined> =>
    (await post<Runtime.EvaluateReturnType>("Runtime.evaluate", { expression, ...more })).result?.result;
  const objectGroup = `agentq-enter-${question}`;
  let isOpen = false;
  // A frame names its script by an id only. An enabled debugger tells the URLs.
  const scripts = new Map<string, string>();
  const parsed = ({ params }: { params: Debugger.ScriptParsedEventDataType }): void => {
    scripts.set(params.scriptId, params.url);
  };
  session.on("Debugger.scriptParsed", parsed);
  await post("Debugger.enable");
  const count = Number((await evaluate(kernelCall("entries", question), { returnByValue: true }))?.value ?? 0);
  for (let index = 0; index < count && !isOpen && !isStopping(); index++) {
    const target = await evaluate(kernelCall("entry", question, index), { objectGroup });
    // A program may call the function at once: its pause and this answer come together.
    const paused = nextPause(session);
    const { result } = await post<Debugger.SetBreakpointReturnType>("Debugger.setBreakpointOnFunctionCall", {
      objectId: target?.objectId,
    });
    if (result === undefined) continue;
    await evaluate(kernelCall("callEntry", question, index));
    isOpen = await registerAt(await paused, post, { url, scripts });
    await post("Debugger.removeBreakpoint", { breakpointId: result.breakpointId });
  }
  await post("Debugger.disable");
  session.off("Debugger.scriptParsed", parsed);
  await post("Runtime.releaseObjectGroup", { objectGroup });
  await evaluate(kernelCall("entered", question, isOpen));
}

function nextPause(session: Session): Promise<Debugger.PausedEventDataType | undefined> {
  return new Promise((resolve) => {
    const heard = ({ params }: { params: Debugger.PausedEventDataType }): void => {
      clearTimeout(timer);
      resolve(params);
    };
    const timer = setTimeout(() => {
      session.off("Debugger.paused", heard);
      resolve(undefined);
    }, PAUSE_MS);
    session.once("Debugger.paused", heard);
  });
}

/** Ends the kernel's own call only; a call of the program continues. */
async function registerAt(
  event: Debugger.PausedEventDataType | undefined,
  post: Post,
  { url, scripts }: { readonly url: string; readonly scripts: ReadonlyMap<string, string> },
): Promise<boolean> {
  const [frame, caller] = event?.callFrames ?? [];
  if (frame === undefined) return false;
  const isOurs = caller?.functionName === SCOPE_ENTRY_CALL;
  const isThere = fileOf(scripts.get(frame.location.scriptId) ?? "") === fileOf(url);
  const evaluateIn = async (expression: string): Promise<unknown> => {
    const params = { callFrameId: frame.callFrameId, expression, silent: true, returnByValue: true };
    const reply = await post<Debugger.EvaluateOnCallFrameReturnType>("Debugger.evaluateOnCallFrame", params);
    return reply.result?.result.value;
  };
  let isOpen = false;
  if (isThere) {
    const register = `${inKernel("regOutside")}(${JSON.stringify(url)},__agentq$=>eval(__agentq$))`;
    const expression = `${register}${isOurs ? "" : `;${kernelCall("dropCall")}`};true`;
    isOpen = (await evaluateIn(expression)) === true;
  }
  // A program runs with checks of Node's that would end the process when a termination leaves an async resource entered.
  if (isOurs) await evaluateIn(kernelCall("leave"));
  const ended = isOurs ? post("Runtime.terminateExecution") : undefined;
  await post("Debugger.resume");
  await ended;
  return isOpen;
}

/** The path of a script's file, without what stands behind `?`. */
export function fileOf(url: string): string {
  return decodeURIComponent(url.replace(/^file:\/\//, "").replace(/[?#].*$/, ""));
}
