import { afterAll, describe, expect, it } from "vitest";
import { createListPackageSymbols } from "../../server/src/tools/introspection/list-package-symbols.ts";
import { openProject } from "../unit/typescript/with-typescript.ts";
import { openShapes } from "./shapes-project.ts";

const { service, ask, edit, close, dispose } = openShapes();
const tool = createListPackageSymbols(service);
afterAll(dispose);

describe("list_package_symbols", () => {
  it("gives a default export of a folder's file the name that it is declared by", async () => {
    const project = openProject({ "tsconfig.json": "{}", "src/queue.ts": "export default class Queue {}\n" });
    const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
    const answer = await createListPackageSymbols(project.service).run({ path: "src" }, context);
    await project.dispose();
    expect(answer).toMatchObject({ content: expect.stringContaining("class default (Queue)") });
  });

  it.each([
    ["a-file-of-re-exports", { path: "src/index.ts" }],
    ["what-a-file-does-not-export", { path: "src/index.ts", include_internal: true, limit: 5, cursor: "30" }],
    ["a-file-without-extension", { path: "src/inside", include_internal: true }],
    ["javascript", { path: "src/script.js" }],
    ["a-file-with-an-unnamed-class", { path: "src/unusual.ts" }],
    ["a-package", { path: "kit" }],
    ["a-path-of-a-package", { path: "kit/files" }],
    ["a-path-that-nobody-imports", { path: "kit/unused" }],
    ["a-path-behind-a-pattern", { path: "kit/parts/wheel" }],
    ["a-path-the-package-does-not-offer", { path: "kit/dist/main" }],
    ["a-package-without-exports", { path: "old-kit" }],
    ["a-package-typed-by-another", { path: "plain" }],
    ["a-namespace", { path: "src/index.ts#Tools", include_internal: true }],
    ["a-nested-namespace", { path: "Tools.Deep" }],
    ["a-folder", { path: "src" }],
    ["a-folder-with-internals", { path: "src", include_internal: true }],
    ["a-tsconfig", { path: "tsconfig.json", limit: 2 }],
    ["the-next-page", { path: "src/index.ts", limit: 3, cursor: "3" }],
    ["a-file-with-syntax-errors", { path: "src/unfinished.ts", include_internal: true }],
    ["a-class", { path: "Store" }],
    ["a-function", { path: "add" }],
    ["an-unknown-name", { path: "src/indexx.ts" }],
    ["an-unknown-package", { path: "left-pad" }],
    ["a-file-that-is-not-typescript", { path: "notes.txt" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/list-package-symbols/${name}.txt`);
  });

  it("reads text that is not saved", async () => {
    edit("src/inside.ts", "export const fresh = 1n;\n");
    expect(await ask(tool, { path: "src/inside.ts" })).toContain("  1: fresh: 1n");
    close("src/inside.ts");
  });

  it("leaves nothing behind of a package that nobody imports", async () => {
    for (let round = 1; round <= 20; round += 1) {
      edit("src/inside.ts", `${"//\n".repeat(round % 4)}export const round${round} = ${round};\n`);
      const [own, outside] = await Promise.all([
        ask(tool, { path: "src/inside.ts" }),
        ask(tool, { path: "kit/unused" }),
      ]);
      expect(own).toContain(`  ${(round % 4) + 1}: round${round}: ${round}\n`);
      expect(outside).toContain("unused: boolean");
      close("src/inside.ts");
    }
    expect(service.status().projects).toEqual([{ name: "tsconfig.json", files: 9 }]);
  });

  it("asks for a name when it gets none", async () => {
    await expect(ask(tool, { path: " " })).rejects.toThrow("Name a file");
  });

  it("lists a package of the workspace by what an import of it finds", async () => {
    const project = openProject("ts-workspace");
    try {
      const run = createListPackageSymbols(project.service);
      const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
      const answer = (await run.run({ path: "@rooms/core" }, context)) as { content: string };
      expect(answer.content).toMatch(/^@rooms\/core — \d+ exports?\nIn packages\/core\/src\/index\.ts\n/);
      expect((await run.run({ path: "core" }, context)) as { content: string }).toMatchObject({
        content: expect.stringMatching(/^"core" is no file[^]*\nNearest: packages\/core, @rooms\/core/) as unknown,
      });
    } finally {
      await project.dispose();
    }
  });
});

it("lists which exports of a folder no other file uses, however they are named and passed on", async () => {
  const project = openProject({
    "tsconfig.json": '{ "compilerOptions": { "types": [], "allowImportingTsExtensions": true, "noEmit": true } }',
    "src/a.ts":
      "export const used = 1;\nexport const inside = 2;\nexport const only = inside;\nconst plain = 3;\n" +
      "export { plain as renamed };\nexport default function main(): void {}\nexport interface Shape {}\n",
    "src/b.ts": "export default class Other {}\nexport const said = 1; // used, inside\n",
    "src/index.ts": 'export * from "./b.ts";\n',
    "src/use.ts":
      'import { used, type Shape } from "./a.ts";\nimport * as b from "./b.ts";\nvoid (used as unknown as Shape);\nvoid b.said;\n',
    "src/page.vue": "<script>Other</script>\n",
    "test/a.test.ts": 'import main, { renamed } from "../src/a.ts";\nmain();\nvoid renamed;\nexport const mine = 1;\n',
  });
  try {
    const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
    const unused = async (path: string) =>
      (await createListPackageSymbols(project.service).run({ path, unused: true }, context)) as {
        content: string;
        notes: readonly string[];
      };
    const { content, notes } = await unused("src");
    expect(content).toBe(
      [
        "src — no other file uses 5 of its 8 exports",
        "",
        "src/a.ts",
        "  6: function default (main), used by tests only",
        "  2: variable inside",
        "  3: variable only",
        "  5: variable renamed, used by tests only",
        "",
        "src/b.ts",
        "  1: class default (Other)",
        "",
        "What a framework, a configuration or another workspace takes by its name is not known.",
      ].join("\n"),
    );
    expect(notes.join("\n")).toContain("src/page.vue");
    expect((await unused("src/use.ts")).content).toBe(
      "src/use.ts — other files of the workspace use each of its 0 exports.",
    );
  } finally {
    await project.dispose();
  }
});

it("says what the compiler would need to know a module of Node itself", async () => {
  const project = openProject({
    "tsconfig.json": '{ "compilerOptions": { "types": [] } }',
    "src/a.ts": "export {};\n",
  });
  try {
    const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
    expect(await createListPackageSymbols(project.service).run({ path: "node:fs" }, context)).toMatchObject({
      content:
        "node:fs is a module of Node itself; the compiler does not know it: its types are not installed here (npm install --save-dev @types/node), or no tsconfig includes them.",
    });
  } finally {
    await project.dispose();
  }
});
