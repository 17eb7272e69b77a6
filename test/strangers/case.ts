/** What a case is: forms given to a REPL in order, and what it must answer. Whoever runs it is not named here. */

export type Host = "node -i" | "tsx" | "deno repl" | "bun repl" | "ts-node" | "tslab";

/** Something that is evaluated. Without `error` it must not fail. Texts are compared as `flatten` leaves them. */
export interface Form {
  readonly form: string;
  /** The printed value, the whole of it. */
  readonly value?: string;
  /** The error's name, or what it says; in either case of letters. */
  readonly error?: string;
  /** In the value, the error or the output. */
  readonly shows?: readonly string[];
  readonly never?: readonly string[];
  /** Whether it fails is a matter of taste, or what fails is something that it leaves behind. */
  readonly mayFail?: true;
}

export type Step =
  | Form
  /** A file of the project as it is from here on. */
  | { readonly write: string; readonly text: string }
  /** A form that does not end by itself: it is interrupted, and what was said before is still there. */
  | { readonly interrupt: string }
  /** Printed by something that goes on after its form. */
  | { readonly later: string };

export interface StrangersCase {
  /** A sentence that says what is right. */
  readonly name: string;
  /** The thread that reported it, as project#number, or the project whose tests ask for it. */
  readonly source: string;
  readonly steps: readonly Step[];
  /** The project's files beside `package.json` and `tsconfig.json`. */
  readonly files?: Readonly<Record<string, string>>;
  /** TypeScript's own syntax is in it: no question for a REPL of JavaScript. */
  readonly typescript?: true;
  /** Changes the process for whatever comes after it. */
  readonly spoils?: true;
  /** Hosts for which it is no question, with the reason. */
  readonly without?: Partial<Readonly<Record<Host, string>>>;
}

export interface CaseGroup {
  readonly title: string;
  readonly cases: readonly StrangersCase[];
}

/** Quotes, line breaks and the spaces inside brackets are a matter of taste. */
export function flatten(text: string): string {
  return text
    .replaceAll(/["`]/g, "'")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/,? ?([\]}])/g, "$1")
    .replaceAll(/([[{]) /g, "$1")
    .trim();
}
