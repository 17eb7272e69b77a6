/** What the xref tools do with very much of everything, and with the defects that were seen once. */
import { afterEach, describe, expect, it } from "vitest";
import { createClassHierarchy } from "../../server/src/tools/introspection/class-hierarchy.ts";
import { createFindImplementations } from "../../server/src/tools/introspection/find-implementations.ts";
import { createMethodSpecializers } from "../../server/src/tools/introspection/method-specializers.ts";
import { createWhoReferences } from "../../server/src/tools/introspection/who-references.ts";
import type { Tool, ToolAnswer } from "../../server/src/tools/tool.ts";
import { namesIn } from "../../server/src/typescript/xref/hierarchy/heritage-names.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";

let project: TestProject | undefined;
afterEach(() => project?.dispose());

const config = {
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "module": "esnext", "target": "es2022", "types": [] } }',
};

async function ask(tool: Tool, args: Record<string, unknown>): Promise<ToolAnswer> {
  const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
  return (await tool.run(args, context)) as ToolAnswer;
}

describe("an answer with very many entries", () => {
  it("counts 10,000 mentions, shows a page, and reads on to the last", async () => {
    const reads = Array.from({ length: 9_999 }, (_, index) => `export const v${index} = many;`);
    project = openProject({ ...config, "a.ts": `export let many = 0;\n${reads.join("\n")}\nmany = 1;\n` });
    const tool = createWhoReferences(project.service);
    const first = await ask(tool, { symbol: "many" });
    expect(first.content).toContain("10000 mentions in 1 file, none in tests (1 write, 9999 read");
    expect(first.content.length).toBeLessThan(8_500);
    expect(first.truncated).toBe(true);
    const last = await ask(tool, { symbol: "many", cursor: "9999" });
    expect(last.content).toContain("a.ts:10001 (module) — write: many = 1;");
    expect(last.nextCursor).toBeUndefined();
    const writes = await ask(tool, { symbol: "many", only: "write" });
    expect(writes.content).toContain("a.ts:10001 (module): many = 1;");
  });

  it("says that it looked at no more than a thousand places of a script that spell the name", async () => {
    const calls = Array.from({ length: 1_001 }, () => "many();");
    project = openProject({
      "tsconfig.json": '{ "compilerOptions": { "allowJs": true, "noEmit": true, "types": [] } }',
      "a.js": "function many() {}\nmodule.exports = { many };\n",
      "b.js": `const { many } = require("./a");\n${calls.join("\n")}\n`,
    });
    const { complete, notes } = await ask(createWhoReferences(project.service), { symbol: "a.js#many" });
    expect(complete).toBe(false);
    expect(notes).toContain("Only the first 1000 places of b.js that spell many were looked at.");
  });

  it("finds 300 subclasses, the one behind another name among them", async () => {
    const classes = Array.from({ length: 298 }, (_, index) => `export class InheritsAll${index} extends Base {}`);
    project = openProject({
      ...config,
      "a.ts": `export class Base { run(): void {} }\n${classes.join("\n")}\n`,
      "b.ts":
        'import { InheritsAll7 as Seven } from "./a";\nconst Same = Seven;\nexport class Deep extends Same {}\nexport class Deeper extends Deep { override run(): void {} }\n',
    });
    const hierarchy = await ask(createClassHierarchy(project.service), { symbol: "Base" });
    expect(hierarchy.content).toContain("Declared subtypes: 300 classes");
    expect(hierarchy.truncated).toBe(true);
    const found = await ask(createFindImplementations(project.service), { symbol: "Base.run" });
    expect(found.content).toContain("b.ts:4 Deeper.run — method");
    const specializers = await ask(createMethodSpecializers(project.service), { symbol: "Base.run" });
    expect(specializers.content).toContain("Deeper.run (method, b.ts:4) — extends Deep, override");
    expect(specializers.content).toContain("and 287 more");
  });
});

it("reads the names of heritage clauses past braces, arguments and constraints", () => {
  const { used } = namesIn(
    "class A<T extends No = { a: 1 }> extends mix({ base: B }, C)<D> implements E, F { x = No; }",
  );
  expect(used).toEqual(expect.arrayContaining(["mix", "B", "C", "D", "E", "F"]));
  expect(used).not.toContain("No");
});

it("takes ++ for a write and lists what an inheriting subclass constructs, for class and constructor alike", async () => {
  project = openProject({
    ...config,
    "a.ts": [
      "export let counter = 0;",
      "++counter;",
      "export class Cart { constructor(readonly size: number) {} }",
      "export class SpecialCart extends Cart {}",
      "export const cart = new SpecialCart(counter);",
      "",
    ].join("\n"),
  });
  const { content } = await project.whoCalls({ symbol: "counter" });
  expect(content).toContain("Also mentioned, not as a call: 1 read (a.ts:5), 1 read and write");
  expect(content).not.toContain("a.ts:2 ");
  for (const name of ["Cart", "Cart.constructor"]) {
    const answer = await project.whoCalls({ symbol: name });
    expect(answer.content).toContain("2 call sites in 1 file");
    expect(answer.content).toContain("a.ts:5 cart — new (inherited constructor of SpecialCart)");
    expect(answer.content).toContain("a.ts:4 SpecialCart — super call (implicit");
  }
});

it("says that a subclass was given the member by an assignment, which is not searched", async () => {
  project = openProject({
    "tsconfig.json": '{ "compilerOptions": { "allowJs": true, "noEmit": true, "types": [] } }',
    "a.js":
      "class Base { run() {} other() {} }\nclass Deep extends Base {}\nDeep.prototype.run = function () {};\nmodule.exports = { Base, Deep };\n",
  });
  for (const tool of [createMethodSpecializers(project.service), createFindImplementations(project.service)]) {
    const [parameter = ""] = (tool.inputSchema as { readonly required: readonly string[] }).required;
    const { complete, notes } = await ask(tool, { [parameter]: "Base.run" });
    expect(complete).toBe(false);
    expect(notes).toContain("Not searched: Deep.run is made by an assignment, a.js:3.");
    expect((await ask(tool, { [parameter]: "Base.other" })).complete).toBe(true);
  }
});

it("says that a base cannot be found, and goes on", async () => {
  project = openProject({
    ...config,
    "a.ts": "export class Lost extends Missing {}\nexport class Found extends Lost {}\n",
  });
  const { content } = await ask(createClassHierarchy(project.service), { symbol: "Found" });
  expect(content).toContain("extends Lost (class, a.ts:1)\n    extends Missing — not found by the compiler");
});
