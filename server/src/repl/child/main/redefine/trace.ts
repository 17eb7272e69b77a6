/**
 * Traces functions of running modules: each call is told with its arguments, caller, result and time, where the output of
 * the evaluation that caused it is told. A function is traced by an assignment inside its module, so that importers see it.
 */
import { KERNEL_NAME } from "../../wire/kernel-name.ts";
import { types } from "node:util";
import { captured } from "../../shared/captured.ts";
import type { Evaluator } from "../modules/module-scopes.ts";
import { printQuietly } from "../../shared/print/quiet-printer.ts";

export interface Tracing {
  /**
   * `path`: a name of the scope that `evaluator` reaches, and members from there. Says so; throws with a sentence.
   */
  readonly trace: (evaluator: Evaluator, path: readonly string[], address: string) => void;
  /** Takes the trace away again, from all functions without an address, and says what was seen of them. */
  readonly untrace: (address?: string) => void;
  /** Says what is traced, and the latest calls. */
  readonly traces: () => void;
}

interface Trace {
  readonly address: string;
  readonly isCurrent: () => boolean;
  readonly restore: () => void;
  readonly lines: string[];
  calls: number;
  thrown: number;
  totalMs: number;
}

type Callable = (this: unknown, ...args: unknown[]) => unknown;
interface Slot {
  readonly get: () => unknown;
  readonly set: (value: unknown) => void;
}

const MAX_LINES = 60;
/** A function in a hot loop must not bury everything else. */
const MAX_PRINTED = 500;
const MAX_ARGUMENT = 120;
const { now } = performance;
const clock = now.bind(performance);
const { apply, construct, setPrototypeOf } = Reflect;
// oxlint-disable-next-line typescript/unbound-method
const then = Promise.prototype.then;
const { isPromise } = types;

export interface TracePlaces {
  /** Frames of these files are the image's own. */
  readonly ownFolder: string;
  /** Left away at the beginning of shown paths. */
  readonly projectRoot: string;
}

const targets = new WeakMap<object, unknown>();
const [targetOf, rememberTarget] = [targets.get.bind(targets), targets.set.bind(targets)];

/** What a function that is traced was before; undefined for any other value. */
export function untraced(value: unknown): unknown {
  return typeof value === "function" ? targetOf(value) : undefined;
}

/** Calls are written to stderr, what was asked for to stdout. */
export function createTracing(
  places: TracePlaces,
  write: (stream: "stdout" | "stderr", text: string) => void,
): Tracing {
  const traces: Trace[] = [];
  let depth = 0;

  const find = (address: string): Trace | undefined => {
    for (let index = 0; index < traces.length; index++) if (traces[index]?.address === address) return traces[index];
    return undefined;
  };

  const tell = (trace: Trace, line: string): void => {
    trace.lines[trace.lines.length] = line;
    if (trace.lines.length > MAX_LINES) dropFirst(trace.lines);
    if (trace.calls < MAX_PRINTED) write("stderr", `${line}\n`);
    else if (trace.calls === MAX_PRINTED)
      write("stderr", `… ${trace.address} was called ${MAX_PRINTED} times; later calls are only counted\n`);
  };

  const wrap = (trace: Trace, target: Callable): Callable => {
    const traced = function (this: unknown, ...args: unknown[]): unknown {
      trace.calls++;
      const indent = indentation(depth);
      tell(trace, `${indent}→ ${trace.address}(${printAll(args)})${callerOf(places, traced)}`);
      const started = clock();
      const elapsed = (): string => {
        const ms = clock() - started;
        trace.totalMs += ms;
        return `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`;
      };
      depth++;
      try {
        const result: unknown =
          new.target === undefined
            ? apply(target, this, args)
            : (construct(target, args, new.target === traced ? target : new.target) as unknown);
        if (!isPromise(result)) {
          tell(trace, `${indent}← ${trace.address} = ${printQuietly(result, MAX_ARGUMENT)}  (${elapsed()})`);
          return result;
        }
        const settled = (word: string) => (value: unknown) => {
          if (word === "rejected with") trace.thrown++;
          tell(trace, `${indent}← ${trace.address} ${word} ${printQuietly(value, MAX_ARGUMENT)}  (${elapsed()})`);
        };
        void apply(then, result, [settled("resolved to"), settled("rejected with")]);
        return result;
      } catch (error) {
        trace.thrown++;
        tell(trace, `${indent}← ${trace.address} threw ${printQuietly(error, MAX_ARGUMENT)}  (${elapsed()})`);
        throw error;
      } finally {
        depth--;
      }
    };
    setPrototypeOf(traced, target);
    for (const key of ["name", "length", "prototype"]) {
      const own = captured.getOwnPropertyDescriptor(target, key);
      if (own !== undefined) captured.defineProperty(traced, key, own);
    }
    return traced;
  };

  const trace = (evaluator: Evaluator, path: readonly string[], address: string): string => {
    const known = find(address);
    if (known?.isCurrent() === true) return `${address} is traced already.`;
    const slot = slotOf(evaluator, path, address);
    const target = slot.get();
    if (typeof target !== "function")
      throw new captured.Error(`${address} holds ${printQuietly(target)}, not a function.`);
    if (isClass(target)) throw new captured.Error(`${address} is a class: name one of its methods, ${address}.method.`);
    const made: Trace = {
      address,
      isCurrent: () => slot.get() === wrapper,
      restore: () => {
        if (slot.get() === wrapper) slot.set(target);
      },
      lines: [],
      calls: 0,
      thrown: 0,
      totalMs: 0,
    };
    const wrapper = wrap(made, target as Callable);
    rememberTarget(wrapper, target);
    slot.set(wrapper);
    if (known !== undefined) remove(traces, known);
    traces[traces.length] = made;
    return `${address} is traced: its calls are printed by the form that makes them, or whose server or timer does.`;
  };

  const untrace = (address: string | undefined): string => {
    const chosen: Trace[] = [];
    for (let index = 0; index < traces.length; index++) {
      const each = traces[index] as Trace;
      if (address === undefined || each.address === address) chosen[chosen.length] = each;
    }
    const replaced = " It was redefined since: calls of the new one were not counted.";
    if (chosen.length === 0) return address === undefined ? "Nothing is traced." : `${address} is not traced.`;
    let text = "";
    for (let index = 0; index < chosen.length; index++) {
      const each = chosen[index] as Trace;
      const state = each.isCurrent() ? "" : replaced;
      each.restore();
      remove(traces, each);
      text += `${text === "" ? "" : "\n"}${summary(each)}${state} No longer traced.`;
    }
    return text;
  };

  const report = (): string => {
    if (traces.length === 0) return "Nothing is traced.";
    let text = "";
    for (let index = 0; index < traces.length; index++) {
      const each = traces[index] as Trace;
      const state = each.isCurrent() ? "" : " It was redefined since: no longer traced.";
      text += `${text === "" ? "" : "\n\n"}${summary(each)}${state}`;
      for (let line = 0; line < each.lines.length; line++) text += `\n  ${each.lines[line]}`;
    }
    return text;
  };

  return {
    trace: (evaluator, path, address) => write("stdout", trace(evaluator, path, address)),
    untrace: (address) => write("stdout", untrace(address)),
    traces: () => write("stdout", report()),
  };
}

function summary({ address, calls, thrown, totalMs }: Trace): string {
  const failed = thrown === 0 ? "" : `, ${thrown} of them failed`;
  const mean = calls === 0 ? "" : `, ${(totalMs / calls).toFixed(2)} ms each`;
  return `${address}: ${calls} ${calls === 1 ? "call" : "calls"}${failed}${mean}.`;
}

/** Where the function is kept: a binding of the module, or a property of what it holds. */
function slotOf(evaluator: Evaluator, path: readonly string[], address: string): Slot {
  const [name = "", ...members] = path;
  const read = evaluator(`()=>${name}`) as () => unknown;
  if (members.length === 0) return { get: read, set: evaluator(`v=>{${name}=v}`) as Slot["set"] };
  let owner: unknown = read();
  for (let index = 0; index < members.length; index++) {
    const member = members[index] as string;
    const holder = holderOf(owner, member);
    const own = holder === undefined ? undefined : captured.getOwnPropertyDescriptor(holder, member);
    if (holder === undefined || own === undefined)
      throw new captured.Error(`${address}: there is no ${member} at run time.`);
    if (own.get !== undefined || own.set !== undefined) {
      throw new captured.Error(`${address}: ${member} is a getter or setter, which cannot be traced.`);
    }
    if (index < members.length - 1) {
      owner = own.value;
      continue;
    }
    if (own.writable !== true && own.configurable !== true) {
      throw new captured.Error(`${address}: ${member} cannot be replaced (it is frozen).`);
    }
    return {
      get: () => captured.getOwnPropertyDescriptor(holder, member)?.value as unknown,
      set: (value) => void captured.defineProperty(holder, member, { ...own, value }),
    };
  }
  throw new captured.Error(`${address} names nothing.`);
}

/** The value itself where it has the member, else the prototype of a class that has it. */
function holderOf(value: unknown, member: string): object | undefined {
  if (typeof value !== "function" && (typeof value !== "object" || value === null)) return undefined;
  if (captured.getOwnPropertyDescriptor(value, member) !== undefined) return value;
  const prototype =
    typeof value === "function" ? captured.getOwnPropertyDescriptor(value, "prototype")?.value : undefined;
  const isOwn = typeof prototype === "object" && prototype !== null;
  return isOwn && captured.getOwnPropertyDescriptor(prototype as object, member) !== undefined
    ? (prototype as object)
    : undefined;
}

function isClass(value: unknown): boolean {
  // A class has a prototype that cannot be written to; a function's can.
  return captured.getOwnPropertyDescriptor(value, "prototype")?.writable === false;
}

function printAll(args: readonly unknown[]): string {
  let text = "";
  for (let index = 0; index < args.length; index++) {
    text += `${index === 0 ? "" : ", "}${printQuietly(args[index], MAX_ARGUMENT)}`;
  }
  return text;
}

/**
 * The innermost frame that is neither the image's nor Node's own. The stack begins below `traced`: where the image is
 * built, its frames are shown in the files that it was built from, which no folder of the image names.
 */
function callerOf({ ownFolder, projectRoot }: TracePlaces, traced: Callable): string {
  const caller = new captured.Error("caller");
  captured.captureStackTrace(caller, traced);
  const frames = captured.String(caller.stack).split("\n");
  for (let index = 1; index < frames.length; index++) {
    const frame = (frames[index] ?? "").trim();
    if (frame.includes(ownFolder) || /\(?node:/.test(frame) || !/:\d+:\d+\)?$/.test(frame)) continue;
    if (frame.includes("repl-call:") || frame.includes(KERNEL_NAME)) continue;
    return `  from ${frame
      .replace(/^at (?:async )?/, "")
      .replace(/file:\/\//, "")
      .replace(/\?[^:)]*/, "")
      .replace(`${projectRoot}/`, "")}`;
  }
  return "";
}

function indentation(depth: number): string {
  let text = "";
  for (let level = 0; level < depth && level < 20; level++) text += "  ";
  return text;
}

function dropFirst(lines: string[]): void {
  for (let index = 1; index < lines.length; index++) lines[index - 1] = lines[index] as string;
  lines.length--;
}

function remove(traces: Trace[], trace: Trace): void {
  let kept = 0;
  for (let index = 0; index < traces.length; index++) {
    const each = traces[index] as Trace;
    if (each !== trace) traces[kept++] = each;
  }
  traces.length = kept;
}
