/**
 * The road into a module that was loaded without an evaluator of its own, as every dependency is. One of its functions
 * is called with a breakpoint on its first step; there, inside of its scope, an evaluator is made and registered, and the
 * call is ended before it does anything.
 */
import type { Debugger, Runtime, Session } from "node:inspector";
import { types } from "node:util";
import { captured, shieldedMap, uncurried } from "./captured.ts";
import { keptImmediate } from "./immediates.ts";
import type { Controller } from "../control/controller.ts";

export interface ScopeEntry {
  /** False when no function of the module could be entered. */
  readonly enter: (url: string, namespace: object) => Promise<boolean>;
  /** For the control worker: how many functions there are to try, one of them, and the call of it. */
  readonly entries: (question: number) => number;
  readonly entry: (question: number, index: number) => unknown;
  readonly callEntry: (question: number, index: number) => void;
  /** The program itself came by first: the call is not needed. */
  readonly dropCall: () => void;
  readonly entered: (question: number, isOpen: boolean) => void;
  /** Whether somebody waits for an evaluator of that module. */
  readonly isWanted: (url: string) => boolean;
}

const MAX_ENTRIES = 12;
const PATIENCE_MS = 15_000;
const PAUSE_MS = 400;
const { ownKeys, apply, construct } = Reflect;
const { getOwnPropertyDescriptor } = captured;
/** The name tells the frame of our own call from those of the program. */
const CALLER = "agentqEntersScope";

export function createScopeEntry(post: (message: { t: "enter"; question: number; url: string }) => void): ScopeEntry {
  type Question = {
    readonly url: string;
    readonly entries: readonly Callable[];
    readonly answer: (isOpen: boolean) => void;
  };
  const open = shieldedMap<number, Question>();
  let questions = 0;
  let isDropped = false;
  const entered: ScopeEntry["entered"] = (question, isOpen) => {
    const asked = open.get(question);
    open.delete(question);
    asked?.answer(isOpen);
  };
  const isWanted: ScopeEntry["isWanted"] = (url) => {
    let isOpen = false;
    open.forEach((question) => {
      isOpen ||= question.url === url;
    });
    return isOpen;
  };
  return {
    entered,
    isWanted,
    entries: (question) => open.get(question)?.entries.length ?? 0,
    entry: (question, index) => open.get(question)?.entries[index],
    dropCall: () => {
      isDropped = true;
    },
    callEntry: (question, index) => {
      const target = open.get(question)?.entries[index];
      isDropped = false;
      // A turn of its own: what is ended there takes no other work with it.
      const agentqEntersScope = (): void => {
        if (target === undefined || isDropped) return;
        try {
          if (uncurried.startsWith(uncurried.functionText(target), "class")) construct(target, []);
          else apply(target, undefined, []);
        } catch {
          // It was not entered: the next one is tried.
        }
      };
      keptImmediate(agentqEntersScope);
    },
    enter: (url, namespace) => {
      const question = ++questions;
      return new captured.Promise<boolean>((resolve) => {
        const timer = captured.setTimeout(() => entered(question, false), PATIENCE_MS);
        const answer = (isOpen: boolean): void => {
          captured.clearTimeout(timer);
          resolve(isOpen);
        };
        open.set(question, { url, entries: functionsOf(namespace), answer });
        post({ t: "enter", question, url });
      });
    },
  };
}

type Callable = (...args: never[]) => unknown;

/** Exported functions and the methods of exported classes; those whose parameters run no code come first. */
function functionsOf(namespace: object): Callable[] {
  const simple: Callable[] = [];
  const others: Callable[] = [];
  const add = (value: unknown, depth: number): void => {
    if (types.isProxy(value) || value === null) return;
    if (typeof value === "function") {
      const text = uncurried.functionText(value);
      const isNative = /\{\s*\[native code\]\s*\}\s*$/.test(text);
      if (isNative || simple.includes(value as Callable) || others.includes(value as Callable)) return;
      const head = text.slice(0, text.indexOf("{") + 1);
      const isPlain = !uncurried.startsWith(text, "class") && !/^(?:async\s+)?(?:function\s*)?\*/.test(text);
      (isPlain && !/=(?!>)/.test(head) ? simple : others).push(value as Callable);
      const prototype = getOwnPropertyDescriptor(value, "prototype")?.value as unknown;
      if (depth < 2 && typeof prototype === "object") addAll(prototype, depth + 1);
    } else if (typeof value === "object" && depth < 2) addAll(value, depth + 1);
  };
  const addAll = (value: object | null, depth: number): void => {
    if (value === null) return;
    for (const key of ownKeys(value)) {
      if (key !== "constructor") add(getOwnPropertyDescriptor(value, key)?.value, depth);
    }
  };
  addAll(namespace, 0);
  return [...simple, ...others].slice(0, MAX_ENTRIES);
}

/** The control worker's part. */
export async function enterScope(
  session: Session,
  { post, isStopping }: Pick<Controller, "post" | "isStopping">,
  question: number,
  url: string,
): Promise<void> {
  const evaluate = async (expression: string, more: object = {}): Promise<Runtime.RemoteObject | undefined> =>
    (await post<Runtime.EvaluateReturnType>("Runtime.evaluate", { expression, ...more })).result?.result;
  const objectGroup = `agentq-enter-${question}`;
  let isOpen = false;
  // A frame names its script by a number only; to be told which that is, one has to enable the debugger.
  const scripts = new Map<string, string>();
  const parsed = ({ params }: { params: Debugger.ScriptParsedEventDataType }): void => {
    scripts.set(params.scriptId, params.url);
  };
  session.on("Debugger.scriptParsed", parsed);
  await post("Debugger.enable");
  const count = Number((await evaluate(`__agentq.entries(${question})`, { returnByValue: true }))?.value ?? 0);
  for (let index = 0; index < count && !isOpen && !isStopping(); index++) {
    const target = await evaluate(`__agentq.entry(${question},${index})`, { objectGroup });
    const { result } = await post<Debugger.SetBreakpointReturnType>("Debugger.setBreakpointOnFunctionCall", {
      objectId: target?.objectId,
    });
    if (result === undefined) continue;
    const paused = nextPause(session);
    await evaluate(`__agentq.callEntry(${question},${index})`);
    isOpen = await registerAt(await paused, post, { url, scripts });
    await post("Debugger.removeBreakpoint", { breakpointId: result.breakpointId });
  }
  await post("Debugger.disable");
  session.off("Debugger.scriptParsed", parsed);
  await post("Runtime.releaseObjectGroup", { objectGroup });
  await evaluate(`__agentq.entered(${question},${isOpen})`);
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

/** Only our own call is ended; a call of the program's goes on where it was. */
async function registerAt(
  event: Debugger.PausedEventDataType | undefined,
  post: Controller["post"],
  { url, scripts }: { readonly url: string; readonly scripts: ReadonlyMap<string, string> },
): Promise<boolean> {
  const [frame, caller] = event?.callFrames ?? [];
  if (frame === undefined) return false;
  const where = JSON.stringify(url);
  const isOurs = caller?.functionName === CALLER;
  const isThere = fileOf(scripts.get(frame.location.scriptId) ?? "") === fileOf(url);
  let isOpen = false;
  if (isThere) {
    const expression = `__agentq.regOutside(${where},__agentq$=>eval(__agentq$))${isOurs ? "" : ";__agentq.dropCall()"};true`;
    const params = { callFrameId: frame.callFrameId, expression, silent: true, returnByValue: true };
    const reply = await post<Debugger.EvaluateOnCallFrameReturnType>("Debugger.evaluateOnCallFrame", params);
    isOpen = reply.result?.result.value === true;
  }
  const ended = isOurs ? post("Runtime.terminateExecution") : undefined;
  await post("Debugger.resume");
  await ended;
  return isOpen;
}

function fileOf(url: string): string {
  return decodeURIComponent(url.replace(/^file:\/\//, "").replace(/[?#].*$/, ""));
}
