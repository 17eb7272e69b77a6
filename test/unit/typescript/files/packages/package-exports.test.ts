import { describe, expect, it } from "vitest";
import { exportTargets } from "../../../../../server/src/typescript/files/packages/package-exports.ts";

describe("what a path behind a package's name stands for", () => {
  it.each([
    ["the one entry", "./index.js", ".", ["./index.js"]],
    ["no path behind the one entry", "./index.js", "./a", []],
    ["conditions without a path", { types: "./a.d.ts", default: "./a.js" }, ".", ["./a.d.ts", "./a.js"]],
    ["a subpath", { "./a": "./lib/a.js" }, "./a", ["./lib/a.js"]],
    [
      "nested conditions",
      { "./a": { import: { types: "./a.d.mts" }, require: "./a.cjs" } },
      "./a",
      ["./a.d.mts", "./a.cjs"],
    ],
    ["a pattern", { "./parts/*": "./lib/*.js" }, "./parts/deep/b", ["./lib/deep/b.js"]],
    ["a pattern with an end", { "./*.js": "./lib/*.js" }, "./a.js", ["./lib/a.js"]],
    ["the longest pattern", { "./*": "./lib/*", "./in/*": "./other/*" }, "./in/a", ["./other/a"]],
    ["an excluded pattern", { "./*": "./lib/*", "./in/*": null }, "./in/a", []],
    ["the exact path before a pattern", { "./*": "./lib/*", "./a": "./b" }, "./a", ["./b"]],
    ["a list of fallbacks", { "./a": ["./a.js", "./b.js"] }, "./a", ["./a.js", "./b.js"]],
    ["types for a version of TypeScript", { ".": { "types@>=5": "./new.d.ts" } }, ".", ["./new.d.ts"]],
    ["a condition nobody here has", { ".": { deno: "./deno.ts", default: "./a.js" } }, ".", ["./a.js"]],
    ["a path that leads out", { "./a": "../a.js" }, "./a", []],
    ["nothing at all", undefined, ".", []],
  ])("is %s", (_name, exports, subpath, targets) => {
    expect(exportTargets(exports, subpath)).toEqual(targets);
  });
});
