/** The sentence about mentions in files that the compiler does not read. */
import { extname } from "node:path";
import type { DisplayPaths } from "../../files/display-paths.ts";

export interface UnreadMention {
  readonly file: string;
  readonly word: string;
  /** Counted from 1; of the first mention of that word in the file. */
  readonly line: number;
}

const MAX_SHOWN = 6;

/** `2 .vue files contain the word "Thing" and are not read by the compiler: src/A.vue:12, src/B.vue:3.` */
export function unreadNote(paths: DisplayPaths, mentions: readonly UnreadMention[]): string {
  const byFile = Map.groupBy(mentions, ({ file }) => file);
  const kinds = [...Map.groupBy(byFile.keys(), (file) => extname(file))].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const files = kinds.map(([kind, group]) => `${group.length} ${kind}`).join(" and ");
  const words = [...new Set(mentions.map(({ word }) => word))].toSorted();
  const quoted = words.slice(0, MAX_SHOWN).map((word) => `"${word}"`);
  const others = words.length > MAX_SHOWN ? ` or ${words.length - MAX_SHOWN} other names` : "";
  const places = [...byFile].slice(0, MAX_SHOWN).map(([file, [first]]) => `${paths.show(file)}:${first?.line ?? 1}`);
  const more = byFile.size > MAX_SHOWN ? ` and ${byFile.size - MAX_SHOWN} more` : "";
  const [contain, are] = byFile.size === 1 ? ["file contains", "is"] : ["files contain", "are"];
  const what = words.length === 1 ? "the word" : "one of the words";
  return `Not searched: ${files} ${contain} ${what} ${quoted.join(", ")}${others} and ${are} not read by the compiler: ${places.join(", ")}${more}.`;
}
