import { afterAll, describe, expect, it } from "vitest";
import { createGetDiagnostics } from "../../server/src/tools/introspection/get-diagnostics.ts";
import type { ToolAnswer } from "../../server/src/tools/tool.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";
import { openShapes } from "./shapes-project.ts";

const { service, ask, edit, close, dispose } = openShapes();
const tool = createGetDiagnostics(service);
afterAll(dispose);

async function answerOf(
  project: TestProject,
  args: Record<string, unknown>,
  signal: AbortSignal = AbortSignal.timeout(60_000),
): Promise<ToolAnswer> {
  const context = { callId: "1", caller: "model", signal } as const;
  return (await createGetDiagnostics(project.service).run(args, context)) as ToolAnswer;
}

async function inProject(
  files: Record<string, string | Buffer>,
  check: (project: TestProject) => Promise<void>,
): Promise<void> {
  const project = openProject(files);
  try {
    await check(project);
  } finally {
    await project.dispose();
  }
}

describe("get_diagnostics", () => {
  it("counts the most frequent problems first where there are many", async () => {
    const wrong = Array.from({ length: 30 }, (_, index) => `export const a${index}: string = ${index};`);
    const missing = Array.from({ length: 15 }, (_, index) => `nowhere${index};`);
    await inProject({ "tsconfig.json": "{}", "src/a.ts": [...missing, ...wrong].join("\n") }, async (project) => {
      const { content } = await answerOf(project, { limit: 10 });
      expect(content).toMatch(/By code \(2\):\n {2}TS2322 ×30, such as: Type 'number'.*\n {2}TS2304 ×15, such as: /);
    });
  });

  it.each([
    ["the-workspace", {}],
    ["the-workspace-with-suggestions", { severity: "suggestion" }],
    ["a-page-of-the-workspace", { limit: 2 }],
    ["the-next-page", { limit: 2, cursor: "2" }],
    ["a-file", { path: "src/wrong.ts" }],
    ["only-the-errors-of-a-file", { path: "src/wrong.ts", severity: "error" }],
    ["a-file-with-syntax-errors", { path: "src/unfinished.ts" }],
    ["a-file-without-errors", { path: "src/classes.ts" }],
    ["a-folder", { path: "src", severity: "error", limit: 1 }],
    ["a-tsconfig", { path: "tsconfig.json", severity: "error", limit: 1 }],
    ["a-symbol", { symbol: "Fast" }],
    ["a-member", { symbol: "Fast.step" }],
    ["a-symbol-without-errors", { symbol: "add" }],
    ["a-symbol-in-a-file", { symbol: "near", file: "src/wrong.ts" }],
    ["an-unknown-symbol", { symbol: "Fastt" }],
    ["an-unknown-file", { path: "src/wrongg.ts" }],
    ["a-file-that-is-not-typescript", { path: "notes.txt" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/get-diagnostics/${name}.txt`);
  });

  it("checks text that is not saved, and counts places in UTF-16", async () => {
    edit("src/inside.ts", 'const smile = "😀ü"; export const late: string = 3;\n');
    expect(await ask(tool, { path: "src/inside.ts" })).toContain(
      "1:35 error TS2322: Type 'number' is not assignable to type 'string'.",
    );
    close("src/inside.ts");
    expect(await ask(tool, { path: "src/inside.ts" })).toContain("No errors, warnings or suggestions in src/inside.ts");
  });

  it("names a tsconfig that extends a file that is not there", async () => {
    await inProject(
      {
        "tsconfig.json": '{ "extends": "./missing.json",\n  "compilerOptions": { "types": [] } }',
        "a.ts": "export const a = 1;\n",
      },
      async (project) => {
        const { content } = await answerOf(project, {});
        expect(content).toMatch(/^1 error in the workspace; 1 file checked/);
        expect(content).toContain("tsconfig.json\n");
        expect(content).toMatch(/error TS5083: Cannot read file '[^/]/);
        expect(content).not.toContain(project.root);
      },
    );
  });

  it("names projects that refer to each other in a circle, and checks both", async () => {
    const config = (other: string): string =>
      `{ "compilerOptions": { "composite": true, "types": [] }, "references": [{ "path": "../${other}" }] }`;
    await inProject(
      {
        "tsconfig.json": '{ "files": [], "references": [{ "path": "./one" }, { "path": "./two" }] }',
        "one/tsconfig.json": config("two"),
        "two/tsconfig.json": config("one"),
        "one/a.ts": "export const a: string = 1;\n",
        "two/b.ts": 'export const b: number = "2";\n',
      },
      async (project) => {
        const { content } = await answerOf(project, {});
        expect(content).toMatch(/^3 errors in the workspace; 2 files checked/);
        expect(content).toContain(
          "one/tsconfig.json\n  1:1 error TS6202: Project references may not form a circular graph: one/tsconfig.json → two/tsconfig.json → one/tsconfig.json",
        );
        expect(content).toContain("one/a.ts\n  1:14 error TS2322");
        expect(content).toContain("two/b.ts\n  1:14 error TS2322");
        expect(content).not.toContain(project.root);
      },
    );
  });

  it("reports a problem of two projects only once", async () => {
    await inProject(
      {
        "tsconfig.json":
          '{ "files": [], "references": [{ "path": "tsconfig.app.json" }, { "path": "tsconfig.test.json" }] }',
        "tsconfig.app.json": '{ "compilerOptions": { "types": [] }, "include": ["src"] }',
        "tsconfig.test.json": '{ "compilerOptions": { "types": [] }, "include": ["src", "test"] }',
        "src/a.ts": "export const a: string = 1;\n",
        "test/a.test.ts": 'import { a } from "../src/a.js";\nexport const b: number = a;\n',
      },
      async (project) => {
        const { content } = await answerOf(project, {});
        expect(content).toMatch(/^2 errors in the workspace; 2 files checked/);
      },
    );
  });

  it("answers for 3,000 errors within its budget and pages through all of them", async () => {
    const files: Record<string, string> = { "tsconfig.json": '{ "compilerOptions": { "types": [], "strict": true } }' };
    for (let file = 0; file < 60; file += 1) {
      const lines = Array.from({ length: 50 }, (_each, line) => `export const v${line}: string = ${line};\n`);
      files[`src/file${String(file).padStart(2, "0")}.ts`] = lines.join("");
    }
    await inProject(files, async (project) => {
      const first = await answerOf(project, {});
      expect(first.content).toMatch(/^3000 errors in the workspace; 60 files checked/);
      expect(first.content).toContain("By file (60):");
      expect(first.content).toContain("… and 2000 errors in 40 more files");
      expect(first.content.length).toBeLessThan(9_500);
      const seen = new Set<string>();
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await answerOf(project, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
        let file = "";
        for (const line of page.content.split("\n")) {
          if (/^src\//.test(line)) file = line;
          if (/^ {2}\d+:\d+ error/.test(line)) seen.add(`${file} ${line}`);
        }
        cursor = page.nextCursor;
        pages += 1;
      } while (cursor !== undefined && pages < 200);
      expect(seen.size).toBe(3000);
    });
  });

  it("answers for a broken workspace with totals by code, then by file, and lists one code or all when asked", async () => {
    const files: Record<string, string> = { "tsconfig.json": '{ "compilerOptions": { "types": [] } }' };
    const wrong = Array.from({ length: 40 }, (_each, line) => `export const v${line}: string = ${line};`).join("\n");
    for (let file = 0; file < 10; file += 1) files[`src/f${file}.ts`] = `${wrong}\nnowhere;\n`;
    await inProject(files, async (project) => {
      const { content, nextCursor, truncated } = await answerOf(project, {});
      const [head, codes, most, second, byFile, first] = content.split("\n");
      expect(head).toBe("410 errors in the workspace; 10 files checked, unsaved text included.");
      expect(codes).toBe("By code (2):");
      expect(most).toMatch(/^ {2}TS2322 ×400, such as: Type 'number'/);
      expect(second).toMatch(/^ {2}TS2304 ×10, such as: Cannot find name/);
      expect(byFile).toBe("By file (10):");
      expect(first).toBe("  src/f0.ts: 41 errors");
      expect(content).not.toMatch(/^ {2}\d+:\d+ error/m);
      expect(content.length).toBeLessThan(1_500);
      expect({ nextCursor, truncated }).toEqual({ nextCursor: "0", truncated: true });
      expect((await answerOf(project, { cursor: "0" })).content).toContain("  1:14 error TS2322");
      const one = (await answerOf(project, { code: 2304 })).content;
      expect(one).toMatch(/^10 errors in the workspace with code TS2304; 10 files checked/);
      expect(one.match(/41:1 error TS2304/g)).toHaveLength(10);
      expect((await answerOf(project, { code: 9999 })).content).toMatch(
        /^No errors or warnings in the workspace with code TS9999/,
      );
    });
  });

  it("gives the same advice once", async () => {
    const files = {
      "tsconfig.json": '{ "compilerOptions": { "types": [] } }',
      "src/a.ts": "export const a = process.pid;\nexport const b = process.pid;\n",
    };
    await inProject(files, async (project) => {
      const { content } = await answerOf(project, {});
      expect(content.split("\n").slice(-2)).toEqual([
        expect.stringMatching(
          /^ {2}1:18 error TS2591: Cannot find name 'process'\. Do you need to install type definitions/,
        ),
        "  2:18 error TS2591: Cannot find name 'process'. …",
      ]);
    });
  });

  it("stops when it is cancelled, and answers the next question", async () => {
    const files: Record<string, string> = { "tsconfig.json": '{ "compilerOptions": { "types": [] } }' };
    for (let file = 0; file < 300; file += 1) files[`src/f${file}.ts`] = `export const a${file}: string = ${file};\n`;
    await inProject(files, async (project) => {
      await project.service.ready(AbortSignal.timeout(30_000));
      const cancel = new AbortController();
      const asked = answerOf(project, {}, cancel.signal);
      setImmediate(() => cancel.abort(new Error("enough")));
      await expect(asked).rejects.toThrow("enough");
      expect((await answerOf(project, { path: "src/f7.ts" })).content).toContain("1 error in src/f7.ts");
    });
  });

  it("says that there is nothing to check in a folder without TypeScript", async () => {
    await inProject({ "notes.txt": "nothing\n" }, async (project) => {
      expect((await answerOf(project, {})).content).toMatch(/^No errors or warnings in the workspace: 0 files checked/);
    });
  });

  it("asks for a name when it gets a blank one", async () => {
    await expect(ask(tool, { symbol: " " })).rejects.toThrow("Name a path or symbol");
  });
});
