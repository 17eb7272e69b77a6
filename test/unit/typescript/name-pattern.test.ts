import { describe, expect, it } from "vitest";
import { nameMatcher, PatternProblem, textRank } from "../../../server/src/typescript/name-pattern.ts";

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
});

describe("a regular expression", () => {
  it("matches by its flags, whatever state a global one would keep", () => {
    expect(nameMatcher("/^re/gi")(["Report", "rest", "fore"])).toEqual([2, 2, undefined]);
  });

  it("is refused with a sentence when it is none", () => {
    expect(() => nameMatcher("/(/")).toThrow(PatternProblem);
  });

  it("is stopped when it backtracks for ever", () => {
    const start = performance.now();
    expect(() => nameMatcher("/^(a+)+$/")([`${"a".repeat(60)}!`])).toThrow("takes too long");
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it("cannot reach this process", () => {
    const match = nameMatcher("/a/");
    expect(match(["constructor", "a"])).toEqual([undefined, 2]);
    expect(() => nameMatcher("/a/;process.exit()/")(["a"])).not.toThrow();
  });
});
