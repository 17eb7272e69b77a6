import { describe, expect, it } from "vitest";
import {
  nameMatcher,
  PatternProblem,
  textRanker,
  type Rank,
} from "../../../../../server/src/typescript/names/index/name-pattern.ts";

function textRank(pattern: string, name: string): Rank {
  return textRanker(pattern)({ name, lower: name.toLowerCase() });
}

async function ranksOf(pattern: string, names: readonly string[]): Promise<readonly Rank[]> {
  const matcher = nameMatcher(pattern);
  if ("rankAll" in matcher) return matcher.rankAll(names);
  return names.map((name) => matcher.rank({ name, lower: name.toLowerCase() }));
}

describe("a plain pattern", () => {
  it("ranks exact before case-blind, prefix, humps and substring", () => {
    const names = ["user", "User", "userName", "createUser", "format"];
    expect(names.map((name) => textRank("user", name))).toEqual([0, 1, 2, 4, undefined]);
  });

  it("matches camel humps in order, with humps left out", () => {
    expect(textRank("cUS", "createUserSession")).toBe(3);
    expect(textRank("creSess", "createUserSession")).toBe(3);
    expect(textRank("cSU", "createUserSession")).toBeUndefined();
  });

  it("takes a capital, and a letter behind a sign, for the beginning of a hump", () => {
    expect(textRank("cPC", "RTCPeerConnection")).toBe(3);
    expect(textRank("maxS", "MAX_SAFE")).toBeUndefined();
    expect(textRank("mS", "max_size")).toBe(3);
    expect(textRank("pRe", "parseArea")).toBeUndefined();
  });
});

describe("a regular expression", () => {
  it("matches by its flags, whatever state a global one would keep", async () => {
    expect(await ranksOf("/^re/gi", ["Report", "rest", "fore"])).toEqual([2, 2, undefined]);
  });

  it("is refused with a sentence when it is none", () => {
    expect(() => nameMatcher("/(/")).toThrow(PatternProblem);
  });

  it("is stopped when it backtracks for ever, and holds up nothing meanwhile", async () => {
    const names = [`${"a".repeat(60)}!`];
    const matching = ranksOf("/^(a+)+$/", names);
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 1);
    await expect(matching).rejects.toThrow("takes too long");
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(3);
  });

  it("that takes a while is waited for", async () => {
    // Doubles with every letter: far too long for a moment, well within the time of a thread of its own.
    const names = [`${"a".repeat(20)}!`, "aaa"];
    expect(await ranksOf("/^(a+)+$/", names)).toEqual([undefined, 2]);
  });

  it("cannot reach this process", async () => {
    expect(await ranksOf("/a/", ["constructor", "a"])).toEqual([undefined, 2]);
    await expect(ranksOf("/a/;process.exit()/", ["a"])).resolves.toEqual([undefined]);
  });
});
