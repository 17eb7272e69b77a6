/** What a prompt mentions, and what only looks like it. */
import { describe, expect, it } from "vitest";
import { mentionsIn } from "../../../../server/src/conversation/context/mentions.ts";

function written(text: string): string[] {
  return mentionsIn(text).map((mention) => mention.written);
}

describe("a mention", () => {
  it.each([
    ["Look at @src/cart.ts.", ["@src/cart.ts"]],
    ["@src/cart.ts:12-20, and (@lib/) too", ["@src/cart.ts:12-20", "@lib/"]],
    ['the file @"my notes.md"!', ['@"my notes.md"']],
    ["review @diff and @buffer:*Messages*", ["@diff", "@buffer:*Messages*"]],
    ["why does #Cart.total call #src/tax.ts#rate?", ["#Cart.total", "#src/tax.ts#rate"]],
    ["what is in $7, and in $cart?", ["$7", "$cart"]],
    ["@src/a.ts and @src/a.ts again", ["@src/a.ts"]],
  ])("stands in: %s", (text, expected) => {
    expect(written(text)).toEqual(expected);
  });

  it.each([
    "mail me at somebody@example.org",
    "see #123 and PR#45, # Heading",
    "echo $HOME/bin costs $5.99 or US$5, ${name}, $(pwd)",
    "`@src/cart.ts` and `` #Cart ` $7 ``",
    "```ts\n@Injectable()\nclass A { #x = $7 }\n```\ndone",
    "a#b c$d e@f",
  ])("does not stand in: %s", (text) => {
    expect(mentionsIn(text).filter(({ isMeant }) => isMeant)).toEqual([]);
  });

  it("names lines only where they are in their order", () => {
    expect(mentionsIn("@a.ts:3")).toMatchObject([{ name: "a.ts", lines: { first: 3, last: 3 } }]);
    expect(mentionsIn("@a.ts:9-3")).toMatchObject([{ name: "a.ts:9-3" }]);
  });

  it("that may be a word is none where nothing has that name", () => {
    expect(mentionsIn("@param and @scope/name, #fff")).toMatchObject([
      { name: "param", isMeant: false },
      { name: "scope/name", isMeant: false },
      { name: "fff", isMeant: false },
    ]);
  });

  it("is found in time in a text made to be slow", () => {
    const began = process.cpuUsage().user;
    mentionsIn(`${"`".repeat(20_000)}${"@(".repeat(20_000)}${"$a".repeat(20_000)}${"```\n".repeat(5_000)}`);
    expect((process.cpuUsage().user - began) / 1_000).toBeLessThan(10_000);
  });
});
