/** What a reader of a request believes of values in the image. */
import { CHANGED, UNKNOWN } from "./belief.ts";
import type { Told } from "./reading.ts";

/** The value of a form that the model evaluated; `CHANGED` where something is said below it that may have changed it. */
export function valueOf(told: readonly Told[], form: string): string {
  const at = told.findLastIndex((each) => isEvaluation(each, form));
  const answer = told[at];
  if (answer === undefined) return UNKNOWN;
  const isDoubted = /^- Computed (?:before|after|while) /m.test(answer.text) || told.slice(at + 1).some(changesValues);
  return isDoubted ? CHANGED : printed(answer.text);
}

/** The latest answer, whatever was said since. */
export function answerTo(told: readonly Told[], form: string): string {
  const answer = told.findLast((each) => isEvaluation(each, form));
  return answer === undefined ? UNKNOWN : printed(answer.text);
}

function isEvaluation(told: Told, form: string): boolean {
  return told.kind === "result" && !told.isError && told.call.name === "eval_form" && told.call.input["form"] === form;
}

/** `1\n: number, kept as $1\n(value, 3 ms)`: the printed value, or the error's message. */
function printed(text: string): string {
  const value = /^([^]*?)\n(?:: .*\n)?(?:note: .*\n)*\(value, /.exec(text);
  return value?.[1] ?? /^(?:thrown )?\w+: (.*)$/m.exec(text)?.[1] ?? text;
}

/** Statements that say themselves that values may be others now. */
function changesValues(told: Told): boolean {
  if (told.kind === "news") return /The person evaluated|REPL|Changed documents/.test(told.text);
  if (told.kind !== "result" || told.isError) return false;
  return (
    /definitions and values are gone|^The REPL runs in a fresh process|^redefined: /m.test(told.text) ||
    /^(?:APPLIED|PARTIALLY APPLIED|UNCERTAIN): /m.test(told.text)
  );
}
