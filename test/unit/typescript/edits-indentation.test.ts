/** The compiler's edits have the indentation of the file, and leave imports as they are written that they only sort. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { join } from "node:path";
import { diagnosticsOf, quickFixes, sourceActions } from "../../../server/src/typescript/edits/code-actions.ts";
import { indentationIn } from "../../../server/src/typescript/edits/indentation.ts";
import { openProject, type TestProject } from "./with-typescript.ts";

const shape = (indent: string): string =>
  `import type { Shape } from "./names";\nexport namespace N {\n${indent}export class K implements Shape {\n${indent}${indent}own = 1;\n${indent}}\n}\n`;
const FILES = {
  "tsconfig.json": '{ "compilerOptions": { "lib": ["es2022"], "types": [], "strict": true } }',
  "src/names.ts":
    "export const a = 1;\nexport const b = 2;\nexport const c = 3;\nexport interface Shape {\n  area(): number;\n}\n",
  "src/two.ts": shape("  "),
  "src/three.ts": shape("   "),
  "src/four.ts": shape("    "),
  "src/tabs.ts": shape("\t"),
  "src/flat.ts": 'import type { Shape } from "./names";\nexport class K implements Shape {}\n',
  "src/sorted.ts":
    'import {a} from "./names"\nimport {\n  b,\n  c\n} from "./two-names";\nexport const all = [a, b, c];\n',
  "src/unsorted.ts":
    'import {b,c} from "./two-names";\nimport {a} from "./names"\nimport type {Shape} from "./names";\nexport const all: (Shape | number)[] = [a, b, c];\n',
  "src/two-names.ts": 'export { b, c } from "./names";\n',
};

let project: TestProject;
beforeAll(() => {
  project = openProject(FILES);
});
afterAll(() => project.dispose());

async function after(path: keyof typeof FILES, kind?: string): Promise<string> {
  return project.service.query(async (view) => {
    const file = join(project.root, path);
    const [action] =
      kind === undefined
        ? await quickFixes(view, file, await diagnosticsOf(view, file))
        : await sourceActions(view, file, kind);
    const document = TextDocument.create(path, "typescript", 0, FILES[path]);
    return TextDocument.applyEdits(document, [...(action?.files[0]?.edits ?? [])]);
  }, AbortSignal.timeout(60_000));
}

describe("a quick fix", () => {
  it.each([
    ["src/two.ts", "  "],
    ["src/three.ts", "   "],
    ["src/four.ts", "    "],
    ["src/tabs.ts", "\t"],
  ] as const)("has the indentation of %s", async (path, indent) => {
    const text = await after(path);
    expect(text).toContain(`\n${indent.repeat(2)}area(): number {\n${indent.repeat(3)}throw`);
  });

  it("has the indentation of the files around, where the file has none", async () => {
    expect(await after("src/flat.ts")).toContain("{\n  area(): number {\n    throw");
  });
});

describe("imports that are put in order", () => {
  it("stay as they are where they are in order", async () => {
    expect(await after("src/sorted.ts", "source.organizeImports")).toBe(FILES["src/sorted.ts"]);
  });

  it("keep their own text where they move", async () => {
    const text = await after("src/unsorted.ts", "source.sortImports");
    expect(text.split("\n").slice(0, 3).toSorted()).toEqual(
      FILES["src/unsorted.ts"].split("\n").slice(0, 3).toSorted(),
    );
    expect(text).not.toBe(FILES["src/unsorted.ts"]);
  });
});

it.each([
  ["a {\n  b {\n    c\n", { size: 2, isTabs: false }],
  ["a {\n\tb {\n\t\tc\n", { size: 4, isTabs: true }],
  ["/**\n * words\n */\nfunction f() {\n    x;\n}\n", { size: 4, isTabs: false }],
  ["a;\nb;\n", undefined],
])("the indentation of %j is %j", (text, expected) => {
  expect(indentationIn([text])).toEqual(expected);
});
