/** A page of a value as rows of a tree. */
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import { plural } from "../../server/src/base/plural.ts";
import type { ValueMember, ValuePage } from "../../server/src/protocol/repl-shapes.ts";
import { short } from "./describe.ts";

export interface Row {
  readonly label: string;
  readonly description: string;
  /** All of what the row shows a part of. */
  readonly whole: string;
  /** The path to what is inside. */
  readonly path?: readonly string[];
  /** The path to a getter, which has a value only where somebody calls it. */
  readonly getter?: readonly string[];
  readonly source?: NonNullable<ValuePage["source"]>;
  /** The next page of the same value. */
  readonly next?: { readonly path: readonly string[]; readonly page: number };
}

const COLUMNS = 200;

/** The pages of one value that are shown, from the first one on. */
export function rowsOf(pages: readonly ValuePage[]): Row[] {
  const [first] = pages;
  const last = pages.at(-1);
  if (first === undefined || last === undefined) return [];
  const rows = [...first.facts.map(({ name, text }) => row(name, text)), ...sourceRows(first)];
  const members = [...pages.flatMap(({ items }) => items), ...first.extras];
  if (first.text !== undefined)
    rows.push(...pages.flatMap(({ text = "" }) => text.split("\n").map((line) => row("", line))));
  else if (members.length === 0) rows.push(row("", first.preview));
  rows.push(...members.map((member) => memberRow(member, first.path)));
  if (pages.some(({ complete }) => !complete))
    rows.push(row("…", "time was up: some members show … in place of their value"));
  return last.page < last.pages ? [...rows, moreRow(last)] : rows;
}

function moreRow({ kind, path, page, pages, total }: ValuePage): Row {
  const what = kind === "string" ? "character" : kind === "typedArray" ? "row" : "member";
  const description = `page ${page + 1} of ${pages}, ${plural(total, what)}`;
  return { label: "More…", description, whole: description, next: { path, page: page + 1 } };
}

function row(label: string, text: string): Row {
  return { label: short(label, COLUMNS), description: short(text, COLUMNS), whole: showHidden(text) };
}

function sourceRows({ source }: ValuePage): Row[] {
  if (source === undefined) return [];
  const description = `${decodeURIComponent(source.uri.split("/").at(-1) ?? "")}:${source.line + 1}`;
  return [{ ...row("written at", description), source }];
}

function memberRow(member: ValueMember, path: readonly string[]): Row {
  const marks = [member.from === undefined ? "" : `of ${member.from}`, member.hidden === true ? "hidden" : ""];
  const told = marks.filter((mark) => mark !== "").join(", ");
  const arrow = member.kind === "entry" ? " =>" : ":";
  const { description } = row("", `${member.preview}${told === "" ? "" : `   (${told})`}`);
  const whole = showHidden(`${member.name}: ${member.type}\n${member.preview}`);
  const shown = { label: `${short(member.name, COLUMNS)}${arrow}`, description, whole };
  if (member.step === undefined) return shown;
  const inside = [...path, member.step];
  if (member.kind === "getter") return { ...shown, getter: inside };
  return member.opens ? { ...shown, path: inside } : shown;
}

/** The expression that calls a getter; undefined where no expression reaches it. */
export function getterCode(value: string, path: readonly string[]): string | undefined {
  let code = value;
  for (const step of path) {
    if (/^[<#]/.test(step)) return undefined;
    const name = step.startsWith('"') ? (JSON.parse(step) as string) : step;
    code += /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  }
  return code;
}
