/** What a search found, each symbol once and by a name that the other tools understand. */
import { addressOf } from "../short-address.ts";
import type { SymbolMatch } from "./search-symbols.ts";
import type { View } from "../../view.ts";
import { forEachYielding } from "../../yielding.ts";

/** `describe("…") callback`, `makeThing() callback`: a function without a name, listed by what it is handed to. */
const CALLBACK = / callback$/;
/** What an interface may be called, made or indexed with. */
const SIGNATURE = /^(?:new ?)?\(\)$|^\[\w+: |^\[\]$|^<.*>$/;

/**
 * A global is declared in parts by many files of the language, and a package may be installed more than once: the first
 * of them stands for all.
 */
export async function distinctMatches(view: View, matches: readonly SymbolMatch[]): Promise<SymbolMatch[]> {
  const own: SymbolMatch[] = [];
  const found = new Map<string, SymbolMatch>();
  await forEachYielding(
    matches,
    (match) => {
      const { declaration, origin } = match;
      if (CALLBACK.test(declaration.name) || SIGNATURE.test(declaration.name)) return;
      // What a file of the project declares twice is one name in the index already.
      if (origin === "project") {
        own.push(match);
        return;
      }
      const key = origin === "global" ? `#${declaration.path}` : addressOf(view, declaration);
      const known = found.get(key);
      if (known === undefined || comesBefore(match, known)) found.set(key, match);
    },
    view.signal,
  );
  return [...own, ...found.values()];
}

function comesBefore(a: SymbolMatch, b: SymbolMatch): boolean {
  if (a.rank !== b.rank) return a.rank < b.rank;
  const [left, right] = [a.declaration, b.declaration];
  const [leftAge, rightAge] = [libOrder(left.file), libOrder(right.file)];
  if (leftAge !== rightAge) return leftAge < rightAge;
  if (left.file !== right.file) return left.file < right.file;
  return left.at.line < right.at.line;
}

/** The file that has the main part of a global first. */
function libOrder(file: string): number {
  if (/[/\\]lib\.es5\.d\.ts$/.test(file)) return 0;
  if (/[/\\]lib\.dom\.d\.ts$/.test(file)) return 1;
  const year = /[/\\]lib\.es(20\d\d)\./.exec(file)?.[1];
  return year === undefined ? 9_999 : Number(year);
}
