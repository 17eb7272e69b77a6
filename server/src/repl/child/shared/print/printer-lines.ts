/** The lines of a printed value: one line if it fits, else one entry a line, or several when they are short. */
import { uncurried } from "../captured.ts";

export const WIDTH = 96;
/** An array with a longer entry has one entry a line. */
const SHORT = 24;

export function wrap(open: string, entries: readonly string[], close: string, depth: number): string {
  if (entries.length === 0) return `${open}${close}`;
  let length = depth * 2 + 4;
  let lines = false;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index] as string;
    length += entry.length + 2;
    if (uncurried.includes(entry, "\n")) lines = true;
  }
  const inner = open === "[" ? "" : " ";
  if (!lines && length <= WIDTH) return `${open}${inner}${joined(entries, ", ")}${inner}${close}`;
  let outer = "";
  for (let level = 0; level < depth; level++) outer += "  ";
  const indent = `${outer}  `;
  const inside = open === "[" && isShort(entries) ? packed(entries, indent) : joined(entries, `,\n${indent}`);
  return `${open}\n${indent}${inside}\n${outer}${close}`;
}

/** `join` that user code cannot replace. */
function joined(entries: readonly string[], separator: string): string {
  let text = "";
  for (let index = 0; index < entries.length; index++)
    text += `${index === 0 ? "" : separator}${entries[index] as string}`;
  return text;
}

function isShort(entries: readonly string[]): boolean {
  // The last entry is left out: it may be the count of entries that are not shown.
  for (let index = 0; index < entries.length - 1; index++) if ((entries[index] as string).length > SHORT) return false;
  return true;
}

function packed(entries: readonly string[], indent: string): string {
  let text = "";
  let column = indent.length;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index] as string;
    const isBreak = index > 0 && column + entry.length + 3 > WIDTH;
    if (index > 0) text += isBreak ? `,\n${indent}` : ", ";
    column = (isBreak ? indent.length : column + 2) + entry.length;
    text += entry;
  }
  return text;
}

export function append(entries: string[], others: readonly string[]): void {
  for (let index = 0; index < others.length; index++) entries[entries.length] = others[index] as string;
}

export function more(count: number): string {
  return `… ${count} more`;
}

/** Whether a name is the index of an element. */
export function isIndex(name: string): boolean {
  const index = +name;
  return index >= 0 && index % 1 === 0;
}
