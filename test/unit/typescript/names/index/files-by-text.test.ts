/** A name that no text has is answered from the texts, with the suggestions that the outlines of all files would give. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nearestNames } from "../../../../../server/src/base/spelling.ts";
import { resolveSymbol, type Resolution } from "../../../../../server/src/typescript/names/resolve-symbol.ts";
import type { View } from "../../../../../server/src/typescript/view.ts";
import { openProject, type TestProject } from "../../with-typescript.ts";

const MODULES = 60;

const files: Record<string, string> = {
  "tsconfig.json": '{ "compilerOptions": { "module": "nodenext", "allowJs": true, "types": [] }, "include": ["src"] }',
  "src/shop.ts":
    'export default class {\n  "due date" = 1;\n  close(): void {}\n}\nexport type Order = { lines: { price: number } };\nexport namespace Tax.Rates {\n  export const low = 7;\n}\n',
  "src/escaped.ts": "export const caf\\u00e9Prices = [1];\n",
  "src/old.js": "exports.weigh = function weigh() {};\n/** @typedef {{ grams: number }} Parcel */\n",
};
for (let index = 0; index < MODULES; index += 1) {
  files[`src/part${index}.ts`] =
    `export interface Basket${index} { readonly total${index}: number }\nexport class Buyer${index} {\n  pay${index}(): void {}\n}\nexport const retries${index} = { limit${index}: 3 };\n`;
}

let project: TestProject;
beforeAll(() => (project = openProject(files)));
afterAll(() => project.dispose());

/** The answer, and how many files were outlined for it. */
function resolved(name: string): Promise<{ readonly resolution: Resolution; readonly outlined: number }> {
  return project.service.query(async (view) => {
    const outline = view.outline.bind(view);
    const asked = new Set<string>();
    view.outline = (file) => {
      asked.add(file);
      return outline(file);
    };
    return { resolution: await resolveSymbol(view, name), outlined: asked.size };
  }, AbortSignal.timeout(60_000));
}

async function declaredPaths(view: View): Promise<string[]> {
  const outlines = await Promise.all(view.ownFiles().map((file) => view.outline(file)));
  return outlines.flatMap(({ declarations }) => declarations.map(({ path }) => path));
}

/** One letter of each word in turn is left out, doubled or replaced. */
function misspelled(path: string): string[] {
  const places = [...path.matchAll(/[a-z]{4,}/g)].map(({ index }) => index + 2);
  return places.flatMap((at) => [
    path.slice(0, at) + path.slice(at + 1),
    `${path.slice(0, at)}${path.charAt(at)}${path.slice(at)}`,
    `${path.slice(0, at)}q${path.slice(at + 1)}`,
  ]);
}

describe("a name that is declared nowhere", () => {
  it.each(["zzyzx", "zzyzx.zzyzy"])("needs no outline of a file without anything like it: %s", async (name) => {
    const { resolution, outlined } = await resolved(name);
    expect(resolution).toMatchObject({ kind: "unknown", nearest: [] });
    // Of JavaScript the compiler's own search does not say all; escapes may spell any name.
    expect(outlined).toBeLessThanOrEqual(2);
  });

  it("gets the suggestions that all outlines together would give", async () => {
    const signal = AbortSignal.timeout(60_000);
    const all = await project.service.query(declaredPaths, signal);
    const wanted = ["src/shop", "src/escaped", "src/old", "src/part7", "src/part12"];
    const some = await project.service.query(async (view) => {
      const own = view
        .ownFiles()
        .filter((file) => wanted.some((each) => /[^/]+$/.exec(file)?.[0].startsWith(`${each.slice(4)}.`)));
      const outlines = await Promise.all(own.map((file) => view.outline(file)));
      return outlines.flatMap(({ declarations }) => declarations.map(({ path }) => path));
    }, signal);
    const names = [...new Set(some)].flatMap(misspelled).filter((name) => !all.includes(name));
    expect(names.length).toBeGreaterThan(40);
    for (const name of names) {
      const { resolution } = await resolved(name);
      if (resolution.kind !== "unknown") continue;
      const last = name.split(".").at(-1) ?? name;
      const byPath = nearestNames(name, all, 5);
      const lasts = all.map((path) => path.split(".").at(-1) ?? path);
      expect({ name, nearest: resolution.nearest }).toEqual({
        name,
        nearest: byPath.length > 0 ? byPath : nearestNames(last, lasts, 5),
      });
    }
  });

  it.each([
    ["Order.lines.price", "src/shop.ts"],
    ["Tax.Rates.low", "src/shop.ts"],
    ["caféPrices", "src/escaped.ts"],
    ["weigh", "src/old.js"],
    ["Parcel", "src/old.js"],
    ["retries31.limit31", "src/part31.ts"],
  ])("is not what %s is", async (name, file) => {
    const { resolution } = await resolved(name);
    expect(resolution).toMatchObject({ kind: "found", target: { file: `${project.root}/${file}` } });
  });
});
