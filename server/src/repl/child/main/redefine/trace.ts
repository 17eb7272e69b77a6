/**
 * Traces functions of running modules: each call is reported with its arguments, caller, result and time, in the output
 * of the evaluation that caused it. A trace assigns to the function's name inside of its module, so that importers get
 * the traced function.
 */
import { fileURLToPath } from "node:url";
import { types } from "node:util";
import { captured } from "../../shared/captured.ts";
import { printQuietly } from "../../shared/print/quiet-printer.ts";
import type { Evaluator } from "../modules/module-scopes.ts";
import { callerOf, type TracePlaces } from "./trace-caller.ts";
import { slotOf } from "./traced-slot.ts";

export interface Tracing {
  /**
   * `path`: a name in the evaluator's scope, and members from there. `filename`: the module's file. Prints what was
   * done; throws a sentence.
   */
  readonly trace: (evaluator: Evaluator, path: readonly string[], address: string, filename: string) => void;
  /** Removes a trace, or all traces when there is no address, and prints what the traces recorded. */
  readonly untrace: (address?: string) => void;
  /** Prints the traced functions and the latest calls. */
  readonly traces: () => void;
  /** A module begins to run: traces of the functions of the earlier module from the same file end. */
  readonly begun: (url: string) => void;
}

interface Trace {
  readonly address: string;
  readonly filename: string;
  readonly isCurrent: () => boolean;
  readonly restore: () => void;
  readonly lines: string[];
  calls: number;
  thrown: number;
  totalMs: number;
  /** When the latest described call began. */
  toldAt: number;
}

/** The reports of one call. */
interface TracedCall {
  readonly returned: (result: unknown) => void;
  readonly failed: (how: string, error: unknown) => void;
  readonly left: () => void;
}

type Callable = (this: unknown, ...args: unknown[]) => unknown;
type Write = (stream: "stdout" | "stderr", text: string) => void;

const MAX_LINES = 60;
/** The limit of printed calls, so that a function in a hot loop does not hide all other output. */
const MAX_PRINTED = 500;
/** Behind that limit, calls are described this many milliseconds apart: to describe each would slow the program down. */
const APART_MS = 10;
const MAX_ARGUMENT = 120;
const clock = captured.now;
const { apply, construct, setPrototypeOf } = Reflect;
// oxlint-disable-next-line typescript/unbound-method
const then = Promise.prototype.then;
const { isPromise } = types;

const targets = new WeakMap<object, unknown>();
const [targetOf, rememberTarget] = [targets.get.bind(targets), targets.set.bind(targets)];

/** The original of a traced function; undefined for any other value. */
export function untraced(value: unknown): unknown {
  return typeof value === "function" ? targetOf(value) : undefined;
}

/** Calls are written to stderr, answers to stdout. */
export function createTracing(places: TracePlaces, write: Write): Tracing {
  const tracer = new Tracer(places, write);
  return {
    trace: (evaluator, path, address, filename) => write("stdout", tracer.trace(evaluator, path, address, filename)),
    untrace: (address) => write("stdout", tracer.untrace(address)),
    traces: () => write("stdout", tracer.report()),
    begun: (url) => tracer.begun(fileURLToPath(url)),
  };
}

class Tracer {
  readonly #places: TracePlaces;
  readonly #write: Write;
  readonly #traces: Trace[] = [];
  /** The number of traced calls on the stack. */
  #depth = 0;

  constructor(places: TracePlaces, write: Write) {
    this.#places = places;
    this.#write = write;
  }

  trace(evaluator: Evaluator, path: readonly string[], address: string, filename: string): string {
    const known = this.#find(address);
    if (known?.isCurrent() === true) return `${address} is traced already.`;
    const slot = slotOf(evaluator, path, address);
    const target = slot.get();
    if (typeof target !== "function")
      throw new captured.Error(`${address} holds ${printQuietly(target)}, not a function.`);
    if (isClass(target)) throw new captured.Error(`${address} is a class: name one of its methods, ${address}.method.`);
    const made: Trace = {
      address,
      filename,
      isCurrent: () => slot.get() === wrapper,
      restore: () => {
        if (slot.get() === wrapper) slot.set(target);
      },
      lines: [],
      calls: 0,
      thrown: 0,
      totalMs: 0,
      toldAt: 0,
    };
    const wrapper = this.#wrap(made, target as Callable);
    rememberTarget(wrapper, target);
    slot.set(wrapper);
    if (known !== undefined) remove(this.#traces, known);
    this.#traces[this.#traces.length] = made;
    if (this.#places.isProgram === true)
      return `${address} is traced: the program's calls are kept, the latest 60 lines.`;
    return `${address} is traced: its calls are printed by the form that makes them, or whose server or timer does.`;
  }

  begun(filename: string): void {
    for (let index = 0; index < this.#traces.length; index++) {
      const each = this.#traces[index] as Trace;
      if (each.filename !== filename || !each.isCurrent()) continue;
      each.restore();
      this.#write("stderr", `${each.address} is no longer traced: its module was loaded anew.\n`);
    }
  }

  untrace(address: string | undefined): string {
    const chosen: Trace[] = [];
    for (let index = 0; index < this.#traces.length; index++) {
      const each = this.#traces[index] as Trace;
      if (address === undefined || each.address === address) chosen[chosen.length] = each;
    }
    const replaced = " It was redefined since: calls of the new one were not counted.";
    if (chosen.length === 0) return address === undefined ? "Nothing is traced." : `${address} is not traced.`;
    let text = "";
    for (let index = 0; index < chosen.length; index++) {
      const each = chosen[index] as Trace;
      const state = each.isCurrent() ? "" : replaced;
      each.restore();
      remove(this.#traces, each);
      text += `${text === "" ? "" : "\n"}${summary(each)}${state} No longer traced.`;
    }
    return text;
  }

  report(): string {
    if (this.#traces.length === 0) return "Nothing is traced.";
    let text = "";
    for (let index = 0; index < this.#traces.length; index++) {
      const each = this.#traces[index] as Trace;
      const state = each.isCurrent() ? "" : " It was redefined since: no longer traced.";
      text += `${text === "" ? "" : "\n\n"}${summary(each)}${state}`;
      for (let line = 0; line < each.lines.length; line++) text += `\n  ${each.lines[line]}`;
    }
    return text;
  }

  #find(address: string): Trace | undefined {
    for (let index = 0; index < this.#traces.length; index++) {
      if (this.#traces[index]?.address === address) return this.#traces[index];
    }
    return undefined;
  }

  /** The traced function. Each call adds one frame to the stack, because stacks of errors have few frames. */
  #wrap(trace: Trace, target: Callable): Callable {
    const begin = (args: readonly unknown[]): TracedCall => this.#begin(trace, traced, args);
    const traced = function (this: unknown, ...args: unknown[]): unknown {
      const call = begin(args);
      try {
        const result: unknown =
          new.target === undefined
            ? apply(target, this, args)
            : (construct(target, args, new.target === traced ? target : new.target) as unknown);
        call.returned(result);
        return result;
      } catch (error) {
        call.failed("threw", error);
        throw error;
      } finally {
        call.left();
      }
    };
    setPrototypeOf(traced, target);
    for (const key of ["name", "length", "prototype"]) {
      const own = captured.getOwnPropertyDescriptor(target, key);
      if (own !== undefined) captured.defineProperty(traced, key, own);
    }
    return traced;
  }

  #begin(trace: Trace, traced: Callable, args: readonly unknown[]): TracedCall {
    trace.calls++;
    const isTold = trace.calls <= MAX_PRINTED || clock() - trace.toldAt >= APART_MS;
    const indent = isTold ? indentation(this.#depth) : "";
    if (isTold) {
      trace.toldAt = clock();
      this.#tell(trace, `${indent}→ ${trace.address}(${printAll(args)})${callerOf(this.#places, traced)}`);
    }
    const started = clock();
    const ended = (how: string, value: unknown): void => {
      const ms = clock() - started;
      trace.totalMs += ms;
      if (!isTold) return;
      const text = printQuietly(value, MAX_ARGUMENT);
      const elapsed = `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`;
      this.#tell(trace, `${indent}← ${trace.address} ${how} ${text}  (${elapsed})`);
    };
    const failed = (how: string, value: unknown): void => {
      trace.thrown++;
      ended(how, value);
    };
    this.#depth++;
    return {
      returned: (result) => {
        if (!isPromise(result)) return ended("=", result);
        const settled = [
          (value: unknown): void => ended("resolved to", value),
          (reason: unknown): void => failed("rejected with", reason),
        ];
        void apply(then, result, settled);
      },
      failed,
      left: () => {
        this.#depth--;
      },
    };
  }

  #tell(trace: Trace, line: string): void {
    trace.lines[trace.lines.length] = line;
    if (trace.lines.length > MAX_LINES) dropFirst(trace.lines);
    if (trace.calls < MAX_PRINTED) this.#write("stderr", `${line}\n`);
    else if (trace.calls === MAX_PRINTED) {
      const calls = `${trace.address} was called ${MAX_PRINTED} times`;
      this.#write("stderr", `… ${calls}; later calls are only counted\n`);
    }
  }
}

function summary({ address, calls, thrown, totalMs }: Trace): string {
  const failed = thrown === 0 ? "" : `, ${thrown} of them failed`;
  const mean = calls === 0 ? "" : `, ${(totalMs / calls).toFixed(2)} ms each`;
  return `${address}: ${calls} ${calls === 1 ? "call" : "calls"}${failed}${mean}.`;
}

function isClass(value: unknown): boolean {
  // The `prototype` of a class is not writable; that of a function is.
  return captured.getOwnPropertyDescriptor(value, "prototype")?.writable === false;
}

function printAll(args: readonly unknown[]): string {
  let text = "";
  for (let index = 0; index < args.length; index++) {
    text += `${index === 0 ? "" : ", "}${printQuietly(args[index], MAX_ARGUMENT)}`;
  }
  return text;
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
