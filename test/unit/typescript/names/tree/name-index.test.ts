import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { getTouchingPropertyName } from "typescript/unstable/ast";
import { afterEach, describe, expect, it } from "vitest";
import { nameAt } from "../../../../../server/src/typescript/names/name-at.ts";
import { textFilter, textRanker } from "../../../../../server/src/typescript/names/index/name-pattern.ts";
import { openProject, type TestProject } from "../../with-typescript.ts";

let project: TestProject | undefined;
afterEach(() => project?.dispose());

const tsconfig = JSON.stringify({ compilerOptions: { strict: true, lib: ["es2023"], types: [] }, include: ["src"] });
const files = {
  "tsconfig.json": tsconfig,
  "src/things.ts": [
    "export const thingOne = 1, thingTwo: number = 2;",
    "export let thingLater;",
    "export const { thingInside, other: thingRenamed } = { thingInside: 1, other: 2 };",
    "export type ThingAlias = { readonly member: string };",
    "export class ThingClass {}",
    "function thingHidden(): void {}",
    "export { thingHidden as thingShown };",
  ].join("\n"),
  "src/index.ts":
    'export { thingOne, // thingOne {\n  thingTwo } from "./things.ts";\nexport { thingLater } from "./things.ts";\n',
  "src/unrelated.ts": "export const elsewhere = 0;\n",
};

const lines = (content: string): string[] => content.split("\n").filter((line) => line.startsWith("  "));

describe("searching by name", () => {
  it("gives the same answer from some of the files as when all of them were read", async () => {
    project = openProject(files);
    const first = await project.apropos({ pattern: "thing" });
    // An expression may match anything, so it has every file read.
    await project.apropos({ pattern: "/^thing/i", kinds: ["class"] });
    expect((await project.apropos({ pattern: "thing" })).content).toBe(first.content);
  });

  it("lists what is declared, and no name in an export list", async () => {
    project = openProject(files);
    const { content } = await project.apropos({ pattern: "thing", path: "tsconfig.json" });
    const found = lines(content).map((line) => line.trim().split("  ")[0]);
    // The file is said once, above the names.
    expect(found.toSorted()).toEqual([
      "ThingAlias",
      "ThingClass",
      "src/things.ts#",
      "thingHidden",
      "thingInside",
      "thingLater",
      "thingOne",
      "thingRenamed",
      "thingTwo",
    ]);
  });

  it("tells type aliases from classes", async () => {
    project = openProject(files);
    expect(lines((await project.apropos({ pattern: "Thing", kinds: ["type"] })).content)).toHaveLength(1);
    expect(lines((await project.apropos({ pattern: "Thing", kinds: ["class"] })).content)).toHaveLength(1);
  });

  it("knows the names of a file as it is now: typed, written and deleted", async () => {
    project = openProject(files);
    const count = async (pattern: string): Promise<number> =>
      lines((await (project as TestProject).apropos({ pattern, path: "tsconfig.json" })).content).length;
    expect(await count("elsewhere")).toBe(1);
    const uri = project.uri("src/unrelated.ts");
    const text = "export const everything = 1;\n";
    project.service.documents.didOpen({ uri, languageId: "typescript", version: 1, text });
    expect([await count("elsewhere"), await count("everything")]).toEqual([0, 1]);
    project.service.documents.didChange({ uri, version: 2, text: "export const something = 1;\n" });
    expect([await count("everything"), await count("something")]).toEqual([0, 1]);
    project.write("src/more.ts", "export const somethingMore = 1;\n");
    expect(await count("something")).toBe(2);
    rmSync(join(project.root, "src/more.ts"));
    expect(await count("something")).toBe(1);
  });

  it("says that a blank pattern is blank", async () => {
    project = openProject(files);
    await expect(project.apropos({ pattern: "  " })).rejects.toThrow("blank");
  });

  it("rules no text out that has a matching name", () => {
    const name = fc.stringMatching(/^[A-Za-z_$][\w$]{0,12}$/);
    fc.assert(
      fc.property(name, fc.stringMatching(/^[A-Za-z$_]{2,5}$/), (declared, pattern) => {
        const filter = textFilter(pattern);
        if (
          filter === undefined ||
          textRanker(pattern)({ name: declared, lower: declared.toLowerCase() }) === undefined
        )
          return;
        expect(filter(`export const ${declared} = 1;`)).toBe(true);
      }),
    );
  });
});

it("finds the same node at every word as the compiler's own search", async () => {
  project = openProject("ts-project");
  const wrong = await project.service.query(async (view) => {
    const found: string[] = [];
    let words = 0;
    for (const file of view.ownFiles()) {
      const source = (await view.source(file))?.source;
      if (source === undefined) continue;
      for (const { index, 0: word } of source.text.matchAll(/[#\w$]+/g)) {
        words += 1;
        const [own, theirs] = [nameAt(source, index), getTouchingPropertyName(source, index)];
        if (own.kind !== theirs.kind || own.pos !== theirs.pos || own.end !== theirs.end) found.push(`${file} ${word}`);
      }
    }
    expect(words).toBeGreaterThan(500);
    return found;
  }, AbortSignal.timeout(60_000));
  expect(wrong).toEqual([]);
});
