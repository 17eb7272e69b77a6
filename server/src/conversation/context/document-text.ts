/** A document that goes along with a prompt, or a part of it, as the model reads it. */
import { headOf } from "../../base/cut-text.ts";
import type { ContextRef } from "../../protocol/shapes.ts";
import type { WorkspaceText } from "../../surroundings/workspace-texts.ts";
import { fencedText, MAX_ITEM, type Item } from "./item.ts";

type Range = NonNullable<ContextRef["range"]>;

export function documentItem(document: WorkspaceText, { kind, range }: ContextRef): Item {
  const lines = document.text.split("\n");
  if (range === undefined) return numberedPart(document, lines, 0, lines.length);
  const { start, end } = range;
  if (start.line >= lines.length) {
    return { missing: `${kind} ${document.path}:${start.line + 1} could not be read: it has ${lines.length} lines` };
  }
  if (kind === "selection") return selection(document, lines, range);
  // A range that ends before a line's first character does not reach into that line.
  const past = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return numberedPart(document, lines, start.line, Math.min(past, lines.length));
}

/** Exactly the characters that are selected. */
function selection({ path, isUnsaved }: WorkspaceText, lines: readonly string[], { start, end }: Range): Item {
  const past = Math.min(end.character === 0 && end.line > start.line ? end.line : end.line + 1, lines.length);
  const selected = lines.slice(start.line, end.line + 1);
  const lastLine = selected.length - 1;
  if (end.line < lines.length) selected[lastLine] = (selected[lastLine] ?? "").slice(0, end.character);
  selected[0] = (selected[0] ?? "").slice(start.character);
  const text = selected.join("\n");
  const label = `${path}:${span(start.line, past)}`;
  const first = text.length > MAX_ITEM ? ` (cut: the first ${MAX_ITEM} of ${text.length} characters)` : "";
  const unsaved = isUnsaved ? " (not saved)" : "";
  const isPart = start.character > 0 || (end.character > 0 && end.character < (lines[end.line]?.length ?? 0));
  const what = isPart ? `, from character ${start.character + 1}, exactly` : "";
  // The fence ends the last line by itself.
  const shown = headOf(text, MAX_ITEM).replace(/\n$/, "");
  return { label, text: fencedText(`${label}${what}${unsaved}${first}`, shown) };
}

/** Lines from `first` (counted from 0) up to `past`, whole ones as far as there is room, under a label that names them. */
function numberedPart(document: WorkspaceText, lines: readonly string[], first: number, past: number): Item {
  const { path, isUnsaved } = document;
  const unsaved = isUnsaved ? " (not saved)" : "";
  let room = MAX_ITEM;
  let end = first;
  while (end < past && (room -= (lines[end]?.length ?? 0) + 1) >= 0) end += 1;
  const shown = lines.slice(first, end).join("\n");
  const isWhole = first === 0 && past === lines.length;
  const label = isWhole ? path : `${path}:${span(first, past)}`;
  if (end === past) return { label, text: fencedText(`${label}${unsaved}`, shown) };
  if (end === first) {
    const cut = headOf(lines[first] ?? "", MAX_ITEM);
    const told = `cut: only the first ${MAX_ITEM} characters of the line are here`;
    return { label, text: fencedText(`${path}:${first + 1}${unsaved} (${told})`, cut) };
  }
  const rest = `cut: lines ${span(first, end)} of ${lines.length} are here; read_file shows lines ${span(end, past)}`;
  return { label, text: fencedText(`${path}${unsaved} (${rest})`, shown) };
}

function span(first: number, past: number): string {
  return past - first === 1 ? `${first + 1}` : `${first + 1}-${past}`;
}
