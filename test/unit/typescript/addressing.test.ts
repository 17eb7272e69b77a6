/** What the addresses reach beyond the project's own sources: packages, ambient modules, several folders, JavaScript. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createListPackageSymbols } from "../../../server/src/tools/introspection/list-package-symbols.ts";
import { createWhoCalls } from "../../../server/src/tools/introspection/who-calls.ts";
import type { ToolAnswer } from "../../../server/src/tools/tool.ts";
import { createTypeScript } from "../../../server/src/typescript/typescript-service.ts";
import { openFixture } from "../../tools/ask-fixture.ts";
import { openProject, type TestProject } from "./with-typescript.ts";

let project: TestProject;
afterEach(() => project.dispose());

const withPackage = {
  "tsconfig.json":
    '{ "compilerOptions": { "module": "nodenext", "lib": ["es2022"], "types": [] }, "include": ["src"] }',
  "src/a.ts":
    'import { clink, Cup } from "tea";\nimport { brew } from "kettle:hot";\nclink();\nbrew();\nnew Cup().fill();\n',
  "src/kettle.d.ts": 'declare module "kettle:hot" {\n  export function brew(): void;\n}\n',
  "node_modules/tea/package.json": '{ "name": "tea", "version": "1.0.0", "types": "./index.d.ts" }',
  "node_modules/tea/index.d.ts":
    'export { clink } from "./clink.js";\nexport declare class Cup {\n  fill(): void;\n}\n',
  "node_modules/tea/clink.d.ts": "/** Makes a sound. */\nexport declare function clink(times?: number): void;\n",
};

describe("an installed package", () => {
  it("is addressed by its name, through its re-exports", async () => {
    project = openProject(withPackage);
    const answer = await project.describe({ symbol: "tea#clink" });
    expect(answer.content).toContain("node_modules/tea/clink.d.ts#clink — export declare function");
    expect(answer.content).toContain("function clink(times?: number): void");
    expect(answer.content).toContain("Makes a sound.");
    expect((await project.whoCalls({ symbol: "tea#Cup.fill" })).content).toContain("src/a.ts:5 (module): ");
  });

  it("is found by a bare name that the project does not have", async () => {
    project = openProject(withPackage);
    expect((await project.whoCalls({ symbol: "clink" })).content).toContain("src/a.ts:3 (module): ");
    const found = (await project.apropos({ pattern: "clink" })).content;
    expect(found).toContain("1 in dependencies");
    expect(found).toContain("node_modules/tea/clink.d.ts#clink  2: function");
  });

  it("may declare a module of another name", async () => {
    project = openProject(withPackage);
    expect((await project.whoCalls({ symbol: "brew" })).content).toContain("src/a.ts:4 (module): ");
  });

  it("that is installed while the compiler runs is seen at the next question", async () => {
    const { "node_modules/tea/index.d.ts": index, "node_modules/tea/clink.d.ts": clink, ...rest } = withPackage;
    project = openProject(rest);
    expect((await project.describe({ symbol: "tea#clink" })).content).toContain('No file, package or tsconfig "tea"');
    project.write("node_modules/tea/index.d.ts", index);
    project.write("node_modules/tea/clink.d.ts", clink);
    project.write("node_modules/.package-lock.json", "{}");
    expect((await project.describe({ symbol: "tea#clink" })).content).toContain("Makes a sound.");
  });
});

describe("a file outside of the workspace that the project imports", () => {
  it("is not shown, and the answer names it by its way from the workspace folder", async () => {
    project = openProject({
      "app/tsconfig.json": '{ "compilerOptions": { "types": [] }, "include": ["src"] }',
      "app/src/a.ts": 'import { add } from "../../core/add";\nadd(1, 2);\n',
      "core/add.ts": "export function add(a: number, b: number): number {\n  return a + b;\n}\n",
    });
    const { service, ask } = openFixture(join(project.root, "app"));
    const whoCalls = createWhoCalls(service);
    for (const name of ["add", "../core/add.ts#add"]) {
      const answer = await ask(whoCalls, { symbol: name });
      expect(answer).toContain(
        "Not shown: 1 file outside the workspace folders, or of a name that secrets have: ../core/add.ts.",
      );
      expect(answer).not.toContain("return a + b");
      expect(answer).not.toContain(project.root);
    }
    await service.dispose();
  });
});

describe("a module that is used as a namespace", () => {
  const modules = {
    "src/Effect.ts": "export interface Effect {\n  run(): void;\n}\nexport const fail = (): void => undefined;\n",
    "src/use.ts": 'import * as Effect from "./Effect.ts";\nEffect.fail();\n',
  };

  it("gives its exports the addresses by which they are written", async () => {
    project = openProject(modules);
    expect((await project.whoCalls({ symbol: "Effect.fail" })).content).toContain("src/use.ts:2 (module): ");
    expect((await project.describe({ symbol: "Effect.Effect" })).content).toContain(
      "src/Effect.ts#Effect — export interface",
    );
    expect((await project.describe({ symbol: "Effect.run" })).content).toContain("src/Effect.ts#Effect.run — method");
    expect((await project.describe({ symbol: "Effect.nothing" })).content).toContain('No symbol "Effect.nothing"');
  });
});

describe("a function beside a type of its name", () => {
  it("is no implementation of overloads", async () => {
    project = openProject({ "a.ts": "export interface Made {}\nexport function Made(): Made {\n  return {};\n}\n" });
    const { content } = await project.describe({ symbol: "Made" });
    expect(content).toContain("function Made(): Made\n");
    expect(content).not.toContain("implementation");
  });
});

describe("a name from a module that the compiler does not find", () => {
  const missing = { "a.ts": 'import { useThing } from "nowhere";\nexport const thing = useThing();\n' };
  const passedOn = 'const parser = require("nowhere");\nexports.json = parser.json;\n';

  it("is reported as only imported, with the places", async () => {
    project = openProject(missing);
    expect((await project.describe({ symbol: "useThing" })).content).toBe(
      '"useThing" is only imported or passed on (a.ts:1), and the compiler does not find where it is declared.',
    );
  });

  it("is an export of the JavaScript module that passes it on", async () => {
    project = openProject({ "a.js": passedOn, "b.js": 'const { json } = require("./a");\njson();\n' });
    expect((await project.describe({ symbol: "a.js#json" })).content).toContain(
      "a.js#json — export variable, line 2\n  exports.json = parser.json",
    );
    const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
    const list = createListPackageSymbols(project.service);
    const { content } = (await list.run({ path: "a.js" }, context)) as ToolAnswer;
    expect(content).toBe("a.js — 1 export\n\nVariables\n  2: json: any");
  });
});

describe("names", () => {
  it("of functions inside functions are found, their variables are not", async () => {
    project = openProject({
      "a.ts":
        "export function outer(): number {\n  const value = 1;\n  function inner(): number {\n    return value;\n  }\n  return inner();\n}\n",
    });
    expect((await project.whoCalls({ symbol: "inner" })).content).toContain("a.ts:6 outer: return inner();");
    expect((await project.whoCalls({ symbol: "outer.inner" })).content).toContain("a.ts#outer.inner (function");
    expect((await project.describe({ symbol: "value" })).content).toContain('No symbol "value"');
  });

  it("of members answer with candidates when several types have one", async () => {
    project = openProject({ "a.ts": "class A { run(): void {} }\nclass B { run(): void {} }\nexport { A, B };\n" });
    const answer = (await project.whoCalls({ symbol: "run" })).content;
    expect(answer).toContain('"run" means 2 different symbols (method)');
    expect(answer).toContain("  a.ts#A.run  (line 1)\n  a.ts#B.run  (line 2)");
  });

  it.each([
    ["a function", "export default function (): number {\n  return 1;\n}\n"],
    ["an arrow function", "/** One. */\nexport default (): number => 1;\n"],
    ["an object", "const one = (): number => 1;\nexport default Object.assign(one, {});\n"],
  ])("of an unnamed default export is default: %s", async (_name, text) => {
    project = openProject({ "a.ts": text, "b.ts": 'import one from "./a";\nexport const two = one() + 1;\n' });
    expect((await project.whoCalls({ symbol: "a.ts#default" })).content).toContain("b.ts:2 two: ");
    expect((await project.describe({ symbol: "a.ts#default" })).content).toContain("a.ts#default — ");
  });

  it("of an unnamed default class is default, and its members follow it", async () => {
    project = openProject({
      "a.ts": "export default class {\n  run(): void {}\n}\n",
      "b.ts": 'import Runner from "./a";\nnew Runner().run();\n',
    });
    expect((await project.whoCalls({ symbol: "a.ts#default" })).content).toContain("b.ts:2 (module) — new");
    expect((await project.whoCalls({ symbol: "default.run" })).content).toContain("b.ts:2 (module): ");
  });

  it("may be written in JavaScript when there is no TypeScript", async () => {
    project = openProject({
      "a.js": "export function plain() {}\n",
      "b.js": 'import { plain } from "./a.js";\nplain();\n',
      "jsconfig.json": '{ "compilerOptions": { "module": "esnext" } }',
    });
    expect((await project.whoCalls({ symbol: "plain" })).content).toContain("b.js:2 (module): ");
  });

  it("may be the same in merged declarations of one file, which are one symbol", async () => {
    project = openProject({
      "a.ts":
        "export interface Pair {\n  a: 1;\n}\nexport const Pair = { make(): Pair {\n  return { a: 1 };\n} };\nPair.make();\n",
    });
    const answer = (await project.describe({ symbol: "Pair" })).content;
    expect(answer).toContain("a.ts#Pair — export interface + const");
    expect(answer).toContain("2 declarations");
  });
});

it("answers for several workspace folders, each named in its paths", async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "agentq-folders-")));
  const folders = ["one", "two"].map((name) => join(home, name));
  for (const folder of folders) {
    mkdirSync(folder);
    writeFileSync(join(folder, "tsconfig.json"), '{ "compilerOptions": { "types": [] } }');
  }
  writeFileSync(join(home, "one/a.ts"), "export function both(): void {}\n");
  writeFileSync(join(home, "two/b.ts"), 'import { both } from "../one/a";\nboth();\n');
  const service = createTypeScript({ workspaceFolders: folders, onState: () => undefined, log: () => undefined });
  project = openProject({});
  try {
    const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
    const answer = (await createWhoCalls(service).run({ symbol: "one/a.ts#both" }, context)) as ToolAnswer;
    expect(answer.content).toContain("one/a.ts#both (function, line 1)");
    expect(answer.content).toContain("two/b.ts:2 (module): ");
  } finally {
    await service.dispose();
    rmSync(home, { recursive: true });
  }
});

describe("a line of a file", () => {
  beforeEach(() => {
    project = openProject({
      "src/money.ts":
        "export class Money {\n  constructor(readonly cents: number) {}\n\n  plus(other: Money): Money {\n    const sum = this.cents + other.cents;\n    return new Money(sum);\n  }\n}\n\n// Nothing.\n",
    });
  });

  it("means what is declared on it, or else the innermost declaration around it", async () => {
    for (const [line, address] of [
      ["src/money.ts:1", "src/money.ts#Money — "],
      ["src/money.ts:4:3", "src/money.ts#Money.plus — "],
      ["money.ts:6", "src/money.ts#Money.plus — "],
    ] as const) {
      expect((await project.describe({ symbol: line })).content).toContain(address);
    }
  });

  it("without a declaration gets an answer that says so", async () => {
    expect((await project.describe({ symbol: "src/money.ts:10" })).content).toBe(
      "Nothing is declared on line 10 of src/money.ts.\nNearest: src/money.ts#Money (line 1)",
    );
  });
});

describe("a name that means several symbols", () => {
  it("is answered with the exported ones first and those of tests last", async () => {
    project = openProject({
      "test/a.test.ts": "export function build(): void {}\n",
      "src/inner.ts": "function build(): void {}\nbuild();\nexport {};\n",
      "src/outer.ts": "function build(): void {}\nexport {\n  build,\n};\n",
    });
    const { content } = await project.describe({ symbol: "build" });
    const order = ["src/{outer,inner}.ts#build", "test/a.test.ts#build"].map((name) => content.indexOf(name));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
  });
});
