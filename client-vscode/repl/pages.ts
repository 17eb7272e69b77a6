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

/** The facts stand on the first page only. */
export function rowsOf(page: ValuePage): Row[] {
  const rows = page.page === 1 ? [...page.facts.map(({ name, text }) => row(name, text)), ...sourceRows(page)] : [];
  if (page.text !== undefined) rows.push(...page.text.split("\n").map((line) => row("", line)));
  else if (page.items.length === 0 && page.extras.length === 0) rows.push(row("", page.preview));
  rows.push(...[...page.items, ...page.extras].map((member) => memberRow(member, page.path)));
  if (!page.complete) rows.push(row("…", "time was up: some members show … in place of their value"));
  if (page.page < page.pages) {
    const what = page.kind === "string" ? "character" : page.kind === "typedArray" ? "row" : "member";
    const next = { path: page.path, page: page.page + 1 };
    const description = `page ${next.page} of ${page.pages}, ${plural(page.total, what)}`;
    rows.push({ label: "More…", description, whole: description, next });
  }
  return rows;
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
