/**
 * Answers as data, for programs that ask for them (`--structured`). Most hosts show their model the data in place of the text,
 * which is made for models, so nobody gets data unasked.
 */
import type { JsonSchema } from "../../protocol/shapes.ts";
import type { ToolResult } from "../../protocol/tool-shapes.ts";
import { given } from "../../base/given.ts";

type Facts = Pick<ToolResult, "places" | "tests" | "diagnostics" | "evaluation">;

const text = { type: "string" } as const;
const number = { type: "integer" } as const;
const position = { type: "object", properties: { line: number, character: number } } as const;
const range = {
  type: "object",
  properties: { start: position, end: position },
  description: "As in LSP: from 0, in UTF-16 units.",
} as const;
const listOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: "array",
  items: { type: "object", properties },
});

const places = listOf({ uri: text, range, text });

const DATA: Readonly<Record<string, Readonly<Partial<Record<keyof Facts, JsonSchema>>>>> = {
  eval_form: {
    evaluation: {
      type: "object",
      properties: {
        outcome: { enum: ["value", "error", "interrupted", "timeout", "crashed"] },
        valueId: { type: "string", description: "$7: the handle under which the REPL keeps the value." },
        preview: text,
        type: text,
        error: { type: "object" },
        stdout: text,
        stderr: text,
        notes: listOf({ message: text }),
        stateKept: { type: "boolean" },
      },
      required: ["outcome", "stdout", "stderr", "stateKept"],
    },
  },
  run_tests: {
    tests: {
      type: "object",
      properties: {
        state: { enum: ["done", "unavailable"] },
        passed: number,
        failed: number,
        skipped: number,
        failures: listOf({ name: text, uri: text, range, message: text }),
        files: { type: "array", items: text },
        reason: text,
      },
      required: ["state", "passed", "failed", "skipped", "failures"],
    },
  },
  get_diagnostics: {
    diagnostics: listOf({ uri: text, range, severity: text, code: text, message: text }),
  },
  who_calls: { places },
  who_references: { places },
  find_implementations: { places },
};

/** Undefined for a tool whose answer is a text alone. What is asked for and does not exist has no list. */
export function outputSchemaOf(name: string): { readonly type: "object"; readonly [key: string]: unknown } | undefined {
  const own = Object.hasOwn(DATA, name) ? DATA[name] : undefined;
  if (own === undefined) return undefined;
  const whole = { type: "boolean", description: "False where part of the truth is missing; notes say which." };
  const properties = { complete: whole, notes: { type: "array", items: text }, nextCursor: text, ...own };
  return { type: "object", properties, required: ["complete"] };
}

/**
 * `mayTell`: whether a model may hear of a file. The lists were made for the person's editor, which may; what is left out stands
 * in the text as far as it may stand anywhere.
 */
export function asData(
  name: string,
  result: ToolResult,
  mayTell: (uri: string) => boolean,
): Readonly<Record<string, unknown>> | undefined {
  if (!Object.hasOwn(DATA, name) || !result.success) return undefined;
  const told = ({ uri }: { readonly uri?: string }): boolean => uri === undefined || mayTell(uri);
  const { tests, evaluation, metadata } = result;
  const found = result.places?.filter(told);
  const diagnostics = result.diagnostics?.filter(told);
  const isWhole = found?.length === result.places?.length && diagnostics?.length === result.diagnostics?.length;
  const { notes, nextCursor } = metadata;
  const complete = metadata.complete && isWhole;
  return { complete, ...given({ notes, nextCursor, places: found, tests, diagnostics, evaluation }) };
}
