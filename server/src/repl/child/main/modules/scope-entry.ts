/**
 * Enters a module that was loaded without an evaluator of its own, as every dependency is. One of the module's
 * functions is called, with a breakpoint at its first step. There, inside of the module's scope, an evaluator is made
 * and registered; the call is ended before it does anything.
 */
import { types } from "node:util";
import { captured, shieldedMap, uncurried } from "../../shared/captured.ts";
import { keptImmediate } from "../../shared/immediates.ts";
import type { SCOPE_ENTRY_CALL } from "../../wire/kernel-name.ts";

export interface ScopeEntry {
  /** False when no function of the module could be entered. */
  readonly enter: (url: string, namespace: object) => Promise<boolean>;
  /** The same by one of the given functions. */
  readonly enterBy: (url: string, entries: readonly Callable[]) => Promise<boolean>;
  /** For the control worker: the number of functions that can be tried, one of them, and a call of it. */
  readonly entries: (question: number) => number;
  readonly entry: (question: number, index: number) => unknown;
  readonly callEntry: (question: number, index: number) => void;
  /** The program itself called the function first, so the kernel's call is not needed. */
  readonly dropCall: () => void;
  readonly entered: (question: number, isOpen: boolean) => void;
  /** Whether a form waits for an evaluator of that module. */
  readonly isWanted: (url: string) => boolean;
}

const MAX_ENTRIES = 12;
const PATIENCE_MS = 15_000;
const { ownKeys, apply, construct } = Reflect;
const { getOwnPropertyDescriptor } = captured;

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
  const enterBy: ScopeEntry["enterBy"] = (url, entries) => {
    const question = ++questions;
    return new captured.Promise<boolean>((resolve) => {
      const timer = captured.setTimeout(() => entered(question, false), PATIENCE_MS);
      const answer = (isOpen: boolean): void => {
        captured.clearTimeout(timer);
        resolve(isOpen);
      };
      open.set(question, { url, entries: simpleFirst(entries), answer });
      post({ t: "enter", question, url });
    });
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
      // The call has a turn of its own, so that its termination ends no other work.
      const call = {
        agentqEntersScope: (): void => {
          if (target === undefined || isDropped) return;
          try {
            if (uncurried.startsWith(uncurried.functionText(target), "class")) construct(target, []);
            else apply(target, undefined, []);
          } catch {
            // The call was not stopped in the function: the next function is tried.
          }
        },
      } satisfies Readonly<Record<typeof SCOPE_ENTRY_CALL, unknown>>;
      keptImmediate(call.agentqEntersScope);
    },
    enter: (url, namespace) => enterBy(url, functionsOf(namespace)),
    enterBy,
  };
}

export type Callable = (...args: never[]) => unknown;

/** Functions whose parameters run no code come first. */
function simpleFirst(functions: readonly Callable[]): Callable[] {
  const isSimple = (entry: Callable): boolean => {
    const text = uncurried.functionText(entry);
    const head = text.slice(0, text.indexOf("{") + 1);
    return (
      !uncurried.startsWith(text, "class") && !/^(?:async\s+)?(?:function\s*)?\*/.test(text) && !/=(?!>)/.test(head)
    );
  };
  const simple = functions.filter(isSimple);
  return [...simple, ...functions.filter((each) => !simple.includes(each))].slice(0, MAX_ENTRIES);
}

/** Exported functions and methods of exported classes. */
function functionsOf(namespace: object): Callable[] {
  const found: Callable[] = [];
  const add = (value: unknown, depth: number): void => {
    if (types.isProxy(value) || value === null) return;
    if (typeof value === "function") {
      const text = uncurried.functionText(value);
      const isNative = /\{\s*\[native code\]\s*\}\s*$/.test(text);
      if (isNative || found.includes(value as Callable)) return;
      found.push(value as Callable);
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
  return found;
}
