/** Finds the top-level form of a source text at an offset, for "evaluate this definition". */
import { parseSync } from "../../base/parser.ts";
import type { Node } from "oxc-parser";
import { declarationIn } from "../source/syntax.ts";

export interface FoundForm {
  readonly start: number;
  readonly end: number;
  /**
   * The form declares something that can be installed in a running module: a function, class, enum, namespace or
   * variable.
   */
  readonly declares: boolean;
}

const DECLARES = /^(?:Function|Class|Variable|TSEnum|TSModule)Declaration$/;

/**
 * The statement around the offset, from the beginning of its line. Between two statements, the following one is found,
 * because a doc comment belongs to the statement after it; after the last statement, the last one. Undefined for a text
 * that has no statement or does not parse.
 */
export function formAt(name: string, text: string, offset: number): FoundForm | undefined {
  const { program, errors } = parseSync(name, text, { sourceType: "module" });
  if (errors.length > 0) return undefined;
  const forms = program.body;
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const found =
    forms.find(({ start, end }) => start <= offset && offset < end) ?? forms.find(({ end }) => end > lineStart);
  const form = found ?? forms.at(-1);
  return form === undefined ? undefined : { start: form.start, end: form.end, declares: declares(form) };
}

function declares(form: Node): boolean {
  return form.type === "ExportDefaultDeclaration" || DECLARES.test(declarationIn(form).type);
}
