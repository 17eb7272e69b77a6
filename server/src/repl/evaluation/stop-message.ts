/** The sentence that tells how an evaluation was stopped: what it was doing, and what is left of the state. */
import { AWAITED_VALUE, type FromImage } from "../child/wire/wire.ts";

const MAX_MODULES = 3;

type Finished = Extract<FromImage, { t: "result" }>;

export interface StopCause {
  readonly timedOutAfter: number | undefined;
  /** The person stopped an evaluation of the agent. */
  readonly isByPerson: boolean;
}

export interface StopFacts {
  readonly ending: Finished;
  readonly why: StopCause;
  /** Whether the error has frames. */
  readonly isLocated: boolean;
  /** Modules that wait at their top level, while the form waits for one of them to load. */
  readonly loading: readonly string[];
  /** The name under which a person knows the evaluation that held the main thread. */
  readonly formName: (number: number) => string | undefined;
}

/** Names what was ended where that is known, and else what every stop does. */
const cleared = ({ ended = "" }: Finished): string =>
  ended === ""
    ? "Its timers were cleared and its $signal was aborted"
    : `Its $signal was aborted, and what it had open was ended: ${ended}`;

/** The end of the sentence for a form that ran. */
function endedToo({ ended = "" }: Finished): string {
  return ended === "" ? "" : ` What it had open was ended: ${ended}.`;
}

/** The message for something that a finished form had left running. */
export function leftoverMessage(ending: Finished, formName: StopFacts["formName"]): string {
  const name = formName(ending.id);
  const ended = ending.ended === undefined || ending.ended === "" ? "" : `: ${ending.ended}`;
  const what = name === undefined ? "What no form had left running" : `What form ${name} had left running`;
  if (ending.outcome === "stuck") return `${what} could not be stopped before the memory was full.${memoryOf(ending)}`;
  return `${what} was stopped before the memory was full${ended}; state is kept.${memoryOf(ending)}`;
}

function memoryOf({ memory }: Finished): string {
  if (memory === undefined) return "";
  const { kind, usedMb, limitMb, heldMb } = memory;
  const what = kind === "heap" ? "The heap" : "Buffers outside of the heap";
  const held = heldMb === undefined ? "" : `; ${heldMb} MB are still held`;
  return ` ${what} had grown to ${usedMb} MB of ${limitMb} MB${held}. The option repl.heapLimitMb raises the limit.`;
}

export function stopMessage(facts: StopFacts): string {
  const { ending, why } = facts;
  const onRequest = why.isByPerson ? "Stopped by the person" : "Stopped on request";
  const onTime = why.timedOutAfter === undefined ? onRequest : `Stopped after ${why.timedOutAfter} ms`;
  const when = ending.memory === undefined ? onTime : "Stopped before the memory was full";
  const what = `${when}${whatItDid(facts)}${memoryOf(ending)}`;
  const locals = ending.where?.find((frame) => frame.locals !== undefined)?.locals ?? [];
  if (locals.length === 0) return what;
  return `${what} Local variables: ${locals.map(([name, text]) => `${name} = ${text}`).join(", ")}.`;
}

function whatItDid(facts: StopFacts): string {
  const { ending, isLocated, formName } = facts;
  if (ending.outcome === "stuck") {
    return ": nothing but ending the process could stop it (native code?). State is lost, effects are unknown.";
  }
  const holder = holderOf(ending, formName);
  const here = isLocated ? " here" : "";
  const rest = ending.abandoned === true ? "" : ", which was stopped too";
  if (ending.begun === false) {
    const why = holder === undefined ? "" : `: ${holder} held the main thread${here}${rest}`;
    return ` before it began${why}. Nothing of it ran; state is kept.`;
  }
  if (ending.abandoned === true || holder !== undefined) {
    const waiting = whatItWaitedFor(facts);
    if (holder === undefined) return `: ${waiting}. ${cleared(ending)}; state is kept.`;
    return `: ${waiting}, while ${holder} held the main thread${here}${rest}. ${cleared(ending)}; state is kept.`;
  }
  return ` while it ${isLocated ? "ran here" : "was running"}; state is kept.${endedToo(ending)}`;
}

function whatItWaitedFor({ ending, isLocated, loading }: StopFacts): string {
  const here = isLocated ? " here" : "";
  const modules = loading.length > MAX_MODULES ? [...loading.slice(0, MAX_MODULES), "others"] : loading;
  if (modules.length > 0) {
    const whose = modules.length === 1 ? "whose top-level await is" : "whose top-level awaits are";
    return `it was waiting${here} for ${modules.join(" and ")}, ${whose} not over`;
  }
  if (ending.waits === AWAITED_VALUE) return "it was waiting for the promise that is its value";
  return `it was waiting${here} for something that did not come`;
}

function holderOf({ holder }: Finished, formName: StopFacts["formName"]): string | undefined {
  if (holder === undefined) return undefined;
  const name = formName(holder);
  return name === undefined ? "background work" : `form ${name}`;
}
