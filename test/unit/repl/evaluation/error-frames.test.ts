import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { spawn } from "../../../../server/src/process/spawn.ts";
import { toErrorInfo } from "../../../../server/src/repl/evaluation/error-info.ts";
import { createScratch } from "../../../../server/src/repl/confinement/limited/scratch.ts";
import { startTestImage, until, type TestImage } from "../with-image.ts";

let t: TestImage;
beforeAll(() => {
  t = startTestImage();
});
afterAll(() => t.dispose());

const OWN = fileURLToPath(new URL("../../../../", import.meta.url));

it("shows no frame of the image itself, wherever Node says that its code is", () => {
  const stack = [
    "Error: x",
    `    at imp (${OWN}server/src/repl/child/main/modules/module-hooks.ts:60:5)`,
    `    at async Object.keep (file://${OWN}dist/child/boot.cjs:10:3)`,
    `    at user (file://${OWN}test/fixtures/repl-project/src/money.ts:1:1)`,
  ].join("\n");
  const sources = {
    snippet: () => undefined,
    module: () => undefined,
    line: () => undefined,
    shown: String,
    awaits: () => [],
  };
  const { frames } = toErrorInfo({ name: "Error", message: "x", stack }, sources);
  expect(frames.map((frame) => frame.function)).toEqual(["user"]);
});

it("shows no frame of the image for a failed import, a timer and a call of exit", async () => {
  t.write("src/needs-none.ts", "import './none.ts';");
  for (const code of [
    "import './src/none.ts'",
    "import './src/needs-none.ts'",
    "require('./src/none.ts')",
    "import { nothing } from './src/money.ts'",
    "setTimeout(1 as never)",
    "process.exit(1)",
    "process.stdout.write(1 as never)",
  ]) {
    const { error } = await t.evaluate(code);
    expect(error, code).toBeDefined();
    expect(error?.frames.filter(({ uri }) => uri.includes("/repl/child/"))).toEqual([]);
  }
});

it("names the place of a require that finds nothing", async () => {
  const { error } = await t.evaluate("1;\nrequire('./nowhere.ts')");
  expect(error?.frames[0]).toMatchObject({ line: 1, code: "require('./nowhere.ts')" });
});

it("remembers as the last error one that an earlier form threw later", async () => {
  const code = "setTimeout(() => {\n  throw new RangeError('too late');\n}, 5);";
  const { evalId } = await t.evaluate(code);
  await until(() => t.image.lastError()?.error.message === "too late");
  expect(t.image.lastError()).toMatchObject({ code, evalId, error: { name: "RangeError" } });
  expect(t.image.lastError()?.error.frames[0]).toMatchObject({ uri: `repl:${evalId}`, line: 1 });
  const rejecting = await t.evaluate("void Promise.resolve().then(() => { throw new TypeError('unheard') }); 1");
  await until(() => t.image.lastError()?.error.message === "unheard");
  expect(t.image.lastError()?.evalId).toBe(rejecting.evalId);
});

it("gives stacks that are printed the places of the form, and none of the image", async () => {
  const code = [
    "// what is left out of the generated code",
    "interface Amount { cents: number }",
    "",
    "function failing(amount: Amount): Error {",
    "  return new Error('printed');",
    "}",
    "console.log(failing({ cents: 1 }).stack);",
    "failing({ cents: 2 }).stack",
  ].join("\n");
  for (const more of [{}, { module: `${t.root}/src/money.ts` }]) {
    const { stdout, preview, evalId } = await t.evaluate(code, more);
    const [head, first, second, ...rest] = stdout.trimEnd().split("\n");
    expect(head).toBe("Error: printed");
    expect(first).toMatch(new RegExp(`^    at failing \\(repl:${evalId}:5:10\\)$`));
    expect(second).toMatch(new RegExp(`^    at (?:eval \\()?repl:${evalId}:7:13\\)?$`));
    expect(rest).toEqual([]);
    expect(preview).toContain(`repl:${evalId}:5:10`);
    expect(stdout).not.toContain("/child/");
  }
});

it("removes the scratch folders of servers that are gone, and only those", async () => {
  const gone = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
  await new Promise((resolve) => gone.once("close", resolve));
  const left = mkdtempSync(join(tmpdir(), `agentq-image-${gone.pid}-`));
  const living = mkdtempSync(join(tmpdir(), `agentq-image-${process.pid}-`));
  const scratch = createScratch();
  scratch.sweep();
  scratch.dispose();
  expect(existsSync(left)).toBe(false);
  expect(existsSync(living)).toBe(true);
  rmSync(living, { recursive: true });
});

it("says of a test file of vitest what runs it", async () => {
  const open = startTestImage({ confinement: "open" });
  symlinkSync(join(OWN, "node_modules"), join(open.root, "node_modules"), "dir");
  open.write("src/money.test.ts", "import { it } from 'vitest';\nit('adds', () => {});\n");
  const { error, notes } = await open.evaluate("import './src/money.test.ts'");
  await open.dispose();
  expect(error?.message).toMatch(/^Vitest failed to find /);
  expect(notes).toEqual([
    { severity: "hint", message: "A test file of vitest runs in vitest alone: run_tests runs it." },
  ]);
});

it.for([
  [
    "a name that is not exported",
    { "b.ts": "const x: number = 1;\n\nimport { nope } from './c.ts';\nx; nope" },
    "b.ts:3",
  ],
  ["a default that is not exported", { "b.ts": "\nimport nope from './c.ts';\nnope" }, "b.ts:2"],
  [
    "a name that is handed on",
    { "b.ts": "import { z } from './h.ts';\nz", "h.ts": "\nexport { nope as z } from './c.ts'" },
    "h.ts:2",
  ],
  [
    "stars that say different things",
    {
      "b.ts": "\nimport { q } from './e.ts';\nq",
      "e.ts": "export * from './c.ts'; export * from './d.ts'",
      "d.ts": "export const q = 2",
    },
    "b.ts:2",
  ],
  ["what Node has not", { "b.ts": "import fs from 'node:fs';\nimport { nope } from 'node:fs';\nfs; nope" }, "b.ts:2"],
  ["CommonJS that does not parse", { "b.ts": "import './x.cjs'", "x.cjs": "const a = 1;\nconst b = ;" }, "x.cjs:2"],
] as const)("names the place of %s, whoever asks again", async ([title, files, place]) => {
  const folder = `src/link-${title.replaceAll(" ", "-")}`;
  t.write(`${folder}/a.ts`, "import './b.ts';");
  t.write(`${folder}/c.ts`, "export const q = 1;");
  for (const [name, text] of Object.entries(files)) t.write(`${folder}/${name}`, text);
  const code = `1;\nawait import('./${folder}/a.ts')`;
  const places = async (): Promise<(string | undefined)[]> =>
    ((await t.evaluate(code)).error?.frames ?? []).map(({ uri, line }) =>
      uri.startsWith("repl:") ? `form:${line + 1}` : `${uri.split("/").at(-1)}:${line + 1}`,
    );
  const first = await places();
  expect(first[0]).toBe(place);
  expect([[place], [place, "form:2"]]).toContainEqual(first);
  expect([[place], [place, "form:2"]]).toContainEqual(await places());
  await t.evaluate("// another first line");
  const { error } = await t.evaluate(`/* elsewhere */ require('./${folder}/a.ts')`);
  expect(error?.frames.filter(({ uri }) => uri.startsWith("repl:")).every(({ line }) => line === 0)).toBe(true);
});

it("names who imports a file that nobody here loads, and whose bundler would", async () => {
  t.write("src/view.vue", "<template/>");
  t.write("src/viewing.ts", "import './view.vue';");
  for (const [code, importer] of [
    ["import './src/viewing.ts'", "src/viewing.ts"],
    ["import './src/view.vue'", "the REPL"],
  ] as const) {
    const { error } = await t.evaluate(code);
    expect(error?.name).toBe("TypeError [ERR_UNKNOWN_FILE_EXTENSION]");
    const message = `Unknown file extension ".vue" for src/view.vue, imported from ${importer}.`;
    expect(error?.message).toBe(`${message} A bundler would load such a file; the REPL has none.`);
  }
  t.write("vite.config.ts", "export default { define: { __BUILT__: 'true' } };");
  t.write("src/again.ts", "import './view.vue';");
  expect((await t.evaluate("import './src/again.ts'")).error?.message).toContain(
    "What vite.config.ts does with such files",
  );
});

it("says of a name that a build defines where the name is defined, and how to give it a value", async () => {
  t.write("vite.config.ts", "export default { define: { __BUILT__: 'true' } };");
  t.write("src/built.ts", "declare const __BUILT__: boolean;\nexport const mode = __BUILT__ ? 1 : 2;");
  const { error, notes } = await t.evaluate("import { mode } from './src/built.ts'; mode");
  expect(error?.message).toBe("__BUILT__ is not defined");
  expect(notes.map(({ message }) => message).join()).toMatch(
    /^vite\.config\.ts names __BUILT__, .*globalThis\.__BUILT__ = …/,
  );
  await t.evaluate("globalThis.__BUILT__ = true");
  t.write("src/other.ts", "declare const __BUILT__: boolean;\nexport const mode = __BUILT__ ? 1 : 2;");
  expect(await t.value("import { mode } from './src/other.ts'; mode")).toBe("1");
  t.write("src/unknown.ts", "export const x = (globalThis as any, __NOBODY__);");
  expect((await t.evaluate("import './src/unknown.ts'")).notes.map(({ message }) => message).join()).not.toContain(
    "vite",
  );
});

it("says of what a bundler puts into modules that the REPL has none", async () => {
  t.write("src/vite.ts", "export const mode = import.meta.env.MODE;\n");
  t.write("src/other.ts", "export const mode = (globalThis as any).nothing.MODE; // import.meta\n");
  const hinted = async (file: string): Promise<boolean> =>
    (await t.evaluate(`import './src/${file}.ts'`)).notes.some(({ message }) => message.includes("a bundler puts"));
  expect([await hinted("vite"), await hinted("other")]).toEqual([true, false]);
});

it.each(["import", "require"])(
  "loads styles as modules without names, and pictures as their addresses, by %s",
  async (how) => {
    t.write("src/style.module.scss", ".a { }");
    t.write("src/logo.svg", "<svg/>");
    t.write("node_modules/ui/package.json", '{ "name": "ui" }');
    t.write("node_modules/ui/style.css", "a {}");
    const text =
      how === "import"
        ? 'import styles from "./style.module.scss"; import logo from "./logo.svg"; import "ui/style.css"; export const seen = [styles, logo];'
        : 'export const seen = [require("./style.module.scss"), require("./logo.svg")];';
    t.write(`src/${how}ing.${how === "import" ? "ts" : "cts"}`, text);
    const value = await t.value(`import * as it from './src/${how}ing.${how === "import" ? "ts" : "cts"}'; it.seen`);
    expect(value).toMatch(/^\[\{\}, "file:\/\/\S+\/src\/logo\.svg"\]$/);
  },
);

it("says how a port comes back that the module held before it was edited", async () => {
  const text = `import { createServer } from "node:net";
export const server = createServer().listen(Number(process.env["PORT"] ?? 0));
export const ready = new Promise((resolve, reject) => server.on("listening", resolve).on("error", reject));
`;
  t.write("src/listens.ts", text);
  const ask = "import { server, ready } from './src/listens.ts'; await ready; (server.address() as any).port";
  const port = await t.value(ask);
  await t.evaluate(`process.env.PORT = "${port}"`);
  t.write("src/listens.ts", `${text}// Edited.\n`);
  const { error, notes } = await t.evaluate(ask);
  expect(error?.message).toContain("EADDRINUSE");
  const close = /listens there, .*, (\(process.*\?\.close\(\)) gives/.exec(
    notes.map(({ message }) => message).join("\n"),
  )?.[1];
  expect((await t.evaluate(close ?? "throw 0")).error).toBeUndefined();
  t.write("src/listens.ts", `${text}// Edited again.\n`);
  expect(await t.value(ask)).toBe(port);
});

it("tells what failed at the end of a block beside what had failed in the block", async () => {
  const closing = "{ [Symbol.dispose]() { throw new TypeError('while closing') } }";
  const { error } = await t.evaluate(`{ using held = ${closing}; throw new RangeError("first") }`);
  expect(error?.name).toBe("SuppressedError");
  expect(error?.errors?.map(({ name, message }) => `${name}: ${message}`)).toEqual([
    "TypeError: while closing",
    "RangeError: first",
  ]);
});

it("says that a module could not be loaded whose top level threw, and not of an error that a call threw", async () => {
  t.write("src/throws.ts", "export const rate = 2;\nthrow new Error('at once');");
  t.write("src/uses-it.ts", "import { rate } from './throws.ts';\nexport const twice = rate * 2;");
  t.write("src/calls.ts", "export async function late() {\n  await 1;\n  throw new Error('late');\n}");
  const saidOf = async (code: string, module: string): Promise<string[]> =>
    (await t.evaluate(code, { module: `${t.root}/src/${module}` })).notes.flatMap((note) =>
      note.code === "notLoaded" ? [note.message] : [],
    );
  const said = "src/throws.ts could not be loaded: the error comes from its top level.";
  expect(await saidOf("rate", "throws.ts")).toContain(said);
  expect(await saidOf("twice", "uses-it.ts")).toContain(said);
  expect((await saidOf("await late()", "calls.ts")).join()).not.toContain("could not be loaded");
});
