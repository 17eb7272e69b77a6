import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openSearchWorkspace, type SearchWorkspace } from "./search-workspace.ts";

let opened: SearchWorkspace | undefined;

afterEach(() => opened?.dispose());

function open(...given: Parameters<typeof openSearchWorkspace>): SearchWorkspace {
  return (opened = openSearchWorkspace(...given));
}

describe("search_text", () => {
  it("counts the lines that match and groups them by file", async () => {
    const { ask } = open({
      "src/b.ts": "const total = 1;\n\nexport { total };\n",
      "src/a.ts": "import { total } from './b';\n",
      "README.md": "# Nothing\n",
    });
    expect(await ask({ pattern: "total" })).toBe(
      [
        "3 lines in 2 files",
        "src/a.ts:1: import { total } from './b';",
        "src/b.ts",
        "  1: const total = 1;",
        "  3: export { total };",
      ].join("\n"),
    );
  });

  it("shows the lines around a match, each once", async () => {
    const { ask } = open({ "a.txt": "1\n2\nx\n4\nx\n6\n7\n8\n9\n10\nx\n" });
    expect(await ask({ pattern: "x", context: 1 })).toBe(
      [
        "3 lines in 1 file",
        "a.txt",
        "  2- 2",
        "  3: x",
        "  4- 4",
        "  5: x",
        "  6- 6",
        "  …",
        "  10- 10",
        "  11: x",
      ].join("\n"),
    );
  });

  it("cuts a long line around its match", async () => {
    const { ask } = open({ "min.js": `${"a".repeat(5_000)}needle${"b".repeat(5_000)}\n` });
    const answer = await ask({ pattern: "needle" });
    expect(answer).toMatch(/^1 line in 1 file\nmin\.js:1: …a{80}needleb+…$/);
    expect(answer.length).toBeLessThan(300);
  });

  it("names a file whose matching line is too long to be read", async () => {
    const { ask } = open({ "min.js": `${"a".repeat(2_000_000)}needle\n`, "a.ts": "needle\n" });
    const answer = await ask({ pattern: "needle" });
    expect(answer).toContain("2 lines in 2 files\na.ts:1: needle");
    expect(answer).toContain("Match in lines too long to read: min.js.");
    expect(answer).not.toContain("cursor");
  });

  it("searches hidden files, and neither git's nor those that may hold secrets", async () => {
    const { ask } = open({
      ".github/ci.yml": "needle\n",
      ".eslintrc": "needle\n",
      ".git/config": "needle\n",
      ".env": "needle\n",
      "config/.env.local": "needle\n",
      "server.pem": "needle\n",
    });
    expect(await ask({ pattern: "needle" })).toBe("2 lines in 2 files\n.eslintrc:1: needle\n.github/ci.yml:1: needle");
    expect(await ask({ pattern: "needle", ignored: true })).not.toMatch(/env|git\/|pem/);
    expect(await ask({ pattern: "needle", path: ".env" })).toContain(".env may hold secrets");
    const withGlob = await ask({ pattern: "needle", glob: ".env*" });
    expect(withGlob).toBe("No match in 0 files. 2 files may hold secrets and are never searched.");
    // Whatever is asked about the text of a secret, the answer is the same.
    expect(await ask({ pattern: "nothing at all", glob: ".env*" })).toBe(withGlob);
  });

  it("leaves out what .gitignore names, says so where nothing matches, and searches it when asked to", async () => {
    const { ask } = open({
      ".gitignore": "dist/\n*.gen.ts\n",
      "dist/out.js": "needle\n",
      "src/a.gen.ts": "needle\n",
      "src/a.ts": "hay\n",
      "node_modules/x/index.js": "needle\n",
      "node_modules/x/other.js": "needle\n",
    });
    expect(await ask({ pattern: "needle" })).toBe(
      "No match in 2 files. Not searched: 4 ignored files (node_modules/ 2, dist/ 1, src/ 1); ignored: true searches them too.",
    );
    expect(await ask({ pattern: "needle", glob: "*.ts" })).toContain(
      "No match in 1 file. Not searched: 1 ignored file (src/ 1)",
    );
    expect(await ask({ pattern: "needle", ignored: true })).toContain("4 lines in 4 files");
    expect(await ask({ pattern: "needle", path: "node_modules/x" })).toContain("2 lines in 2 files");
    expect(await ask({ pattern: "needle", path: "dist" })).toContain("dist/out.js:1: needle");
  });

  it("says what would have matched", async () => {
    const { ask } = open({ "a.ts": "call(me)\nOther\n" });
    expect(await ask({ pattern: "call(me)" })).toBe("No match in 1 file.\nliteral: true matches 1 line: a.ts:1");
    expect(await ask({ pattern: "other" })).toBe("No match in 1 file.\nignore_case: true matches 1 line: a.ts:2");
    expect(await ask({ pattern: "call(me)", literal: true })).toContain("a.ts:1: call(me)");
    expect(await ask({ pattern: "other", ignore_case: true })).toContain("a.ts:2: Other");
  });

  it("takes globs with commas between them for a list, and still for one name", async () => {
    const { ask, root } = open({
      "src/a.ts": "needle\n",
      "test/a.ts": "needle\n",
      "a.md": "needle\n",
      "x,y.txt": "needle\n",
    });
    const found = async (glob: string): Promise<string[]> =>
      [...(await ask({ pattern: "needle", glob })).matchAll(/^(.+):1: needle$/gm)].map(([, file = ""]) => file);
    expect(await found("src/*.ts,test/*.ts")).toEqual(["src/a.ts", "test/a.ts"]);
    expect(await found("*.ts, *.md")).toEqual(["a.md", "src/a.ts", "test/a.ts"]);
    expect(await found("*.ts, !test/**")).toEqual(["src/a.ts"]);
    expect(await found("!test/**,!*.md")).toEqual(["src/a.ts", "x,y.txt"]);
    expect(await found("x,y.txt")).toEqual(["x,y.txt"]);
    expect(await found("{src,test}/*.ts,*.md")).toEqual(["a.md", "src/a.ts", "test/a.ts"]);
    expect(await found(`*.md,${join(root, "src/*.ts")}`)).toEqual(["a.md", "src/a.ts"]);
    expect(await ask({ pattern: "needle", glob: "*.ts,{a" })).toContain("cannot be used: a { is not closed");
  });

  it("says where a glob fits no file, and what may be meant by the glob or by slashes round a pattern", async () => {
    const { ask } = open({ "src/a.ts": "Needle\n", "src/b.ts": "/api/\n" });
    expect(await ask({ pattern: "Needle", glob: "ts" })).toBe(
      "No match in 0 files: no file fits the glob ts. *.ts fits 2 files.",
    );
    expect(await ask({ pattern: "Needle", glob: "srcc/**" })).toBe(
      "No match in 0 files: no file fits the glob srcc/**. Did you mean src?",
    );
    expect(await ask({ pattern: "Needle", glob: "src/*.rb" })).toBe(
      "No match in 0 files: no file fits the glob src/*.rb.",
    );
    expect(await ask({ pattern: "/need.e/i" })).toBe(
      "No match in 2 files.\npattern need.e, without the slashes, matches 1 line: src/a.ts:1",
    );
    expect(await ask({ pattern: "/api/" })).toContain("src/b.ts:1: /api/");
  });

  it("answers a pattern that is no regex with ripgrep's reason", async () => {
    const { ask } = open({ "a.ts": "foo(\n" });
    expect(await ask({ pattern: "foo(" })).toBe(
      "The pattern is no regex that ripgrep can read: unclosed group. literal: true searches for the text itself.",
    );
    expect(await ask({ pattern: "(?<=x)foo(" })).toContain("ripgrep can read: missing closing parenthesis. literal");
    expect(await ask({ pattern: "[z-a]" })).toMatch(/ripgrep can read: [^\n]+\. literal: true/);
    expect(await ask({ pattern: "foo(", literal: true })).toContain("a.ts:1: foo(");
  });

  it("looks around and goes over line ends where the pattern says so", async () => {
    const { ask } = open({ "a.ts": "one\ntwo\nthree\n" });
    expect(await ask({ pattern: "t(?=wo)" })).toContain("a.ts:2: two");
    expect(await ask({ pattern: String.raw`one\ntwo` })).toBe("1 line in 1 file\na.ts\n  1: one\n  2: two");
    expect(await ask({ pattern: "two\nthree", literal: true })).toBe("1 line in 1 file\na.ts\n  2: two\n  3: three");
    expect(await ask({ pattern: "e$" })).toContain("2 lines");
  });

  it("reads byte order marks, line ends of Windows and UTF-16, and names what is no UTF-8", async () => {
    const { ask } = open({
      "bom.ts": "\uFEFFneedle\n",
      "crlf.ts": "needle\r\nneedle\r\n",
      "wide.txt": Buffer.from("\uFEFFneedle\n", "utf16le"),
      "latin.txt": Buffer.from("caf\xE9 needle\n", "latin1"),
      "logo.png": Buffer.concat([Buffer.from("needle\n"), Buffer.alloc(40)]),
    });
    const answer = await ask({ pattern: "^(café )?needle$" });
    expect(answer).toBe("4 lines in 3 files\nbom.ts:1: needle\ncrlf.ts\n  1: needle\n  2: needle\nwide.txt:1: needle");
    expect(await ask({ pattern: "needle", path: "latin.txt" })).toBe(
      "1 line in 1 file\nlatin.txt:1: café needle\nNotes:\n- Not UTF-8, shown as Latin-1: latin.txt.",
    );
    expect(await ask({ pattern: "needle", path: "logo.png" })).toContain("Match, but are binary: logo.png.");
  });

  it("stays in a file or folder, and takes a path that is not there for a near one", async () => {
    const { ask, root } = open({ "src/a.ts": "needle\n", "src/deep/b.ts": "needle\n", "test/a.ts": "needle\n" });
    expect(await ask({ pattern: "needle", path: "src" })).toContain("2 lines in 2 files");
    expect(await ask({ pattern: "needle", path: "src/deep/b.ts" })).toBe("1 line in 1 file\nsrc/deep/b.ts:1: needle");
    expect(await ask({ pattern: "needle", path: join(root, "test") })).toContain("test/a.ts:1");
    expect(await ask({ pattern: "needle", path: "b.ts" })).toBe("b.ts does not exist. Did you mean src/deep/b.ts?");
    expect(await ask({ pattern: "needle", glob: "src/**/*.ts" })).toContain("2 lines");
    expect(await ask({ pattern: "needle", glob: join(root, "src/*.ts") })).toContain("1 line in 1 file\nsrc/a.ts");
    expect(await ask({ pattern: "needle", glob: "!src/**" })).toContain("1 line in 1 file\ntest/a.ts");
  });

  it("follows no link, and leads nowhere out of the workspace", async () => {
    const { ask, root, folders } = open({ "src/a.ts": "needle\n" });
    const outside = join(folders[0] ?? "", "../outside");
    mkdirSync(outside);
    symlinkSync(outside, join(root, "link"));
    symlinkSync(join(root, "src/a.ts"), join(root, "same.ts"));
    expect(await ask({ pattern: "needle" })).toBe("1 line in 1 file\nsrc/a.ts:1: needle");
    expect(await ask({ pattern: "needle", path: "link" })).toContain("outside the workspace");
    expect(await ask({ pattern: "needle", path: "../outside" })).toContain("outside the workspace");
    expect(await ask({ pattern: "needle", glob: "../**" })).toBe(
      "The glob ../** cannot be used: it has .., and a search stays in the workspace.",
    );
    expect(await ask({ pattern: "needle", glob: "/etc/**" })).toContain("No match in 0 files");
  });

  it("searches every workspace folder once, also one inside of another", async () => {
    const { ask, folders, write } = open({ "a.ts": "needle\n" }, { folders: ["one", "two", "one/inner"] });
    write({ "inner/c.ts": "needle\n", "../two/a.ts": "needle\n", "../two/b.ts": "needle\n" });
    expect(await ask({ pattern: "needle" })).toBe(
      `4 lines in 4 files\na.ts:1: needle\ninner/c.ts:1: needle\n${folders[1]}/a.ts:1: needle\nb.ts:1: needle`,
    );
    expect(await ask({ pattern: "needle", path: join(folders[1] ?? "", "a.ts") })).toContain("1 line in 1 file");
  });

  it("reads on where it stopped, whatever changed before that place", async () => {
    const lines = (count: number): string => "needle\n".repeat(count);
    const { call, write } = open({ "a.ts": lines(3), "b.ts": lines(3) });
    const first = await call("search_text", { pattern: "needle", limit: 4 });
    expect(first.content).toContain("6 lines in 2 files");
    expect(first.content).toContain("Not shown: 2 lines in 1 file: b.ts 2.");
    expect(first.metadata.nextCursor).toBe("b.ts:1");
    write({ "a.ts": lines(30), "0.ts": lines(5) });
    const second = await call("search_text", { pattern: "needle", cursor: "b.ts:1" });
    expect(second.content).toBe("38 lines in 3 files, after b.ts:1\nb.ts\n  2: needle\n  3: needle");
    const end = await call("search_text", { pattern: "needle", cursor: "b.ts:3" });
    expect(end.content).toContain("Nothing more.");
    expect((await call("search_text", { pattern: "needle", cursor: "7" })).error).toContain('such as "src/a.ts:12"');
  });
});
