/** A page of a value as text for a model: what it is, its members one a line, and how to go on. */
import type { ValueMember, ValuePage } from "../../../protocol/repl-shapes.ts";
import { continued, indented, inOneLine } from "../quoted-text.ts";

export function renderPage(page: ValuePage, showUri: (uri: string) => string): string {
  const way = inOneLine([page.value, ...page.path].join(" › "));
  const lines = [`${way}: ${inOneLine(page.type)}${isTold(page) ? "" : ` = ${continued(page.preview)}`}`];
  if (page.source !== undefined) lines.push(`written at ${placeOf(page.source, showUri)}`);
  const facts = page.facts.filter((fact) => !isPlain(page, fact));
  if (facts.length > 0) lines.push(inOneLine(facts.map(({ name, text }) => `${name}: ${text}`).join("; ")));
  if (page.text !== undefined) lines.push(indented(page.text));
  lines.push(...memberLines(page.items));
  if (page.page > page.pages) lines.push(`There is no page ${page.page}: the last one is ${page.pages}.`);
  else if (page.items.length === 0 && page.kind === "object" && page.extras.length === 0) lines.push("  no members");
  const ofPage = page.extras.filter(({ name, preview }) => name !== "<prototype>" || !preview.startsWith("Array {"));
  for (const member of ofPage) lines.push(`  ${renderMember(member)}`);
  const count =
    page.kind === "string"
      ? `${page.total} characters`
      : `${page.total} ${page.kind === "typedArray" ? "rows" : "members"}`;
  if (page.pages > 1 && page.page <= page.pages) {
    const next = page.page < page.pages ? `; page: ${page.page + 1} shows more` : "";
    lines.push(`(page ${page.page} of ${page.pages}, ${count}${next})`);
  }
  return lines.join("\n");
}

const MAX_LINE = 100;
const MANY_ALIKE = 4;
/** What everybody knows of an array, a map or a set. */
const KNOWN = /^(?:(?:Array|Map|Set|Object) < Object|Object)$/;

function isPlain({ kind, type }: ValuePage, { name, text }: ValuePage["facts"][number]): boolean {
  if (name === "prototypes") return !text.includes("<") || KNOWN.test(text);
  return name === "length" && kind === "array" && type.endsWith(`(${text})`);
}

/** Entries that follow each other and have the same words. */
function alikeFrom(members: readonly ValueMember[], at: number): readonly ValueMember[] {
  const { kind, preview, keyStep } = members[at] ?? {};
  if (kind !== "entry" || keyStep !== undefined) return members.slice(at, at + 1);
  const end = members.findIndex((each, index) => index > at && !(each.kind === kind && each.preview === preview));
  return members.slice(at, end === -1 ? undefined : end);
}

/** `"a", "b", … "z" => Promise   (inside <0> to <25>)` */
function renderAlike(entries: readonly ValueMember[]): string {
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return "";
  const names = inOneLine(entries.map(({ name }) => name).join(", "));
  const steps = first.opens && first.step !== undefined ? `   (inside ${first.step} to ${last.step})` : "";
  return `${names} => ${inOneLine(first.preview)}${steps}`;
}

/** A member a line; short elements that have nothing inside are shown in rows, each after the index of its first. */
function memberLines(members: readonly ValueMember[]): string[] {
  const lines: string[] = [];
  let isRow = false;
  for (let at = 0; at < members.length; at += 1) {
    const alike = alikeFrom(members, at);
    if (alike.length >= MANY_ALIKE) {
      lines.push(`  ${renderAlike(alike)}`);
      at += alike.length - 1;
      isRow = false;
      continue;
    }
    const member = members[at];
    if (member === undefined) continue;
    const isSimple = member.kind === "element" && !member.opens && member.hidden !== true;
    const last = lines.at(-1) ?? "";
    const longer = `${last}, ${member.preview}`;
    if (isSimple && isRow && longer.length <= MAX_LINE) lines[lines.length - 1] = longer;
    else lines.push(`  ${renderMember(member)}`);
    isRow = isSimple;
  }
  return lines;
}

/** Whether the members below say all that the preview says. */
function isTold({ kind }: ValuePage): boolean {
  return (
    kind === "object" ||
    kind === "array" ||
    kind === "map" ||
    kind === "set" ||
    kind === "typedArray" ||
    kind === "string"
  );
}

function renderMember({ name, kind, preview, step, keyStep, from, hidden, opens }: ValueMember): string {
  const arrow = kind === "entry" ? " => " : ": ";
  const marks = [
    ...(from === undefined ? [] : [`of ${from}`]),
    ...(hidden === true ? ["hidden"] : []),
    ...(opens && step !== undefined && step !== name ? [`inside ${step}`] : []),
    ...(keyStep === undefined ? [] : [`key ${keyStep}`]),
  ];
  return `${inOneLine(name)}${arrow}${inOneLine(preview)}${marks.length === 0 ? "" : `   (${marks.join(", ")})`}`;
}

function placeOf({ uri, line, character }: NonNullable<ValuePage["source"]>, showUri: (uri: string) => string): string {
  const place = uri.startsWith("repl:") ? `form ${uri.slice("repl:".length)}` : showUri(uri);
  return `${place}:${line + 1}:${character + 1}`;
}
