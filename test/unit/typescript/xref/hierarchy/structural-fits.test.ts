/** Classes that fit an interface are found by their texts before the compiler is asked about any of them. */
import { afterEach, describe, expect, it } from "vitest";
import { findImplementations } from "../../../../../server/src/typescript/xref/hierarchy/implementations.ts";
import { mayDeclare } from "../../../../../server/src/typescript/xref/hierarchy/structural-candidates.ts";
import { resolveSymbol } from "../../../../../server/src/typescript/names/resolve-symbol.ts";
import { openProject, type TestProject } from "../../with-typescript.ts";

let project: TestProject | undefined;
afterEach(() => project?.dispose());

const files = {
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "allowJs": true, "noEmit": true, "types": [] } }',
  "shape.ts": "export interface Shape {\n  area(): number;\n  readonly title: string;\n}\n",
  "whole.ts": 'export class Whole {\n  title = "";\n  area() {\n    return 1;\n  }\n}\n',
  "escaped.ts": 'export class Escaped {\n  t\\u0069tle = "";\n  \\u0061rea() {\n    return 1;\n  }\n}\n',
  "base.ts": 'export class Base {\n  title = "";\n}\n',
  "heir.ts": 'import { Base } from "./base";\nexport class Heir extends Base {\n  area() {\n    return 1;\n  }\n}\n',
  "script.js": 'export class Script {\n  title = "";\n  area() {\n    return 1;\n  }\n}\n',
  "other.ts": 'export class Other {\n  title = "";\n}\nexport const area = 1;\n',
  "none.ts": "export const nothing = 0;\n",
};

async function fitting(): Promise<string[]> {
  const found = await project?.service.query(async (view) => {
    const resolution = await resolveSymbol(view, "shape.ts#Shape");
    if (resolution.kind !== "found") throw new Error("the interface is not found");
    return findImplementations(view, resolution.target);
  }, AbortSignal.timeout(60_000));
  return (found?.found ?? []).map(({ path }) => path).toSorted();
}

const FITTING = ["Escaped", "Heir", "Script", "Whole"];

describe("classes that fit an interface", () => {
  it("are found however their members are spelled and wherever they have them from", async () => {
    project = openProject(files);
    expect(await fitting()).toEqual(FITTING);
  });

  it("are looked for in the texts as they are now, unsaved and on disk", async () => {
    project = openProject(files);
    await fitting();
    const text = files["whole.ts"].replace("Whole", "Unsaved");
    project.service.documents.didOpen({ uri: project.uri("none.ts"), languageId: "typescript", version: 1, text });
    expect(await fitting()).toEqual([...FITTING.slice(0, 3), "Unsaved", "Whole"]);
    project.write("whole.ts", files["none.ts"]);
    expect(await fitting()).toEqual([...FITTING.slice(0, 3), "Unsaved"]);
  });
});

it("fit also where a class has no name of its own", async () => {
  const body = '{\n  title = "";\n  area() {\n    return 1;\n  }\n}';
  project = openProject({
    "tsconfig.json": files["tsconfig.json"],
    "shape.ts": files["shape.ts"],
    "values.ts": `export const Held = class ${body};\nexport const Renamed = class Inner ${body};\nexport const holder = { Part: class ${body} };\nexport class Outer {\n  static Piece = class ${body};\n}\nexport const literal = ${body.replace(";", ",").replace(" =", ":")};\n`,
    "default.ts": `export default class ${body}\n`,
    "exports.js": `exports.Script = class ${body};\n`,
    "heir.ts": 'import { Held } from "./values";\nexport const Heir = class extends Held {};\n',
  });
  const named = ["Heir", "Held", "Outer.Piece", "Renamed.Inner", "Script", "default", "holder.Part"];
  expect(await fitting()).toEqual(named);
});

describe("whether a text with certain words may declare a fitting class", () => {
  it.each([
    ["all the names", "class A { area; title }", true],
    ["some of them and a base", "class A extends B { area }", true],
    ["some of them and an interface", "class A implements B { title }", true],
    ["all of them, and no class", "const a = { area, title }", false],
    ["some of them alone", "class A { area }", false],
    ["none of them", "class A extends B {}", false],
  ])("%s", (_what, text, isPossible) => {
    expect(mayDeclare(new Set(text.match(/\w+/g)), ["area", "title"])).toBe(isPossible);
  });
});
