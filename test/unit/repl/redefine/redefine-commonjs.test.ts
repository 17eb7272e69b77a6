import { beforeEach, expect, it } from "vitest";
import { held, shareRedefineImage, type RedefineImage } from "./redefine-project.ts";

const shared = shareRedefineImage();
let t: RedefineImage;
beforeEach(() => {
  t = shared();
});

const users =
  "import { fromWhole, fromPart } from './src/old/user.cjs'; import { viaDefault, viaName, viaTyped } from './src/modern-user.ts';";

it("reaches the inside of CommonJS that was written as JavaScript, and keeps its strictness", async () => {
  await t.value(users);
  expect(
    await t.inModule("old/format.cjs", "prefix = 'new'; (function (this: unknown) { return this })() === undefined"),
  ).toBe("true");
  expect(await t.value("[fromWhole(1), viaDefault('x')]")).toBe('["new [1]", "new [x]"]');
});

it("patches what the module exports; who destructured or imports by name keeps the old, and is named", async () => {
  expect(await t.value(`${users} [fromWhole(1), fromPart(1), viaDefault('x'), viaName('x')]`)).toBe(
    '["old [1]", "old [1]", "old [x]", "[x]"]',
  );
  const format = await t.installOne("old/format.cjs", "function format(value) { return 'new ' + pad(value) }");
  const pad = await t.installOne("old/format.cjs", "function pad(value) { return '(' + value + ')' }");
  expect(await t.value("[fromWhole(1), fromPart(1), viaDefault('x'), viaName('x')]")).toBe(
    '["new (1)", "old (1)", "new (x)", "[x]"]',
  );
  expect(format.patched).toEqual(["module.exports.format"]);
  expect(format.copies).toEqual([{ path: "src/old/user.cjs", name: "format", why: "destructuredRequire" }]);
  expect(format.sees.map(({ path }) => path)).toEqual(["src/modern-user.ts", "src/old/user.cjs"]);
  expect(pad.copies).toEqual([{ path: "src/modern-user.ts", name: "pad", why: "importsCommonJs" }]);
  expect([held(format), held(pad)]).toEqual([[], []]);
});

it("adds what the form exports to the exports object", async () => {
  await t.value(users);
  const report = await t.install("old/format.cjs", "export function trim(value: string) { return value.trim() }");
  expect(report.newExports).toEqual([]);
  expect(report.names[0]?.patched).toEqual(["module.exports.trim"]);
  expect(await t.value("require('./src/old/format.cjs').trim(' x ')")).toBe('"x"');
});

it("tells what an assignment wrote to, what was there, and who keeps it", async () => {
  await t.value(users);
  const format = await t.installOne("old/format.cjs", "module.exports.format = (value) => 'assigned ' + value");
  expect([format.kind, format.name, format.exportedAs]).toEqual(["assigned", "module.exports.format", ["format"]]);
  expect(format.copies).toEqual([{ path: "src/old/user.cjs", name: "format", why: "destructuredRequire" }]);
  expect(await t.value("[fromWhole(1), fromPart(1)]")).toBe('["assigned 1", "old [1]"]');
  const whole = await t.installOne("old/format.cjs", "module.exports = { format: () => 'replaced' }");
  expect(held(whole)).toContain("src/old/user.cjs whole");
  const prefix = await t.installOne("old/format.cjs", "prefix = 'now'");
  expect([prefix.before, prefix.preview, prefix.name]).toEqual(['"old"', '"now"', "prefix"]);
});

it("takes back assignments of a form that fails", async () => {
  await t.value(users);
  const form = "exports.added = 1; prefix = 'lost'; exports.format = (() => { throw new Error('no') })()";
  expect(await t.failure("old/format.cjs", form)).toBe("Error: no");
  expect(await t.inModule("old/format.cjs", "['added' in exports, prefix]")).toBe('[false, "old"]');
});

it("names no old copy of a class that got one method", async () => {
  t.write("src/old/can.cts", "export class Can { show(): string { return 'can' } }\n");
  t.write("src/old/taker.cjs", "const { Can } = require('./can.cts');\nexports.can = new Can();\n");
  await t.value("const { can } = require('./src/old/taker.cjs');");
  const show = await t.installOne("old/can.cts", "Can.show() { return 'one method' }");
  expect([show.copies, show.holders]).toEqual([[], []]);
  expect(await t.value("can.show()")).toBe('"one method"');
});

it("patches a constant by its name, a class with its instances, and leaves accessors alone", async () => {
  await t.value(users);
  const code = "class Tin { show() { return 'new tin' } }\nconst prefix = 'PRE';";
  await t.value("const tin = new (require('./src/old/format.cjs').Tin)();");
  const { names } = await t.install("old/format.cjs", code);
  expect(names.map(({ name, patched }) => [name, patched])).toEqual([
    ["Tin", ["module.exports.Tin"]],
    ["prefix", undefined],
  ]);
  expect(
    await t.value(
      "const all = require('./src/old/format.cjs'); [tin.show(), new all.Tin() instanceof tin.constructor, all.live, fromWhole(1)]",
    ),
  ).toBe('["new tin", true, "PRE", "PRE [1]"]');
});

it("keeps the prototype and the properties of a constructor of the old style", async () => {
  await t.value(`${users} const box = new (require('./src/old/format.cjs').Box)(5);`);
  const report = await t.installOne("old/format.cjs", "function Box(this: any, value) { this.value = value * 2 }");
  expect(report.carried).toEqual(["count"]);
  expect(
    await t.value(
      "const { Box } = require('./src/old/format.cjs'); [box.show(), new Box(5).show(), box instanceof Box, Box.count, box.constructor === Box]",
    ),
  ).toBe('["box 5", "box 10", true, 3, true]');
});

it("replaces `module.exports` itself where that was the old value", async () => {
  expect(await t.value("const single = require('./src/old/single.cjs'); [single(), single.named()]")).toBe(
    '["single", "named"]',
  );
  const report = await t.installOne("old/single.cjs", "function single() { return 'SINGLE' }");
  expect(report).toMatchObject({ patched: ["module.exports"], carried: ["named"] });
  expect(held(report)).toEqual(["the REPL single"]);
  expect(await t.value("const now = require('./src/old/single.cjs'); [now(), now.named(), single()]")).toBe(
    '["SINGLE", "named", "single"]',
  );
});

/** `path name` of those who see it and of those who keep a copy. */
function told(report: Awaited<ReturnType<RedefineImage["installOne"]>>): unknown {
  const sees = report.sees.map(({ path, as }) => `${path}${as === undefined ? "" : ` as ${as}`}`);
  return { sees, copies: report.copies.map(({ path, name }) => `${path} ${name}`), held: held(report) };
}

it("tells who sees it and who keeps a copy when ES modules pass on what CommonJS exports", async () => {
  t.write("src/x.cjs", "function f() { return 'old' }\nmodule.exports = { f };\n");
  t.write("src/named.mjs", "export { f, f as other, default as whole } from './x.cjs';\n");
  t.write("src/star.mjs", "export * from './x.cjs';\n");
  t.write("src/space.mjs", "export * as space from './x.cjs';\n");
  t.write("src/again.mjs", "import { f } from './x.cjs';\nexport { f as again };\n");
  t.write(
    "src/use.mjs",
    "import { f, other, whole } from './named.mjs';\nimport { f as starred } from './star.mjs';\nimport { space } from './space.mjs';\n" +
      "import { again } from './again.mjs';\nexport const all = () => [f(), other(), starred(), space.f(), again(), whole.f()];\n",
  );
  const all = "import { all } from './src/use.mjs'; all()";
  expect(await t.value(all)).toBe('["old", "old", "old", "old", "old", "old"]');
  const report = await t.installOne("x.cjs", "function f() { return 'new' }");
  expect(await t.value(all)).toBe('["old", "old", "old", "old", "old", "new"]');
  expect(told(report)).toEqual({
    sees: ["src/named.mjs as whole", "src/use.mjs as whole.f"],
    copies: [
      "src/again.mjs f",
      "src/named.mjs f",
      "src/named.mjs other",
      "src/space.mjs space.f",
      "src/star.mjs f",
      "src/use.mjs again",
      "src/use.mjs f",
      "src/use.mjs other",
      "src/use.mjs space",
      "src/use.mjs starred",
    ],
    held: [],
  });
});

it("tells that everybody who has `module.exports` itself keeps it", async () => {
  t.write("src/x.cjs", "function f() { return 'old' }\nmodule.exports = f;\n");
  t.write("src/passes.mjs", "export { default } from './x.cjs';\n");
  t.write(
    "src/use.mjs",
    "import f from './passes.mjs';\nimport x from './x.cjs';\nexport const all = () => [f(), x()];\n",
  );
  t.write("src/requires.cjs", "const f = require('./x.cjs');\nexports.all = () => [f(), require('./x.cjs')()];\n");
  const all = "import { all } from './src/use.mjs'; [...all(), ...require('./src/requires.cjs').all()]";
  expect(await t.value(all)).toBe('["old", "old", "old", "old"]');
  const report = await t.installOne("x.cjs", "function f() { return 'new' }");
  expect(await t.value(all)).toBe('["old", "old", "old", "new"]');
  expect(told(report)).toEqual({
    sees: [],
    copies: ["src/passes.mjs default", "src/requires.cjs f", "src/use.mjs f", "src/use.mjs x"],
    held: [],
  });
});

it("redefines in TypeScript that becomes CommonJS: requirers see it, ES importers keep a copy", async () => {
  expect(await t.value(`${users} viaTyped(1)`)).toBe("2");
  await t.value("const { Counter } = require('./src/old/typed.cts'); const counter = new Counter();");
  const report = await t.installOne("old/typed.cts", "export function next(value: number) { return value + 100 }");
  expect(await t.value("[viaTyped(1), require('./src/old/typed.cts').next(1), counter.up()]")).toBe("[2, 101, 100]");
  expect(report).toMatchObject({
    exportedAs: ["next"],
    copies: [{ path: "src/modern-user.ts", why: "importsCommonJs" }],
  });
});

it("reads undefined, and does not throw, in a cycle of CommonJS modules", async () => {
  expect(await t.value("import { seen } from './src/old/cycle-one.cts'; seen()")).toBe(
    '"two after one, at first undefined"',
  );
  await t.install("old/cycle-two.cts", "export function two() { return `again ${first.one}` }");
  expect(await t.value("seen()")).toBe('"again one"');
});
