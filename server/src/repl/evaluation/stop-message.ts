/** The sentence that tells how an evaluation was stopped: what it did at that moment, and what is left of the state. */
import type { FromImage } from "../image/wire.ts";

type Finished = Extract<FromImage, { t: "result" }>;

export interface StopFacts {
  readonly ending: Finished;
  readonly timedOutAfter: number | undefined;
  /** Whether frames are told with it. */
  readonly isLocated: boolean;
  /** How a person calls the evaluation that held the main thread. */
  readonly formName: (number: number) => string | undefined;
}

/** Other things that it began, sockets for instance, go on where they do not listen to the signal. */
const cleared = "Its timers were cleared and its $signal was aborted";

export function stopMessage({ ending, timedOutAfter, isLocated, formName }: StopFacts): string {
  const when = timedOutAfter === undefined ? "Stopped on request" : `Stopped after ${timedOutAfter} ms`;
  const what = `${when}${whatItDid(ending, isLocated, formName)}`;
  const locals = ending.where?.find((frame) => frame.locals !== undefined)?.locals ?? [];
  if (locals.length === 0) return what;
  return `${what} Local variables: ${locals.map(([name, text]) => `${name} = ${text}`).join(", ")}.`;
}

function whatItDid(ending: Finished, isLocated: boolean, formName: StopFacts["formName"]): string {
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
    const waiting = "it was waiting for something that did not come";
    if (holder === undefined) return `: ${waiting}. ${cleared}; state is kept.`;
    return `: ${waiting}, while ${holder} held the main thread${here}${rest}. ${cleared}; state is kept.`;
  }
  return isLocated ? " while it ran here; state is kept." : " while it was running; state is kept.";
}

function holderOf({ holder }: Finished, formName: StopFacts["formName"]): string | undefined {
  if (holder === undefined) return undefined;
  const name = formName(holder);
  return name === undefined ? "background work" : `form ${name}`;
}
