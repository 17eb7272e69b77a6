/**
 * Traces functions of running modules: each call is reported with its arguments, caller, result and time, in the output
 * of the evaluation that caused it. A trace assigns to the function's name inside of its module, so that importers get
 * the traced function.
 */
import { fileURLToPath } from "node:url";
import { types } from "node:util";
import { captured, shieldedSet } from "../../shared/captured.ts";
import { printQuietly } from "../../shared/print/quiet-printer.ts";
import type { SourceNames } from "../../shared/print/value-source.ts";
import type { Evaluator, ModuleScopes } from "../modules/module-scopes.ts";
import { soon } from "../../shared/immediates.ts";
import { callForm, namesIn, type MadeCall } from "./call-form.ts";
import { Recording } from "./recording.ts";
import type { Recorder, Recorders } from "./recorders.ts";
import { from, indentation, keptCall, MAX_ARGUMENT, printAll, type Told } from "./told-call.ts";
import { callersOf, stackBelow, type TracePlaces } from "./trace-caller.ts";
import { keptOf, summary, type Counted, type WantedTrace } from "./trace-words.ts";
import { tracedFunction, untraced, type Callable, type TracedCall } from "./traced-function.ts";
import { slotOf, type Slot } from "./traced-slot.ts";

export interface Tracing {
  /** Prints what was done; throws a sentence. The evaluator is that of the function's module. */
  readonly trace: (evaluator: Evaluator, wanted: WantedTrace) => void;
  /** Removes a trace, or all traces when there is no address, and prints what the traces recorded. */
  readonly untrace: (address?: string) => void;
  /** A module begins to run: traces of the functions of the earlier module from the same file end. */
  readonly begun: (url: string) => void;
}

interface Trace extends Recorder, Counted {
  readonly filename: string;
  readonly slot: Slot;
  readonly when: WantedTrace["when"];
  readonly names: SourceNames;
  /** When the latest described call began. */
  toldAt: number;
  /** Another call was described just now. */
  isResting: boolean;
  /** Hears of calls that are only counted. */
  readonly counted: TracedCall;
}

type Write = (stream: "stdout" | "stderr", text: string) => void;

const MAX_CALLERS = 6;
/** A trace in a program that nobody ends. */
const PROGRAM_SECONDS = 600;
/** The limit of printed calls, so that a function in a hot loop does not hide all other output. */
const MAX_PRINTED = 500;
/** Behind that limit, calls are described this many milliseconds apart: to describe each would slow the program down. */
const APART_MS = 10;
/** Of calls that come faster than a timer can, every so many are described when it is time for that. */
const LOOK_EACH = 1024;
/** Of the calls that are only counted, every so many are timed: to read the clock costs more than all else. */
const TIME_EACH = 32;
const clock = captured.now;
const { apply } = Reflect;
// oxlint-disable-next-line typescript/unbound-method
const then = Promise.prototype.then;
const { isPromise } = types;

export interface TracingParts {
  readonly places: TracePlaces;
  readonly scopes: Pick<ModuleScopes, "brandOf">;
  readonly recorders: Recorders;
  /** Calls are written to stderr, answers to stdout. */
  readonly write: Write;
}

export function createTracing(parts: TracingParts): Tracing {
  const tracer = new Tracer(parts);
  const { recorders, write } = parts;
  return {
    trace: (evaluator, wanted) => write("stdout", tracer.trace(evaluator, wanted)),
    untrace: (address) => write("stdout", recorders.remove(address)),
    begun: (url) => tracer.begun(fileURLToPath(url)),
  };
}

class Tracer {
  readonly #parts: TracingParts;
  readonly #traces = shieldedSet<Trace>();
  /** The number of traced calls on the stack. */
  #depth = 0;
  #isSettling = false;

  constructor(parts: TracingParts) {
    this.#parts = parts;
  }

  trace(evaluator: Evaluator, wanted: WantedTrace): string {
    const { path, address, filename, when, count } = wanted;
    const { recorders, places, scopes } = this.#parts;
    const known = recorders.find(address);
    if (known?.isActive() === true && count === undefined && when === undefined) return `${address} is traced already.`;
    known?.remove();
    const slot = slotOf(evaluator, path, address);
    const target = slot.get();
    if (typeof target !== "function")
      throw new captured.Error(`${address} holds ${printQuietly(target)}, not a function.`);
    if (isClass(target)) throw new captured.Error(`${address} is a class: name one of its methods, ${address}.method.`);
    // An ended trace holds neither function: a redefinition would find an old copy in it.
    let held: { readonly wrapper: Callable } | undefined;
    const isCurrent = (): boolean => held !== undefined && slot.get() === held.wrapper;
    const restore = (): void => {
      if (isCurrent()) slot.set(untraced(held?.wrapper));
      held = undefined;
    };
    const made: Trace = {
      recording: new Recording(
        address,
        places.isProgram === true ? { seconds: PROGRAM_SECONDS, ...wanted } : wanted,
        restore,
      ),
      filename,
      slot,
      when,
      names: namesIn(evaluator, scopes),
      isCurrent,
      isActive: () => made.recording.over === undefined && isCurrent(),
      summary: () => summary(made),
      remove: () => {
        restore();
        this.#traces.delete(made);
        recorders.forget(made);
      },
      calls: 0,
      thrown: 0,
      timed: 0,
      totalMs: 0,
      toldAt: 0,
      isResting: false,
      counted: {
        returned: (result) => {
          if (isPromise(result)) void apply(then, result, [undefined, made.counted.failed]);
        },
        failed: () => void made.thrown++,
        left: () => void this.#depth--,
      },
      problem: "",
    };
    const wrapper = tracedFunction(target as Callable, (traced, call) => this.#begin(made, traced, call));
    try {
      slot.set(wrapper);
    } catch {
      throw new captured.Error(
        `${address} is a constant, which nothing can replace here: record its lines with log_point.`,
      );
    }
    held = { wrapper };
    this.#traces.add(made);
    recorders.add(made);
    if (places.isProgram === true) return `${address} is traced: ${keptOf(wanted)}.`;
    return `${address} is traced: its calls are printed by the form that makes them, or whose server or timer does.`;
  }

  begun(filename: string): void {
    this.#traces.forEach((each) => {
      if (each.filename !== filename || !each.isActive()) return;
      each.slot.set(untraced(each.slot.get()));
      this.#parts.write("stderr", `${each.recording.address} is no longer traced: its module was loaded anew.\n`);
    });
  }

  #begin(trace: Trace, traced: Callable, call: MadeCall): TracedCall {
    trace.calls++;
    const told = this.#isTold(trace) ? this.#describe(trace, traced, call) : undefined;
    const isTimed = told !== undefined || trace.when !== undefined || trace.calls % TIME_EACH === 0;
    const begun = isTimed ? this.#timed(trace, traced, call, told) : trace.counted;
    this.#depth++;
    return begun;
  }

  #isTold(trace: Trace): boolean {
    const { calls, recording } = trace;
    const isTurn = calls <= MAX_PRINTED || !trace.isResting;
    if (!isTurn && (calls % LOOK_EACH !== 0 || clock() - trace.toldAt < APART_MS)) return false;
    recording.checkTime();
    // A copy of the traced function that somebody keeps goes on.
    return recording.over === undefined;
  }

  #timed(trace: Trace, traced: Callable, call: MadeCall, told: Told | undefined): TracedCall {
    const { recording, when } = trace;
    const { isProgram = false } = this.#parts.places;
    const indent = told === undefined ? "" : indentation(this.#depth);
    if (told !== undefined && when === undefined) {
      this.#print(trace, `${indent}→ ${recording.address}${told.given}${isProgram ? "" : from(told.callers())}`);
      recording.open++;
      recording.keep(keptCall(told));
    }
    const started = clock();
    const ended = (how: string, value: unknown): void => {
      const ms = clock() - started;
      trace.timed++;
      trace.totalMs += ms;
      const kept = when === undefined ? told : this.#chosen(trace, { traced, call, told, how, value });
      if (kept === undefined) return;
      kept.ended = ` ${how} ${printQuietly(value, MAX_ARGUMENT)}  (${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms)`;
      if (when === undefined) {
        recording.open--;
        this.#print(trace, `${indent}← ${recording.address}${kept.ended}`);
      } else recording.keep(keptCall(kept));
      this.#parts.recorders.news();
    };
    const failed = (how: string, value: unknown): void => {
      trace.thrown++;
      ended(how, value);
    };
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
      left: trace.counted.left,
    };
  }

  #describe(trace: Trace, traced: Callable, call: MadeCall): Told {
    trace.toldAt = clock();
    if (trace.calls > MAX_PRINTED && !trace.isResting) {
      trace.isResting = true;
      captured.setTimeout(() => (trace.isResting = false), APART_MS).unref();
    }
    return {
      given: `(${printAll(call.args)})`,
      callers: this.#callers(traced),
      form: callForm(trace.slot, call, trace.names),
      ended: " has not ended",
    };
  }

  /** Most calls of a busy function are dropped before anybody reads where they came from. */
  #callers(traced: Callable): Told["callers"] {
    let stack: Error | undefined = stackBelow(traced);
    let callers: readonly string[] = [];
    if (!this.#isSettling) {
      this.#isSettling = true;
      soon(() => {
        this.#isSettling = false;
        this.#traces.forEach(({ recording }) => recording.settle());
      });
    }
    return () => {
      if (stack !== undefined) callers = callersOf(this.#parts.places, stack, MAX_CALLERS);
      stack = undefined;
      return callers;
    };
  }

  /** The call when the condition holds for it. A call that was not described when it began is described as it ends. */
  #chosen(trace: Trace, { traced, call, told, how, value }: EndedCall): Told | undefined {
    const { recording, when } = trace;
    if (recording.over !== undefined) return undefined;
    const isFailed = how === "threw" || how === "rejected with";
    try {
      const [result, error] = isFailed ? [undefined, value] : [value, undefined];
      const holds = when?.(call.args, result, error);
      if (!holds) return undefined;
    } catch (problem) {
      trace.problem = ` The condition threw ${printQuietly(problem, MAX_ARGUMENT)}.`;
      return undefined;
    }
    return told ?? this.#describe(trace, traced, call);
  }

  #print(trace: Trace, line: string): void {
    const { write } = this.#parts;
    if (trace.calls < MAX_PRINTED) write("stderr", `${line}\n`);
    else if (trace.calls === MAX_PRINTED) {
      const calls = `${trace.recording.address} was called ${MAX_PRINTED} times`;
      write("stderr", `… ${calls}; later calls are only counted\n`);
    }
  }
}

interface EndedCall {
  readonly traced: Callable;
  readonly call: MadeCall;
  readonly told: Told | undefined;
  readonly how: string;
  readonly value: unknown;
}

function isClass(value: unknown): boolean {
  // The `prototype` of a class is not writable; that of a function is.
  return captured.getOwnPropertyDescriptor(value, "prototype")?.writable === false;
}
