import { afterAll, describe, expect, it } from "vitest";
import { createDocumentOutline } from "../../server/src/tools/introspection/document-outline.ts";
import { openShapes } from "./shapes-project.ts";

const { service, ask, edit, close, dispose } = openShapes();
const tool = createDocumentOutline(service);
afterAll(dispose);

describe("document_outline", () => {
  it.each([
    ["functions", { path: "src/functions.ts" }],
    ["classes-and-types", { path: "src/classes.ts" }],
    ["re-exports-and-namespaces", { path: "src/index.ts" }],
    ["an-unnamed-default-export", { path: "src/inside.ts" }],
    ["javascript", { path: "src/script.js" }],
    ["a-file-with-syntax-errors", { path: "src/unfinished.ts" }],
    ["a-file-of-a-dependency", { path: "node_modules/kit/dist/main.d.ts" }],
    ["only-the-outermost-level", { path: "src/classes.ts", depth: 1 }],
    ["a-page", { path: "src/classes.ts", limit: 3, cursor: "3" }],
    ["a-tsconfig", { path: "tsconfig.json" }],
    ["a-file-that-is-not-typescript", { path: "notes.txt" }],
    ["an-unknown-file", { path: "src/functionz.ts" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/document-outline/${name}.txt`);
  });

  it("shows the types that JavaScript declares in comments", async () => {
    edit(
      "src/script.js",
      `/**
 * @typedef {object} Point
 * @property {number} x How far.
 * @property {number} [y]
 */
/** @typedef {{ width: number, height?: number }} Box */
/**
 * @callback Done
 * @param {string} text
 * @returns {void}
 */
export const origin = 0;
@typed
export class Drawn {}
`,
    );
    const text = await ask(tool, { path: "src/script.js" });
    expect(text).toContain(`
  2-4: @typedef Point
    3: x: number
    4: y?: number
  6: @typedef Box = { width: number, height?: number }
  8-10: @callback Done
  12: export const origin = 0
  13-14: export class Drawn
`);
    close("src/script.js");
  });

  it("shows the outer part of a dotted namespace without the dot", async () => {
    edit("src/inside.ts", "export namespace Outer.Inner {\n  export const one = 1;\n}\n");
    expect(await ask(tool, { path: "src/inside.ts" })).toContain("  1-3: export namespace Outer\n    1-3: Inner\n");
    close("src/inside.ts");
  });

  it("shows tests, nested functions and objects of text that is not saved", async () => {
    edit(
      "src/inside.ts",
      `describe("counting", () => {
  function helper(): number {
    return 1;
  }
  it("adds", () => {
    const local = 2;
  });
});
export const handlers = {
  /** Starts it. */
  start(): void {},
  limits: {
    low: 1,
  },
};
export function outer(): void {
  const inner = (by: number): number => by;
  class Local {
    run(): void {}
  }
}
function describe(title: string, body: () => void): void {}
function it(title: string, body: () => void): void {}
`,
    );
    await expect(await ask(tool, { path: "src/inside.ts" })).toMatchFileSnapshot(
      "snapshots/document-outline/text-that-is-not-saved.txt",
    );
    close("src/inside.ts");
  });

  it("asks for a file when it gets none", async () => {
    await expect(ask(tool, { path: "" })).rejects.toThrow("Name the file");
  });
});
