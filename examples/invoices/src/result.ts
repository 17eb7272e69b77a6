/** What a reader of foreign text answers: a value, or where and why the text is wrong. */
export type Result<Value, Problem = ParseProblem> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem };

export interface ParseProblem {
  /** 1-based. */
  readonly line: number;
  readonly message: string;
}

export function ok<Value>(value: Value): Result<Value, never> {
  return { ok: true, value };
}

export function failed(line: number, message: string): Result<never> {
  return { ok: false, problem: { line, message } };
}

/** The value, or an error for callers that cannot go on without it. */
export function unwrap<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new SyntaxError(`line ${result.problem.line}: ${result.problem.message}`);
}
