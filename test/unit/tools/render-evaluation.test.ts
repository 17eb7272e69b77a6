/** How values and errors of an evaluation read: escapes do not hide a text, and what is cut says how to read on. */
import { expect, it } from "vitest";
import type { ErrorInfo, EvalResult } from "../../../server/src/protocol/repl-shapes.ts";
import { renderEvaluation } from "../../../server/src/tools/answers/rendered/render-evaluation.ts";

function evaluated(more: Partial<EvalResult>): string {
  const result = {
    evalId: "1",
    outcome: "value",
    stdout: "",
    stderr: "",
    truncated: false,
    durationMs: 1,
    notes: [],
    stateKept: true,
  } as const;
  return renderEvaluation({ ...result, ...more }, (uri) => uri);
}

function value(text: string, rest = ""): string {
  return evaluated({ valueId: "$1", type: "string", preview: JSON.stringify(text) + rest });
}

it.each([
  ["one\ntwo", '"""\n  one\n  two\n  """\n: string, kept as $1'],
  ["if (a) {\n  b();\n}", '"""\n  if (a) {\n    b();\n  }\n  """\n: string, kept as $1'],
  ['{"a":"b"}', '"""{"a":"b"}"""\n: string, kept as $1'],
  ['say "no"', '"""say "no""""\n: string, kept as $1'],
  ["plain", '"plain"\n: string, kept as $1'],
  ["a\tb", '"a\\tb"\n: string, kept as $1'],
])("a string is shown as its text where escapes would hide it: %j", (text, shown) => {
  expect(value(text)).toContain(shown);
});

it("a string that is cut says how long it is and what reads on", () => {
  expect(value("a\nb", "… (9000 characters)")).toContain(
    '"""\n  a\n  b\n  """… (9000 characters)\n: string, kept as $1; inspect_object $1 reads on',
  );
});

it("a value that only looks like a string is left as it is", () => {
  const preview = '["a\\nb", "c"]';
  expect(evaluated({ valueId: "$1", type: "Array(2)", preview })).toContain(`${preview}\n`);
});

it("the message of an error is cut with the way to the rest, and a shorter one is not", () => {
  const error = (length: number): ErrorInfo => ({ name: "Error", message: "x".repeat(length), frames: [] });
  const long = evaluated({ outcome: "error", error: error(5000) });
  expect(long).toContain(`${"x".repeat(700)}… (4300 more characters; catch the error and inspect_object its message`);
  expect(evaluated({ outcome: "error", error: error(830) })).toContain("x".repeat(830));
});

it("a line that is printed many times in a row is shown once", () => {
  const told = evaluated({ stdout: `start\n${"y\n".repeat(500)}\n\n\n\n\nb\nb\nb\nend\n` });
  expect(told).toContain("stdout:\n  start\n  y\n  (the same line 499 more times)\n\n\n\n\n\n  b\n  b\n  b\n  end\n");
});
