import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { readGlob } from "../../../server/src/search/glob.ts";

const files = [
  "a.ts",
  "b.js",
  "ab.test.ts",
  ".hidden.ts",
  "src/a.ts",
  "src/b.tsx",
  "src/a/a.ts",
  "src/a/b/a.js",
  "src/a/b/ab",
  "test/a.ts",
  "test/src/b.ts",
  "test/.dot/a.ts",
  "a/b.ts",
  "a/[x].ts",
  "a b/c d.ts",
  "ärger/été.ts",
];
const root = mkdtempSync(join(tmpdir(), "agentq-globs-"));
for (const file of files) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), "");
}
afterAll(() => rmSync(root, { recursive: true, force: true }));

function ripgreps(glob: string): string[] | undefined {
  const run = spawnSync(rgPath, ["--no-config", "--files", "--hidden", "--null", `--glob=${glob}`, "./"], {
    cwd: root,
    encoding: "utf8",
  });
  if (run.stderr !== "") return undefined;
  return run.stdout
    .split("\0")
    .filter((name) => name !== "")
    .map((name) => name.slice(2))
    .toSorted();
}

function ours(glob: string): string[] | undefined {
  const reading = readGlob(glob);
  return reading.ok ? files.filter(reading.matches).toSorted() : undefined;
}

describe("a glob", () => {
  it.each([
    "*.ts",
    "*.{ts,tsx}",
    "{src,test}/**",
    "{src/{a,b},test}/**/*.ts",
    "src/*",
    "/src/*.ts",
    "./a.ts",
    "**/a.ts",
    "src/**/a.*",
    "**/b/**",
    "a?.test.ts",
    "[ab].ts",
    "[!a].*",
    "[^a-c]*",
    String.raw`a/\[x\].ts`,
    "a/[[]x].ts",
    "!src",
    "!*.ts",
    "!test/**",
    "!/a/**",
    "?.ts",
    "**",
    "*",
    "* *",
    "src",
    "**/src/**/*.ts",
    "a**b*",
    "{a,b}.{ts,js}",
    "{.hidden,src/a}*.ts",
  ])("means to us what it means to ripgrep: %s", (glob) => {
    const theirs = glob === "./a.ts" ? ["a.ts"] : ripgreps(glob);
    expect(ours(glob)).toEqual(theirs);
  });

  // A class of ripgrep's that excludes characters takes a slash for one of the rest; ours does not.
  it("means the same whatever it is made of", () => {
    const piece = fc.constantFrom(
      "*",
      "**",
      "/",
      "?",
      "a",
      "b",
      "src",
      ".ts",
      ".",
      "{a,b}",
      "{src,test}",
      "[ab]",
      "test",
    );
    const glob = fc
      .tuple(fc.constantFrom("", "", "!"), fc.array(piece, { minLength: 1, maxLength: 7 }))
      .map(([start, pieces]) => start + pieces.join(""))
      .filter(
        (text) =>
          !text.endsWith("/") && !text.includes("//") && !text.includes("..") && !/^!?(?:\.?\/?$|\.\/)/.test(text),
      );
    fc.assert(
      fc.property(glob, (text) => {
        expect(ours(text), text).toEqual(ripgreps(text));
      }),
    );
  });

  it("names what every match is called where there is one name", () => {
    const namesOf = (glob: string): string | undefined => {
      const reading = readGlob(glob);
      return reading.ok ? reading.names : undefined;
    };
    expect(namesOf("*.ts")).toBe("*.ts");
    expect(namesOf("src/**/*.test.ts")).toBe("*.test.ts");
    expect(["!*.ts", "src/**", "*.{ts,js}", "[ab].ts", "a", "include:ts.x"].map(namesOf)).toEqual(
      Array(6).fill(undefined),
    );
  });
});
