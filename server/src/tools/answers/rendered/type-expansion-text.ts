/** The words for what a type expands to. */
import type { AliasStep, TypeExpansion } from "../../../typescript/expand/expand-type.ts";
import type { ExpansionPlan } from "../../../typescript/expand/expansion-plan.ts";
import type { View } from "../../../typescript/view.ts";
import type { ToolAnswer } from "../../tool.ts";
import { pageFields, pageLine, pageOf, place } from "../answer-text.ts";
import { cut } from "../grouped-lines.ts";
import { plural } from "../../../base/plural.ts";

export interface ExpansionPaging {
  readonly full: boolean;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const MAX_NAMES = 12;
const MAX_DECLARATION = 400;
/** A longer body is not quoted: the structure says the same and can be read in pages. */
const MAX_BODY = 2_000;

export function typeText(
  view: View,
  { form, why, question }: Extract<ExpansionPlan, { kind: "type" }>,
  { step, structure, problems }: TypeExpansion,
  paging: ExpansionPaging,
): ToolAnswer {
  const extent = paging.full ? "full structure" : "one step";
  const scope = view.paths.show(question.basis.file);
  const isSaid = form.startsWith(`${scope}#`);
  const head = [`Type, because ${why}; ${extent}${isSaid ? "" : `, in the scope of ${scope}`}`];
  if (question.borrowed.length > 0) head.push(`From other modules: ${question.borrowed.join(", ")}`);
  head.push("", form);
  if (problems.length > 0) {
    head.push("The compiler rejects it:", ...problems.map((problem) => `  ${problem}`));
    if (/^(?:any|unknown|error)$/.test(structure.text)) return { content: head.join("\n") };
  }
  if (step !== undefined) head.push(...stepLines(view, step));
  const body = step?.body;
  const isSame = body !== undefined && body.length <= MAX_BODY && sameType(body, structure.text);
  const lines = isSame ? [] : structure.text.split("\n");
  const page = pageOf(lines, paging);
  const notes = notExpanded(structure.notExpanded, paging.full);
  const rest = [...pageLine(page, lines.length, "lines"), ...notes];
  const shown = isSame ? [] : [step === undefined ? "=" : "which is", ...page.lines];
  const content = [...head, ...shown, ...(rest.length > 0 ? ["", ...rest] : [])].join("\n");
  return { content, ...pageFields(page) };
}

function stepLines(view: View, { declaration, file, at, bindings, body, distributes }: AliasStep): string[] {
  const where = at === undefined ? "in the form" : place(view, file, at);
  const given = bindings.length === 0 ? "" : `, with ${bindings.join(", ")}`;
  if (body === undefined)
    return [`→ ${cut(declaration, MAX_DECLARATION)} (${where})${given}: computed by the compiler`];
  const each =
    distributes.length === 0
      ? []
      : [`computed for each of ${plural(distributes.length, "member")}: ${shortened(distributes)}`];
  const written = body.length <= MAX_BODY ? body : `(${plural(body.split("\n").length, "line")}, left out)`;
  return [`→ ${cut(declaration, MAX_DECLARATION)} (${where})${given}`, `= ${written}`, ...each];
}

function notExpanded(names: readonly string[], full: boolean): string[] {
  if (names.length === 0) return [];
  return full
    ? [`Not written out (too deep or too many): ${shortened(names)}`]
    : [`Left as names; full: true writes them out: ${shortened(names)}`];
}

function shortened(names: readonly string[]): string {
  const left = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (left > 0 ? ` and ${left} more` : "");
}

/** Whether two texts differ by layout alone. */
function sameType(a: string, b: string): boolean {
  const plain = (text: string): string =>
    text
      .replaceAll(/[\s;,]+/g, "")
      .replaceAll("'", '"')
      .replaceAll("|undefined", "");
  return plain(a) === plain(b);
}
