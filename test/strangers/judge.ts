/** Puts a case to a REPL and says what came of it. The same judge for the image and for the others. */
import { flatten, type Form, type StrangersCase } from "./case.ts";

export interface Answer {
  readonly failed: boolean;
  /** The printed value, where the REPL tells it from the rest. */
  readonly value?: string;
  /** Not run at all, for what a compiler said of it: such an error has no name of its own. */
  readonly isRefused?: boolean;
  /** A value that is a string stands without its quotes. */
  readonly bareStrings?: boolean;
  /** All that was said: value, error and output. */
  readonly text: string;
}

/** `dies`: its process is gone. `hangs`: no answer within the limit. */
export type Loss = "dies" | "hangs";

export interface Repl {
  readonly evaluate: (form: string) => Promise<Answer | Loss>;
  /** Starts the form and stops it; says whether another form was answered afterwards. */
  readonly interrupt: (form: string) => Promise<"interrupted" | Loss>;
  /** True when the text is among all that was said since the start, however late. */
  readonly said: (text: string) => Promise<boolean>;
  readonly write: (file: string, text: string) => void;
}

export type Verdict = { readonly outcome: "right" } | { readonly outcome: "wrong" | Loss; readonly why: string };

export async function judge(each: StrangersCase, repl: Repl): Promise<Verdict> {
  for (const step of each.steps) {
    if ("write" in step) {
      repl.write(step.write, step.text);
    } else if ("later" in step) {
      if (!(await repl.said(step.later))) return { outcome: "wrong", why: `never said: ${step.later}` };
    } else if ("interrupt" in step) {
      const ending = await repl.interrupt(step.interrupt);
      if (ending !== "interrupted") return { outcome: ending, why: shorten(step.interrupt) };
    } else {
      const answer = await repl.evaluate(step.form);
      if (typeof answer === "string") return { outcome: answer, why: shorten(step.form) };
      const why = objection(step, answer);
      if (why !== undefined) return { outcome: "wrong", why: `${shorten(step.form)} ⇒ ${why}` };
    }
  }
  return { outcome: "right" };
}

function objection(step: Form, answer: Answer): string | undefined {
  const text = flatten(answer.text);
  const got = shorten(text);
  if (step.mayFail !== true && answer.failed !== (step.error !== undefined)) return got;
  if (step.error !== undefined && answer.isRefused === true) return undefined;
  if (step.error !== undefined && !text.toLowerCase().includes(flatten(step.error).toLowerCase())) return got;
  if (step.value !== undefined && !hasValue(answer, text, flatten(step.value))) return got;
  const missing = step.shows?.find((part) => !text.includes(flatten(part)));
  if (missing !== undefined) return `without ${missing}: ${got}`;
  const unwanted = step.never?.find((part) => text.includes(flatten(part)));
  return unwanted === undefined ? undefined : got;
}

/** Where value and output are one text, the value is its end. */
function hasValue(answer: Answer, text: string, value: string): boolean {
  if (answer.value !== undefined) return flatten(answer.value) === value;
  const wanted = answer.bareStrings === true ? value.replace(/^'(.*)'$/, "$1") : value;
  return text === wanted || text.endsWith(` ${wanted}`);
}

function shorten(text: string): string {
  const flat = text.replaceAll(/\s+/g, " ");
  return flat.length > 160 ? `${flat.slice(0, 160)}…` : flat;
}
