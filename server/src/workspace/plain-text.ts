/** Names and texts of others in a line of the server's own: they stay in that line and cannot pass for its words. */
import { shortened } from "../base/cut-text.ts";
import { showHidden } from "./hidden-characters.ts";

const LONGEST_NAME = 80;

/** One line, nothing hidden in it, with "…" where it was cut. */
export function plainLine(text: string, length: number): string {
  return shortened(showHidden(text.trim().replace(/\s+/g, " ")), length);
}

/** A name as it is where it cannot be taken for anything else, else in quotation marks. */
export function plainName(name: string): string {
  const shown = shortened(name, LONGEST_NAME);
  return /^[\p{L}\p{N}@_.:+~#$/-]+$/u.test(shown.replace(/…$/, "")) ? shown : JSON.stringify(showHidden(shown));
}

/** `a, b, c, +4`: as many names as there is room for, at least one. */
export function nameList(names: readonly string[], room: number): string {
  const shown: string[] = [];
  let left = room;
  for (const name of names) {
    left -= name.length + 2;
    if (left < 0 && shown.length > 0) break;
    shown.push(name);
  }
  const rest = names.length - shown.length;
  return [...shown, ...(rest > 0 ? [`+${rest}`] : [])].join(", ");
}
