/** What the process of a test run says while the tests run: a line of JSON for each of these. Files are absolute paths. */
import type { TestOutcome } from "../../testing/test-run.ts";

export type TestEvent =
  /** The files that are to run. */
  | { readonly planned: readonly string[] }
  | { readonly opens: string }
  | { readonly closes: string }
  | { readonly begins: Omit<TestOutcome, "state" | "failures"> }
  | { readonly ends: TestOutcome }
  | { readonly prints: string; readonly file: string }
  /** Why a file ended before its end. */
  | { readonly problem: string; readonly file: string };
