/** The events that the process of a test run writes while the tests run, as lines of JSON. Files are absolute paths. */
import type { TestOutcome } from "../../testing/test-run.ts";

export type TestEvent =
  /** The files that will run. */
  | { readonly planned: readonly string[] }
  | { readonly opens: string }
  /**
   * With outcomes when the runner reports the final outcomes of a file at its end: they replace those reported before.
   */
  | { readonly closes: string; readonly outcomes?: readonly TestOutcome[] }
  | { readonly begins: Omit<TestOutcome, "state" | "failures"> }
  | { readonly ends: TestOutcome }
  /** A test or suite that began is over, and has no outcome of its own. */
  | { readonly passesOver: Pick<TestOutcome, "file" | "titles"> }
  | { readonly prints: string; readonly file: string }
  /** Why a file stopped before its end. */
  | { readonly problem: string; readonly file: string };
