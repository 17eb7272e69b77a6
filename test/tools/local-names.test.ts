/** The addresses of variables, parameters and functions inside of functions lead to what they were printed for. */
import { afterAll, expect, it } from "vitest";
import { locateFunction } from "../../server/src/tools/answers/locate-function.ts";
import { createReadSymbol } from "../../server/src/tools/introspection/read-symbol.ts";
import type { ToolAnswer } from "../../server/src/tools/tool.ts";
import { openProject } from "../unit/typescript/with-typescript.ts";

const text = [
  "export function f(n: number, { opt = 1 }: { opt?: number } = {}) {",
  "  const local = n + opt;",
  "  const inner = (k: number) => k * local;",
  "  function deep() { const deeper = local; return deeper; }",
  '  if (n > 1) { const same = 1; void same; } else { const same = "a"; void same; }',
  "  for (let step = 0; step < n; step += 1) void step;",
  "  try { deep(); } catch (error) { void error; }",
  "  class Loc { m() { const inMethod = local; return inMethod; } }",
  "  [1].map((each) => each + local);",
  "  return { local, n, sum: inner(local) + new Loc().m() };",
  "}",
  "export const arrow = (given: number) => { const inArrow = given; return inArrow; };",
  "export const held = { m(taken: number) { const inMember = taken; return inMember; } };",
  "interface Bag { (n: number): number; listen(): void }",
  "const bag = ((n: number) => n) as Bag;",
  "bag.listen = () => { function deepIn() { return bag; } deepIn(); };",
  "const Menu = (n: number) => n;",
  "Menu.Item = function MenuItem() { return 1; };",
  "export const used = [Menu(1), Menu.Item()];",
  "for (const loop of [1]) { const inLoop = loop; void inLoop; }",
  "",
].join("\n");
const project = openProject({
  "tsconfig.json": '{ "compilerOptions": { "target": "es2022", "types": [] } }',
  "a.ts": text,
});
afterAll(() => project.dispose());

const { signal } = new AbortController();
const answer = async (symbol: string): Promise<string> => (await project.describe({ symbol, path: undefined })).content;
const addressIn = (content: string): string => content.split(" — ")[0] ?? "";

/** Of the declaration that the text begins with. */
function placeOf(declared: string, nth = 0): string {
  const at = text
    .split(declared)
    .slice(0, nth + 1)
    .join(declared);
  const lines = at.split("\n");
  const skipped = /^(?:const|let|function|class|\{) /.exec(declared)?.[0].length ?? 0;
  return `a.ts:${lines.length}:${(lines.at(-1) ?? "").length + 1 + skipped}`;
}

it.each([
  ["n: number,", "f.n"],
  ["opt = 1", "f.opt"],
  ["const local", "f.local"],
  ["const inner", "f.inner"],
  ["k: number", "f.inner.k"],
  ["const deeper", "f.deep.deeper"],
  ["const same", "f.same#1"],
  ["let step", "f.step"],
  ["error)", "f.error"],
  ["const inMethod", "f.Loc.m.inMethod"],
  ["each)", "f.each"],
  ["given:", "arrow.given"],
  ["const inArrow", "arrow.inArrow"],
  ["taken:", "held.m.taken"],
  ["const inMember", "held.m.inMember"],
  ["const loop", "loop"],
  ["const inLoop", "inLoop"],
])("%s is a.ts#%s", async (declared, address) => {
  const there = await answer(placeOf(declared));
  expect(addressIn(there)).toBe(`a.ts#${address}`);
  expect(await answer(`a.ts#${address}`)).toBe(there);
});

it("several of one name in a function are told apart by numbers, a property with a variable's name as well", async () => {
  expect(await answer("a.ts#f.same")).toContain("a.ts#f.same#1  (line 5)\n  a.ts#f.same#2  (line 5)");
  expect(await answer(placeOf("const same", 1))).toContain('a.ts#f.same#2 — const, line 5\n  const same: "a"');
  expect(await answer(placeOf("{ local"))).toContain("a.ts#f.local#2 — property, line 10");
  expect(await answer("a.ts#f.local#2")).toContain("a.ts#f.local#2 — property, line 10");
});

it("the name alone, with its function's and without a file, leads there too", async () => {
  expect(addressIn(await answer("f.local"))).toBe("a.ts#f.local");
  expect(addressIn(await answer("Loc.m.inMethod"))).toBe("a.ts#f.Loc.m.inMethod");
  expect(await answer("local")).toContain('No symbol "local"');
});

it("none can be traced, as it exists only while its function runs", async () => {
  const locate = locateFunction(project.service)("a.ts#f.inner", undefined, signal);
  await expect(locate).rejects.toThrow("a.ts#f.inner exists only while the function around it runs");
});

it("a function that is assigned to a declared member has no name beside the member's", async () => {
  expect(addressIn(await answer("a.ts#bag.listen"))).toBe("a.ts#Bag.listen");
  expect(addressIn(await answer("listen"))).toBe("a.ts#Bag.listen");
  expect(addressIn(await answer("a.ts:16"))).toBe("a.ts#Bag.listen");
  // Its text is read, and replaced, by the words of the assignment.
  for (const symbol of ["a.ts:16", "a.ts#bag.listen"]) {
    const read = await createReadSymbol(project.service).run({ symbol }, { callId: "1", caller: "model", signal });
    expect((read as ToolAnswer).content).toMatch(/^a\.ts#bag\.listen — function\n16 {2}bag\.listen = /);
  }
  expect(addressIn(await answer("deepIn"))).toBe("a.ts#deepIn");
  expect((await project.apropos({ pattern: "listen" })).content).toMatch(/^1 symbol matches listen\n/);
});

it("a function's name inside of itself is another name for what it is assigned to", async () => {
  const told = await answer("MenuItem");
  expect(told).toMatch(/^MenuItem is another name for Item, from a\.ts:18\.\na\.ts#Menu\.Item — /);
  expect(told).toContain("1 reference in 1 file");
  expect(addressIn(await answer("a.ts:18"))).toBe("a.ts#Menu.Item");
});
