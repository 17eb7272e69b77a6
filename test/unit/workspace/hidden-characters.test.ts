/** Characters that do not show: one list in each language, and the same in all three. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hiddenInPath, showHidden, showHiddenInPath } from "../../../server/src/workspace/hidden-characters.ts";

const root = join(import.meta.dirname, "../../..");
const LAST = 0x10_ff_ff;
/** Of these each language decides for itself: how a text is cut into lines is not the list's affair. */
const BREAKS = new Set([0x09, 0x0a, 0x0d]);

function characters(isMeant: (character: string, code: number) => boolean): string[] {
  const found: string[] = [];
  for (let code = 0; code <= LAST; code += 1) {
    if (!BREAKS.has(code) && isMeant(String.fromCodePoint(code), code)) found.push(code.toString(16));
  }
  return found;
}

/** Behind a letter of Latin script, where nothing is joined. */
const isWritten = (character: string): boolean => showHidden(`a${character}b`) !== `a${character}b`;

/** The ranges of a source: single code points are ranges of one. */
function inRanges(ranges: readonly (readonly [number, number])[]): string[] {
  return characters((_character, code) => ranges.some(([first, last]) => code >= first && code <= last));
}

describe("the list of characters that do not show", () => {
  it("holds all that Unicode says is ignored or turns the direction", () => {
    const isNothing = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cc}]/u;
    expect(characters((character) => isNothing.test(character) && !isWritten(character))).toEqual([]);
    expect(
      characters((character) => isNothing.test(character) && hiddenInPath(`a${character}b`) === undefined),
    ).toEqual([]);
  });

  it("is that of the Neovim client", () => {
    const source = readFileSync(join(root, "client-nvim/lua/agentq/review/visible.lua"), "utf8");
    const list = /local HIDDEN = \{\n([^]*?)\n\}\n/.exec(source)?.[1] ?? "";
    const ranges = [...list.matchAll(/\{ (0x\w+), (0x\w+) \}/g)].map(
      (each) => [Number(each[1]), Number(each[2])] as const,
    );
    expect(inRanges(ranges)).toEqual(characters(isWritten));
  });

  it("is that of the Emacs client", () => {
    const source = readFileSync(join(root, "client-emacs/agentq-visible.el"), "utf8");
    const list = /\(rx \(any ([^]*?)\)\)\n/.exec(source)?.[1]?.replaceAll(/;.*/g, "") ?? "";
    const ranges = [...list.matchAll(/\((\S+) \. (\S+)\)|(?<![(.] ?)#x\w+/g)].map(
      ([one, first = one, last = first]) => {
        const [from, to] = [first, last].map((each) => Number(each.replace("#", "0")));
        return [from ?? 0, to ?? 0] as const;
      },
    );
    expect(inRanges(ranges)).toEqual(characters(isWritten));
  });

  it("leaves emoji and words of scripts that join as they are, in texts and in paths", () => {
    for (const text of [
      "\u{1F469}\u200D\u{1F4BB}",
      "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645",
      "\u2764\uFE0F",
      "1\uFE0F\u20E3",
    ]) {
      expect(showHidden(text)).toBe(text);
      expect(hiddenInPath(`src/${text}.ts`)).toBeUndefined();
    }
  });

  it.each(["a\u200Db.ts", "a\u200C.ts", "src/\uFE0Fa.ts", "a.ts\uFE0F", "a\u202Eb", "a\nb", "a\uD800b"])(
    "refuses the path %j, which reads as another one",
    (path) => {
      expect(hiddenInPath(path)).toMatch(/^U\+/);
      expect(showHiddenInPath(path)).toMatch(/<U\+[0-9A-F]{4}>/);
    },
  );
});
