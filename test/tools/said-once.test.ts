/** What long answers say in short, and how a reader gets the rest. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressLines } from "../../server/src/tools/answers/brace-addresses.ts";
import { foldAddresses } from "../../server/src/tools/answers/fold-addresses.ts";
import { foldPlaces } from "../../server/src/tools/answers/fold-places.ts";
import { createClassSlots } from "../../server/src/tools/introspection/class-slots.ts";
import { createDescribeSymbol } from "../../server/src/tools/introspection/describe-symbol.ts";
import { createListPackageSymbols } from "../../server/src/tools/introspection/list-package-symbols.ts";
import { createWhoReferences } from "../../server/src/tools/introspection/who-references.ts";
import type { Tool, ToolAnswer } from "../../server/src/tools/tool.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";

function repeat(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("");
}

let project: TestProject;
beforeAll(() => {
  project = openProject({
    "tsconfig.json": '{ "compilerOptions": { "types": [] } }',
    "src/base.ts": `export class Base {\n${repeat(25, (index) => `  m${index}(): void {}\n`)}  over(a: number): void;\n  over(a: string): void;\n  over(): void {}\n}\n`,
    "src/heir.ts": 'import { Base } from "./base";\nexport class Heir extends Base {\n  own = 1;\n}\n',
    "src/used.ts": `import { Base } from "./base";\n${repeat(45, (index) => `export type T${index} = Base | ${index};\n`)}export const made = new Base();\n`,
    "src/all.ts": 'export { Base } from "./base";\nexport { T0, T1, made } from "./used";\n',
  });
});
afterAll(() => project.dispose());

async function ask(tool: Tool, args: Record<string, unknown>): Promise<ToolAnswer> {
  const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
  return (await tool.run(args, context)) as ToolAnswer;
}

describe("a long answer", () => {
  it("names the members of a large class, and lists them where the cursor says", async () => {
    const tool = createDescribeSymbol(project.service);
    const { content, nextCursor } = await ask(tool, { symbol: "Base" });
    expect(content).toContain('28 members with their lines (class_slots: their types; cursor: "0" lists them):');
    expect(content).toContain("  m0 2, m1 3, ");
    expect(content).toContain(", m24 26, over 27 ×3");
    expect(nextCursor).toBe("0");
    expect((await ask(tool, { symbol: "Base", cursor: nextCursor })).content).toContain(
      "  2: m0(): void\n  3: m1(): void",
    );
  });

  it("names what a large class of the project hands down, and who tells its types", async () => {
    const tool = createClassSlots(project.service);
    const { content } = await ask(tool, { symbol: "Heir" });
    expect(content).toMatch(
      /\nFrom Base, in src\/base\.ts\n {2}m0 2, .*, over 27 ×2\n {2}\(class_slots src\/base\.ts#Base tells their types\)/,
    );
    expect((await ask(tool, { symbol: "src/base.ts#Base" })).content).toContain("  2: m0(): void\n");
  });

  it("names types by their lines among many mentions, and quotes them when asked for them alone", async () => {
    const tool = createWhoReferences(project.service);
    const { content } = await ask(tool, { symbol: "Base" });
    expect(content).toContain("src/used.ts:47 made — new: export const made = new Base();  (import: 1; type: 2,3,4,");
    expect(content).toContain('Types are named by their lines: only: "type" quotes them.');
    expect(content).toContain("src/heir.ts:2 Heir — extends: export class Heir extends Base {  (import: 1)");
    const types = await ask(tool, { symbol: "Base", only: "type" });
    expect(types.content).toContain("  2 T0: export type T0 = Base | 0;");
  });

  it("says the file of re-exports once for each kind", async () => {
    const { content } = await ask(createListPackageSymbols(project.service), { path: "src/all.ts" });
    expect(content).toContain("\nTypes\n  from src/used.ts\n    2: T0 = Base | 0\n    3: T1 = Base | 1");
    expect(content).toContain("  Base  — from src/base.ts:1");
  });
});

describe("places", () => {
  const parts = (names: readonly string[], text: (name: string) => string): string[] =>
    names.map((name, index) => `  src/long/folder/${name}.ts:${index + 1} ${text(name)}`);

  it("of one folder stand under it, where that is shorter", () => {
    const lines = parts(["a", "b", "c"], (name) => `f — call: ${name}()`);
    expect(foldPlaces(["Code", ...lines, "end"])).toEqual([
      "Code",
      "  src/long/folder/",
      "    a.ts:1 f — call: a()",
      "    b.ts:2 f — call: b()",
      "    c.ts:3 f — call: c()",
      "end",
    ]);
    const short = ["  x/a.ts:1 a", "  x/b.ts:1 b", "  x/c.ts:1 c"];
    expect(foldPlaces(short)).toEqual(short);
  });

  it("of which the same is said stand behind that, by folder and file", () => {
    const lines = [...parts(["a", "b"], () => "f()"), "  top.ts:9 f()", "  src/long/folder/a.ts:12 f()"];
    expect(foldPlaces(lines)).toEqual(["  f()", "    src/long/folder/: a.ts:1,12, b.ts:2", "    top.ts:9"]);
  });

  it("of three files with one ending say the ending once", () => {
    expect(foldPlaces(parts(["a", "b", "c"], () => "f()"))).toEqual([
      "  f()",
      "    src/long/folder/*.ts: a:1, b:2, c:3",
    ]);
  });

  it("of two files of which the same is said share a line, and twice the same place is counted", () => {
    expect(foldPlaces(parts(["a", "b"], () => "f()"))).toEqual(["  src/long/folder/", "    a.ts:1, b.ts:2 f()"]);
    expect(foldPlaces(["  a.ts:1 f() + f()", "  a.ts:1 f() + f()"])).toEqual(["  a.ts:1 ×2 f() + f()"]);
  });

  it("below a file's own line stay with the file, also under its folder", () => {
    const file = ["src/long/folder/a.ts  (import: 1)", "  3 f: one()", "  4 f: two()"];
    expect(foldPlaces([...file, "src/long/folder/b.ts:5 f: three()"])).toEqual([
      "src/long/folder/",
      "  a.ts  (import: 1)",
      "    3 f: one()",
      "    4 f: two()",
      "  b.ts:5 f: three()",
    ]);
    expect(foldPlaces(file)).toEqual(file);
  });
});

describe("addresses", () => {
  it("of one name are written as a shell writes several files", () => {
    const named = (file: string, line: number, kind = "variable") => ({ address: `${file}#def`, kind, line });
    expect(
      addressLines([
        named("a/x.ts", 1),
        named("b/y.ts", 2),
        named("a/z.ts", 3),
        named("a/w.ts", 4),
        named("a/v.ts", 5, "class"),
      ]),
    ).toEqual(["a/{x,z,w}.ts#def  (variable)", "b/y.ts#def  (variable, line 2)", "a/v.ts#def  (class, line 5)"]);
  });

  it("of one file stand under the file where three follow each other", () => {
    const lines = [
      "  a.ts#A  class, line 1: A",
      "  a.ts#A.b  method, line 2: (): void",
      "  a.ts#C  class, line 3: C",
      "  b.ts#D  class, line 1: D",
    ];
    expect(foldAddresses(lines)).toEqual([
      "  a.ts#",
      "    A  class, line 1: A",
      "    A.b  method, line 2: (): void",
      "    C  class, line 3: C",
      "  b.ts#D  class, line 1: D",
    ]);
  });
});
