/** With nothing unsaved the tool finds what plain ripgrep finds: the same lines of the same files, and as many. */
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { casesToRun, itAtLength } from "../support/extent.ts";
import { allFound, openSearchWorkspace, plainRipgrep, type SearchWorkspace } from "./search-workspace.ts";

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));
const workspaces: SearchWorkspace[] = [];

afterAll(() => workspaces.forEach((each) => each.dispose()));

const PLAIN = ["--hidden", "--glob=!.git", "--no-require-git"];

async function compare(
  workspace: SearchWorkspace,
  args: Record<string, unknown>,
  plain: readonly string[],
): Promise<number> {
  const ours = await allFound(workspace, args);
  const run = (more: readonly string[]): string[] =>
    plainRipgrep(workspace.root, [...PLAIN, ...more, `--regexp=${String(args["pattern"])}`]);
  // A --glob of ripgrep's brings back files that .gitignore leaves out; the tool's does not.
  const all = new Set(run(plain.filter((each) => !each.startsWith("--glob"))));
  const theirs = run(plain).filter((each) => all.has(each));
  expect(ours.places, JSON.stringify(args)).toEqual(theirs);
  expect(ours.lines).toBe(theirs.length);
  expect(ours.files).toBe(new Set(theirs.map((place) => place.replace(/:\d+$/, ""))).size);
  return ours.pages;
}

describe.each(casesToRun(["ajv", "fast-check", "vscode-languageserver-protocol"]))(
  "search_text over the package %s",
  (name) => {
    const workspace = openSearchWorkspace();
    workspaces.push(workspace);
    cpSync(join(modules, name), workspace.root, {
      recursive: true,
      filter: (path) => !path.slice(modules.length + name.length).includes("node_modules"),
    });

    it.each([
      [{ pattern: "deprecated" }, []],
      [{ pattern: String.raw`\bclass [A-Z]\w+ extends` }, []],
      [{ pattern: "^export default", glob: "*.js" }, ["--glob=*.js"]],
      [{ pattern: "interface", glob: "**/*.d.ts" }, ["--glob=**/*.d.ts"]],
      [{ pattern: "error", ignore_case: true, glob: "!*.map" }, ["-i", "--glob=!*.map"]],
      [{ pattern: "Map<string", literal: true }, ["--fixed-strings"]],
      [{ pattern: "(?<!return )this\\.opts" }, ["--pcre2"]],
      [{ pattern: "no such text anywhere 4711" }, []],
    ])("finds what ripgrep finds: %j", async (args, plain) => {
      await compare(workspace, args, plain);
    });
  },
);

describe("search_text over a repository of many files", () => {
  const workspace = openSearchWorkspace(manyFiles());
  workspaces.push(workspace);

  itAtLength("finds what ripgrep finds, page after page", async () => {
    expect(await compare(workspace, { pattern: "word17 word1" }, [])).toBeGreaterThan(3);
    await compare(workspace, { pattern: "^word3 .*word9$", glob: "src/**" }, ["--glob=/src/**"]);
    await compare(workspace, { pattern: "word4[12] word5", glob: "*.{md,json}" }, ["--glob=*.{md,json}"]);
    await compare(workspace, { pattern: "WORD99 WORD9", ignore_case: true, ignored: true }, ["-i", "--no-ignore"]);
  });

  it("counts what is everywhere, and shows the first of it", async () => {
    const result = await workspace.call("search_text", { pattern: "word" });
    const theirs = plainRipgrep(workspace.root, [...PLAIN, "--regexp=word"]);
    expect(theirs.length).toBeGreaterThan(100_000);
    expect(result.content).toMatch(new RegExp(`^${theirs.length} lines in 5\\d{3} files\n`));
    expect(result.content).toMatch(/Not shown: \d+ lines in \d+ files: src\/ \d+/);
    expect(result.content.length).toBeLessThan(9_000);
  });
});

describe("search_text over files that are hard to read", () => {
  const workspace = openSearchWorkspace(oddFiles());
  workspaces.push(workspace);
  symlinkSync("crlf.ts", join(workspace.root, "link.ts"));
  symlinkSync("nested", join(workspace.root, "linked"));
  symlinkSync("nowhere", join(workspace.root, "broken"));

  it.each([
    [{ pattern: "class" }, ["--crlf"]],
    [{ pattern: "^class" }, ["--crlf"]],
    [{ pattern: "\\{\\}$" }, ["--crlf"]],
    [{ pattern: String.raw`\r` }, []],
    [{ pattern: String.raw`\{\}\r$` }, []],
    [{ pattern: "\r", literal: true }, ["--fixed-strings"]],
    [{ pattern: "[^\\x00-\\x7F]" }, ["--crlf"]],
    [{ pattern: "CLASS (wide|bom|ümlaut)", ignore_case: true }, ["--crlf", "-i"]],
    [{ pattern: "class", ignored: true }, ["--crlf", "--no-ignore"]],
    [{ pattern: "class", glob: "nested/**" }, ["--crlf", "--glob=/nested/**"]],
    [{ pattern: "class", glob: "*.skip" }, ["--crlf", "--glob=*.skip"]],
  ])("finds what ripgrep finds: %j", async (args, plain) => {
    await compare(workspace, args, plain);
  });
});

/** Encodings, line ends, names and rules of all kinds. */
function oddFiles(): Record<string, string | Buffer> {
  const wide = Buffer.from("\uFEFFimport a from 'a';\r\nexport class Wide {}\r\n", "utf16le");
  return {
    "crlf.ts": "export class Odd {}\r\n\r\nclass Last {}\r\n",
    "mixed.ts": "class Dos {}\r\nclass Unix {}\n",
    "cr.txt": "class one\rclass two\r",
    "bom.ts": "\uFEFFclass Bom {}\n",
    "wide.ts": wide,
    "wide-big.ts": Buffer.from(wide).swap16(),
    "latin.ts": Buffer.from("// caf\u00E9\nclass Latin {}\n", "latin1"),
    "no-end.txt": "class at the end",
    "separators.txt": "class\u2028of\u0085lines\u000Bthere\n",
    "long.js": `${"a=1;".repeat(50_000)}class Long {}\nclass Next {}\n`,
    ".hidden/hidden.ts": "class Hidden {}\n",
    "name with space.ts": "class Space {}\n",
    "ümlaut-日本.ts": "class Ümlaut {}\n",
    "[x].ts": "class Bracket {}\n",
    "-dash.ts": "class Dash {}\n",
    'quote"s.ts': "class Quote {}\n",
    "nested/.gitignore": "*.skip\n!keep.skip\n/only-here\n",
    "nested/.ignore": "left-out/\n",
    "nested/.rgignore": "by-rg.ts\n",
    "nested/a.skip": "class Skipped {}\n",
    "nested/keep.skip": "class Kept {}\n",
    "nested/only-here": "class Here {}\n",
    "nested/deep/only-here": "class Deeper {}\n",
    "nested/left-out/x.ts": "class X {}\n",
    "nested/by-rg.ts": "class ByRipgrep {}\n",
  };
}

/** Seven thousand files, some of them ignored by one of three .gitignore files. */
function manyFiles(): Record<string, string> {
  const files: Record<string, string> = {
    ".gitignore": "/build/\n*.log\n!keep.log\n",
    "src/part3/.gitignore": "generated*\n",
    "docs/.ignore": "draft/\n",
    "keep.log": "word17 word1\n",
    "lost.log": "word17 word1\n",
  };
  let seed = 1;
  const next = (limit: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  const folders = ["src/part1", "src/part2/deep", "src/part3", "docs", "docs/draft", "build", ".config", "test"];
  const endings = [".ts", ".js", ".md", ".json", ".test.ts", ".generated.txt"];
  for (let index = 0; index < 7_000; index += 1) {
    const name = index % 11 === 0 ? "generated" : "file";
    const path = `${folders[index % folders.length] ?? ""}/${name}${index}${endings[next(endings.length)] ?? ""}`;
    files[path] = Array.from({ length: 20 }, () => `word${next(200)} word${next(200)} word${next(200)}\n`).join("");
  }
  return files;
}
