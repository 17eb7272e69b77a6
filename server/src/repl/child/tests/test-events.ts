/** What the process of a test run says while the tests run: a line of JSON for each of these. Files are absolute paths. */
import type { TestOutcome } from "../../testing/test-run.ts";

export type TestEvent =
  /** The files that are to run. */
  | { readonly planned: readonly string[] }
  | { readonly opens: string }
  /** With outcomes where the runner says at the end of a file what counts of it: what was told before does not. */
  | { readonly closes: string; readonly outcomes?: readonly TestOutcome[] }
  | { readonly begins: Omit<TestOutcome, "state" | "failures"> }
  | { readonly ends: TestOutcome }
  /** What began is over and has no outcome of its own. */
  | { readonly passesOver: Pick<TestOutcome, "file" | "titles"> }
  | { readonly prints: string; readonly file: string }
  /** Why a file ended before its end. */
  | { readonly problem: string; readonly file: string };
