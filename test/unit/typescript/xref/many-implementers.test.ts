/** What a question about an interface with many implementers costs the compiler, and that nobody is left out. */
import { afterEach, describe, expect, it } from "vitest";
import { classHierarchy } from "../../../../server/src/typescript/xref/hierarchy/class-hierarchy.ts";
import { findImplementations } from "../../../../server/src/typescript/xref/hierarchy/implementations.ts";
import { resolveSymbol } from "../../../../server/src/typescript/names/resolve-symbol.ts";
import type { SymbolTarget } from "../../../../server/src/typescript/names/tree/declaration.ts";
import type { View } from "../../../../server/src/typescript/view.ts";
import { openProject, type TestProject } from "../with-typescript.ts";

let project: TestProject | undefined;
afterEach(() => project?.dispose());

const shape = "export interface Shape {\n  readonly name: string;\n  area(): number;\n}\n";
const config = '{ "compilerOptions": { "strict": true, "noEmit": true, "types": [] } }';

function shapes(count: number): Record<string, string> {
  const files: Record<string, string> = { "tsconfig.json": config, "shape.ts": shape };
  for (let index = 0; index < count; index += 1) {
    files[`shape${index}.ts`] =
      `import type { Shape } from "./shape";\nexport class Shape${index} implements Shape {\n  readonly name = "a";\n  area() {\n    return ${index};\n  }\n}\n`;
  }
  return files;
}

interface Asked<Answer> {
  readonly answer: Answer;
  /** How often the compiler was asked, by method. */
  readonly requests: Readonly<Record<string, number>>;
}

async function ask<Answer>(
  run: (view: View, target: SymbolTarget) => Promise<Answer>,
  address = "shape.ts#Shape",
): Promise<Asked<Answer> | undefined> {
  return project?.service.query(async (view) => {
    const resolution = await resolveSymbol(view, address);
    if (resolution.kind !== "found") throw new Error(`${address} is not found`);
    const requests: Record<string, number> = {};
    const request = view.request.bind(view);
    view.request = (method, params) => {
      requests[method] = (requests[method] ?? 0) + 1;
      return request(method, params);
    };
    return { answer: await run(view, resolution.target), requests };
  }, AbortSignal.timeout(120_000));
}

async function implementers(address?: string): Promise<string[]> {
  const asked = await ask(findImplementations, address);
  return (asked?.answer?.found ?? []).map(({ path, how }) => `${path} ${how}`).toSorted();
}

describe("an interface with many implementers", () => {
  it("costs one search of the compiler, however many there are", async () => {
    project = openProject(shapes(20));
    const hierarchy = await ask(classHierarchy);
    expect(hierarchy?.answer?.subtypes.all.length).toBe(20);
    expect(hierarchy?.requests).toEqual({ "textDocument/references": 1 });
    const implementations = await ask(findImplementations);
    expect(implementations?.answer?.found.length).toBe(20);
    expect(implementations?.requests).toEqual({});
  });

  it("is answered completely where more implement it than are asked about", async () => {
    project = openProject(shapes(1_005));
    const asked = await ask(classHierarchy);
    expect(asked?.answer?.subtypes.all.length).toBe(1_005);
    expect(asked?.answer?.complete).toBe(true);
  });
});

describe("among many implementers", () => {
  const many = shapes(10);

  it("those below one of them are found, under whatever name it is extended", async () => {
    project = openProject({
      ...many,
      "plain.ts": 'import { Shape0 } from "./shape0";\nexport class Plain extends Shape0 {}\n',
      "renamed.ts": 'import { Shape1 as One } from "./shape1";\nexport class Renamed extends One {}\n',
      "alias.ts": 'import { Shape2 } from "./shape2";\nexport const Two = Shape2;\n',
      "other.ts": 'import { Two } from "./alias";\nexport const Twice = Two;\n',
      "aliased.ts": 'import { Twice } from "./other";\nexport class Aliased extends Twice {}\n',
      "default.ts": 'import { Shape3 } from "./shape3";\nexport default Shape3;\n',
      "by-default.ts": 'import Three from "./default";\nexport class ByDefault extends Three {}\n',
      "re.ts": 'export { Shape4 as Four } from "./shape4";\n',
      "re-exported.ts": 'import { Four } from "./re";\nexport class ReExported extends Four {}\n',
    });
    const found = await implementers();
    for (const name of ["Plain", "Renamed", "Aliased", "ByDefault", "ReExported"]) {
      expect(found).toContain(`${name} declared`);
    }
    expect(found.length).toBe(15);
  });

  it("literals are found by what they are handed to, and others of the same names are not", async () => {
    project = openProject({
      ...many,
      "other-type.ts": "export interface Room {\n  readonly name: string;\n  area(): number;\n}\n",
      "take.ts":
        'import type { Shape } from "./shape";\nimport type { Room } from "./other-type";\nexport declare function take(shape: Shape | undefined): void;\nexport declare function all(...shapes: readonly Shape[]): void;\nexport declare function rent(room: Room): void;\nexport declare function any(value: unknown): void;\n',
      "use.ts":
        'import { all, any, rent, take } from "./take";\ntake({ name: "b", area: () => 1 });\nconst area = () => 2;\nall({\n  name: "c",\n  // shorthand\n  area,\n});\ntake({ name: "d", \\u0061rea() { return 3; } });\ntake({ name: "e", "area": () => 4 });\nrent({ name: "f", area: () => 5 });\nany({ name: "g", area: () => 6 });\n',
    });
    const found = await implementers();
    expect(found.filter((each) => each.endsWith(" typed")).length).toBe(4);
    expect(found.length).toBe(14);
    const members = await implementers("shape.ts#Shape.area");
    expect(members.filter((each) => !each.endsWith(" declared")).length).toBe(4);
    expect(members.length).toBe(14);
  });

  it("literals are found that lack a member which was only just added", async () => {
    project = openProject({
      ...many,
      "shape.ts": shape.replace("{\n", "{\n  fresh(): void;\n"),
      "use.ts":
        'import type { Shape } from "./shape";\ndeclare function take(shape: Shape): void;\ntake({ name: "b", area: () => 1 });\n',
    });
    expect((await implementers()).filter((each) => each.endsWith(" typed")).length).toBe(1);
  });
});
