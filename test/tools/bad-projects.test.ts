/** Projects as they should not be: every one is answered from, and the answer says what is wrong or was left out. */
import { mkdirSync, symlinkSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { itAtLength, runsAll } from "../support/extent.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";

let project: TestProject;
afterEach(() => project.dispose());

const OPTIONS = '"compilerOptions": { "strict": true, "lib": ["es2022"], "types": [] }';
const small = {
  "tsconfig.json": `{ ${OPTIONS}, "include": ["src"] }`,
  "src/a.ts": "export function add(a: number, b: number): number {\n  return a + b;\n}\n",
  "src/b.ts": 'import { add } from "./a";\nexport const three = add(1, 2);\n',
};
const onlyCall = "src/b.ts:2 three: export const three = add(1, 2);";

async function callersOfAdd(): Promise<{ content: string; complete: boolean; notes: string }> {
  const { content, complete = true, notes = [] } = await project.whoCalls({ symbol: "add" });
  return { content, complete, notes: notes.join("\n") };
}

describe("files that do not compile", () => {
  it("syntax errors hide nothing that can still be read", async () => {
    project = openProject({
      ...small,
      "src/broken.ts":
        'import { add } from "./a";\nexport function half() {\n  return add(1,;\n}\nadd(2, 3;\nconst = ;\n',
    });
    const { content } = await callersOfAdd();
    expect(content).toContain(onlyCall);
    expect(content).toContain("src/broken.ts:3 half");
    expect(content).toContain("src/broken.ts:5 (module)");
    expect((await project.apropos({ pattern: "half" })).content).toContain("src/broken.ts#half");
  });

  itAtLength("3,000 type errors change no answer", async () => {
    const wrong = Array.from(
      { length: 3_000 },
      (_, index) => `export const wrong${index}: string = add(${index}, "");`,
    );
    project = openProject({ ...small, "src/wrong.ts": ['import { add } from "./a";', ...wrong].join("\n") });
    const { content, complete } = await callersOfAdd();
    expect(content).toContain("3001 call sites in 2 files");
    expect(complete).toBe(true);
    expect((await project.describe({ symbol: "add" })).content).toContain("src/wrong.ts 3001");
  });
});

it("an example on a page of prose is no use, what the page imports and shows is one", async () => {
  const page = 'import { B } from "./src/b";\n\nCall `add` or add.\n\n```ts\nadd(1, 2);\n```\n\n';
  project = openProject({ ...small, "page.mdx": `${page}<B from={1} />\n` });
  expect((await callersOfAdd()).notes).not.toContain("page.mdx");
  await project.dispose();
  project = openProject({ ...small, "page.mdx": `${page}{add(1, 2)}\n` });
  expect((await callersOfAdd()).notes).toContain('1 .mdx file contains the word "add"');
  expect((await callersOfAdd()).notes).toContain("page.mdx:9");
  await project.dispose();
  const from = "export class Parts {\n  static from() {}\n}\n";
  project = openProject({ ...small, "src/parts.ts": from, "src/x.vue": "<script>import { a } from './a'</script>\n" });
  expect((await project.whoCalls({ symbol: "Parts.from" })).notes?.join()).not.toContain("x.vue");
});

describe("broken configurations", () => {
  it("circular project references are searched, each project once", async () => {
    const config = (other: string): string =>
      `{ "compilerOptions": { "composite": true, "lib": ["es2022"], "types": [] }, "references": [{ "path": "../${other}" }] }`;
    project = openProject({
      "one/tsconfig.json": config("two"),
      "one/a.ts": small["src/a.ts"],
      "two/tsconfig.json": config("one"),
      "two/b.ts": 'import { add } from "../one/a";\nexport const three = add(1, 2);\n',
    });
    const { content, notes } = await callersOfAdd();
    expect(content).toContain("1 call site in 1 file");
    expect(notes).toContain("one/tsconfig.json");
    expect(notes).toContain("two/tsconfig.json");
  });

  it("a tsconfig that extends a missing file says so", async () => {
    project = openProject({ ...small, "tsconfig.json": '{ "extends": "./nowhere.json", "include": ["src"] }' });
    const { content, notes } = await callersOfAdd();
    expect(content).toContain(onlyCall);
    expect(notes).toMatch(/^tsconfig\.json has errors, so answers may be incomplete: TS\d+ .*nowhere\.json/m);
    expect(notes).not.toContain(project.root);
  });

  it("many tsconfigs with the same errors tell each error once, with some of those that have it", async () => {
    const config = (name: string): [string, string] => [
      `${name}/tsconfig.json`,
      `{ "extends": "@shared/base.json", "compilerOptions": { "types": ["none"]${name === "one" ? "" : ', "noSuchOption": 1'} }, "include": ["."] }`,
    ];
    const names = ["one", "two", "three", "four", "five"];
    project = openProject({
      ...small,
      ...Object.fromEntries(names.map(config)),
      ...Object.fromEntries(names.map((name) => [`${name}/a.ts`, `export const ${name} = 1;\n`])),
    });
    const { content, notes } = await callersOfAdd();
    expect(content).toContain(onlyCall);
    expect(notes).toMatch(/^5 tsconfigs have errors, so answers may be incomplete\. In all: TS6053/m);
    expect(notes).toMatch(/In 4 \((?:\w+\/tsconfig\.json, ){3}…\): TS5023/);
    expect(notes, "what is missing of types takes nothing from the answer").not.toContain("TS2688");
    expect(notes.match(/@shared\/base\.json/g)).toHaveLength(1);
  });

  it("a tsconfig that is no JSON says so, and the sources are searched all the same", async () => {
    project = openProject({ ...small, "tsconfig.json": '{ "include": ["src"' });
    const { content, notes } = await callersOfAdd();
    expect(content).toContain(onlyCall);
    expect(notes).toMatch(/^tsconfig\.json has errors/m);
  });

  it("a tsconfig that includes nothing says so, and the sources are searched as loose files", async () => {
    project = openProject({ ...small, "tsconfig.json": `{ ${OPTIONS}, "include": ["source"] }` });
    const { content, notes } = await callersOfAdd();
    expect(content).toContain(onlyCall);
    expect(notes).toMatch(/^tsconfig\.json has errors.*It includes no file that is there/m);
    expect(notes).toContain("files without a tsconfig (2 files)");
    expect(notes).not.toContain(project.root);
  });

  it("a package name that two folders claim means both of them", async () => {
    project = openProject({
      "tsconfig.json": `{ ${OPTIONS} }`,
      "one/package.json": '{ "name": "twin" }',
      "one/a.ts": "export function left(): void {}\nexport function both(): void {}\n",
      "two/package.json": '{ "name": "twin" }',
      "two/a.ts": "export function right(): void {}\nexport function both(): void {}\n",
    });
    expect((await project.whoCalls({ symbol: "left", path: "twin" })).content).toContain("one/a.ts#left");
    expect((await project.whoCalls({ symbol: "right", path: "twin" })).content).toContain("two/a.ts#right");
    const both = (await project.whoCalls({ symbol: "twin#both" })).content;
    expect(both).toContain('"twin#both" means 2 different symbols');
  });
});

describe("awkward folders", () => {
  it("a symbolic link that leads in a circle is followed once", async () => {
    project = openProject(small);
    symlinkSync("..", `${project.root}/src/again`, "junction");
    const { content } = await callersOfAdd();
    expect(content).toContain("1 call site in 1 file");
    expect(content).toContain(onlyCall);
  });

  it("a folder with the name of a source file is no source file", async () => {
    project = openProject(small);
    mkdirSync(`${project.root}/src/folder.ts`);
    expect((await callersOfAdd()).content).toContain(onlyCall);
  });
});

describe("very large workspaces", () => {
  const many = runsAll ? 20_000 : 300;
  it(`${many} files are all searched when a tsconfig includes them`, { timeout: 120_000 }, async () => {
    const files: Record<string, string> = { ...small };
    for (let index = 0; index < many; index += 1) {
      files[`src/part${index % 200}/tiny${index}.ts`] = `export const tiny${index} = ${index};\n`;
    }
    files["src/part0/tiny0.ts"] = 'import { add } from "../a";\nexport const tiny0 = add(0, 0);\n';
    project = openProject(files);
    const { content, complete, notes } = await callersOfAdd();
    expect(content).toContain("2 call sites in 2 files");
    expect(complete).toBe(true);
    expect(notes).toContain(`Searched tsconfig.json (${many + 2} files)`);
    const found = await project.apropos({ pattern: "tiny", limit: 3 });
    expect(found.content).toMatch(new RegExp(`^${many} symbols match tiny`));
    expect(found.truncated).toBe(true);
  });

  it("loose files over the limit are counted in a note, and the answer is not called complete", async () => {
    const files: Record<string, string> = { "a.ts": small["src/a.ts"] };
    for (let index = 0; index < 1_200; index += 1) files[`z/tiny${index}.ts`] = `export const tiny${index} = 0;\n`;
    project = openProject(files);
    const { complete, notes } = await callersOfAdd();
    expect(complete).toBe(false);
    expect(notes).toContain("Not searched: 201 more files outside every tsconfig.");
  });

  it("10,000 matches are counted, and read on page by page without a gap", async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `export const many${index} = ${index};`);
    project = openProject({ ...small, "src/many.ts": names.join("\n") });
    const first = await project.apropos({ pattern: "many", limit: 40 });
    expect(first.content).toMatch(/^10000 symbols match many/);
    const second = await project.apropos({ pattern: "many", limit: 40, cursor: first.nextCursor });
    const linesOf = (text: string): string[] => text.match(/^ +(?:\S*#)?many\d+/gm) ?? [];
    expect(linesOf(second.content)).toHaveLength(40);
    expect(new Set([...linesOf(first.content), ...linesOf(second.content)]).size).toBe(80);
  });
});

describe("questions that name nothing", () => {
  it("a name that is not there is answered with the nearest ones and what was searched", async () => {
    project = openProject(small);
    const { content } = await project.describe({ symbol: "addd" });
    expect(content).toMatch(/^No symbol "addd" in the loaded projects\.\nNearest: add/);
  });

  it.each(["", "   ", "#", ".", "src/a.ts#", "#2", "a..b", "()"])("the name %j gets a sentence", async (symbol) => {
    project = openProject(small);
    const answer = await project.describe({ symbol }).catch((error: unknown) => ({ content: String(error) }));
    expect(answer.content).toMatch(
      /names no symbol|No symbol|No file, package|[Nn]ame a symbol|module, 1 export|is empty/,
    );
  });

  itAtLength("a regular expression that backtracks for ever is refused in time", async () => {
    project = openProject({ ...small, "src/long.ts": `export const ${"a".repeat(60)}_ = 1;\n` });
    await expect(project.apropos({ pattern: "/^(a+)+$/" })).rejects.toThrow("takes too long");
    expect((await project.apropos({ pattern: "add" })).content).toContain("src/a.ts#add");
  });
});
