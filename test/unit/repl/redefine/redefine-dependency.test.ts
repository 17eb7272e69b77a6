import { afterEach, beforeEach, expect, it } from "vitest";
import { startRedefineImage, type RedefineImage } from "./redefine-project.ts";

const old = "../node_modules/old-style/index.js";
const modern = "../node_modules/modern/index.js";
let t: RedefineImage;
beforeEach(() => {
  t = startRedefineImage();
  t.write("node_modules/old-style/package.json", '{ "name": "old-style", "main": "index.js" }');
  t.write(
    "node_modules/old-style/index.js",
    [
      "'use strict';",
      "const secret = 40; let state = 1; let called = 0; const unused = 7;",
      "function inner(x) { return x + secret + state; }",
      "exports.outer = function outer(x) { called++; return inner(x); };",
      "exports.calls = () => called;",
      "exports.Thing = class { show() { return inner(0); } };",
    ].join("\n"),
  );
  t.write("node_modules/modern/package.json", '{ "name": "modern", "main": "index.js", "type": "module" }');
  t.write(
    "node_modules/modern/index.js",
    "let state = 1;\nfunction inner(x) { return x + state; }\nexport function outer(x) { return inner(x); }\nexport const twice = (x) => inner(x) * 2;\n",
  );
  t.write("node_modules/plain/package.json", '{ "name": "plain", "main": "index.js" }');
  t.write("node_modules/plain/index.js", "const a = 1; module.exports = { a };");
  t.write(
    "src/user.ts",
    "import old from 'old-style'; import { outer, twice } from 'modern';\nexport const go = () => [old.outer(1), outer(1), twice(1)];",
  );
});
afterEach(() => t.dispose());

it("takes a package by its name, with `exports`, and a name of the project's own `imports`", async () => {
  t.write(
    "node_modules/modern/package.json",
    '{ "type": "module", "exports": { ".": "./index.js", "./more": "./lib/m.js" } }',
  );
  t.write("node_modules/modern/lib/m.js", "let deep = 7; export const peek = () => deep;");
  t.write("package.json", '{ "type": "module", "imports": { "#greet": "./src/greet.ts" } }');
  expect(await t.value("import { go } from './src/user.ts'; import { peek } from 'modern/more'; go()")).toBe(
    "[42, 2, 4]",
  );
  await t.install("../modern", "export function outer(x) { return 'by name ' + inner(x) }");
  expect(await t.value("go()[1]")).toBe('"by name 2"');
  expect(await t.inModule("../modern/more", "deep = 8; peek()")).toBe("8");
  expect(await t.inModule("../#greet", "typeof greet")).toBe('"function"');
});

it("reads, writes and redefines inside a package that runs as it is, without having called it", async () => {
  expect(await t.value("import { go } from './src/user.ts'; go()")).toBe("[42, 2, 4]");
  expect(await t.inModule(old, "[secret, state, called]")).toBe("[40, 1, 1]");
  await t.inModule(old, "state = 10; function inner(x) { return `patched ${x} ${state}` }");
  await t.inModule(modern, "state = 5");
  expect(await t.value("go()")).toBe('["patched 1 10", 6, 12]');
  expect(await t.inModule(old, "const mine = state + 1; mine")).toBe("11");
  expect(await t.inModule(old, "mine")).toBe("11");
});

it("installs there, and names the project's modules that see it", async () => {
  await t.value("import { go } from './src/user.ts'; go()");
  const report = await t.installOne(modern, "export function outer(x) { return `new ${inner(x)}` }");
  expect(report.sees).toEqual([{ path: "src/user.ts", how: "import" }]);
  expect(await t.value("go()[1]")).toBe('"new 2"');
});

it("leaves timers, promises and turns that the program waits for alone", async () => {
  await t.value(
    "import './src/user.ts'; const seen = { turns: 0, ticks: 0, loop: 0 }; for (let i = 0; i < 200; i++) setImmediate(() => seen.turns++); const timer = setInterval(() => seen.ticks++, 1); void (async () => { for (;;) { await new Promise((r) => setTimeout(r, 1)); seen.loop++ } })();",
  );
  expect(await t.inModule(old, "state")).toBe("1");
  expect(await t.inModule(modern, "state")).toBe("1");
  const text = await t.value(
    "const before = { ...seen }; while (seen.loop < before.loop + 3 || seen.ticks < before.ticks + 3) await new Promise((r) => setTimeout(r, 2)); seen.turns",
  );
  expect(text).toBe("200");
});

it("says in one sentence what it cannot reach", async () => {
  expect((await t.evaluate("a", { module: t.path("../node_modules/plain/index.js") })).error?.message).toBe(
    "The inside of node_modules/plain/index.js is not reachable: packages run as they are, and none of the functions " +
      "that it exports could be entered. Work with what it exports.",
  );
  expect(await t.failure(old, "const unused = 1")).toBe(
    "Error: unused cannot be reached from outside of node_modules/old-style/index.js: no function there uses it, so the " +
      "engine keeps it to itself. Work with what the module exports.",
  );
  expect(await t.failure(old, "const secret = 1")).toContain("Assignment to constant variable");
  const reload = await t.evaluate("const x = 1", { module: t.path(old), install: { reload: true } });
  expect(reload.error?.message).toBe("A dependency cannot be loaded anew: restart the REPL for that.");
});
