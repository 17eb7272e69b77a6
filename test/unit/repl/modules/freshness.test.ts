import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { shareImage } from "../share-image.ts";
import type { TestImage } from "../with-image.ts";

const buffers = new Map<string, string>();
const shared = shareImage({ readSource: (path) => buffers.get(path) });
let t: TestImage;
beforeEach(() => {
  t = shared();
});

const edit = (path: string, from: string, to: string): string => {
  const text = readFileSync(join(t.root, path), "utf8");
  if (!text.includes(from)) throw new Error(`${path} has no ${from}`);
  return text.replace(from, to);
};
const total = "import { Invoice } from './src/invoice.ts'; new Invoice('x').add('a', 10).total().cents";

it("gives the new code of a module that changed on disk, and says so", async () => {
  expect(await t.value(total)).toBe("25");
  t.write("src/invoice.ts", edit("src/invoice.ts", "surcharge = 5", "surcharge = 50"));
  const result = await t.evaluate(total);
  expect(result.preview).toBe("70");
  expect(result.notes.map((note) => note.message)).toEqual([
    "Reloaded because the source changed: src/invoice.ts. Values created earlier keep the old code.",
  ]);
  expect((await t.evaluate(total)).notes).toEqual([]);
});

it("names of what is loaded anew the modules that changed, and what only imports them by its number", async () => {
  t.write("src/one.ts", "export const one = 1;");
  t.write("src/two.ts", "import { one } from './one.ts';\nexport const two = one + 1;");
  t.write("src/three.ts", "import { two } from './two.ts';\nexport const three = two + 1;");
  const three = "import { three } from './src/three.ts'; three";
  const notes = async (form: string): Promise<readonly string[]> =>
    (await t.evaluate(form)).notes.map(({ message }) =>
      message.replace(". Values created earlier keep the old code.", ""),
    );
  expect(await notes(three)).toEqual([]);
  t.write("src/one.ts", "export const one = 10;");
  expect(await notes(three)).toEqual(["Reloaded because the source changed: src/one.ts, and 2 modules that import it"]);
  t.write("src/two.ts", "import { one } from './one.ts';\nexport const two = one + 20;");
  expect(await notes(three)).toEqual([
    "Reloaded because the source changed: src/two.ts, and src/three.ts, which imports it",
  ]);
  t.write("src/two.ts", "import { none } from './none.ts';\nexport const two = none;");
  await t.evaluate(three);
  t.write("src/none.ts", "export const none = 7;");
  expect(await notes(three), "their own text did not change since").toEqual(["Reloaded: src/three.ts, src/two.ts"]);
});

it.each([
  ["a name", "import { three } from './src/three.ts'", "three"],
  ["another name", "import { three as mine } from './src/three.ts'", "mine + 1"],
  ["a namespace", "import * as all from './src/three.ts'", "all.three"],
  ["a default", "import made from './src/three.ts'", "made()"],
  ["what is imported in an expression", "const { three } = await import('./src/three.ts')", "[three]"],
  ["a module that is kept whole", "const loaded = await import('./src/three.ts')", "({ loaded }).loaded.three"],
  ["what a function uses", "import { three } from './src/three.ts'", "(() => three)()"],
  ["a name without its file's ending", "import { three } from './src/three'", "`${three}`"],
])("says that %s is of a module as it was before a change", async (_, form, use) => {
  t.write("src/one.ts", "export const one = 1;");
  t.write("src/two.ts", "export * from './one.ts';");
  const three = "import { one } from './two.ts';\nexport const three = one + 1;\nexport default () => three;";
  t.write("src/three.ts", three);
  await t.value(form);
  const notes = async (code: string): Promise<readonly string[]> =>
    (await t.evaluate(code)).notes.map(({ message }) => message);
  expect(await notes(use)).toEqual([]);
  t.write("src/one.ts", "export const one = 10;");
  const stale = expect.stringMatching(/^\w+ is still what src\/three\.ts gave before a change: import it again/);
  expect(await notes(use), "nothing was loaded anew").toEqual([stale]);
  expect(await notes("import * as anew from './src/three.ts'; anew.three")).toEqual([
    expect.stringContaining("Reloaded because the source changed: src/one.ts"),
  ]);
  expect(await notes(use), "another form loaded it anew").toEqual([stale]);
  expect(await notes("({ three: 1, made: 2 }).three; ((mine: number, all = 3, loaded = 4) => mine)(5)")).toEqual([]);
  expect(await notes(`${form.replace("const", "var")}; ${use}`)).toEqual([]);
  expect(await notes(use)).toEqual([]);
});

it("says nothing of a name that a form declared since, and names of several modules in one sentence", async () => {
  t.write("src/one.ts", "export const one = 1;");
  t.write("src/two.ts", "export { one as two } from './one.ts';");
  await t.value("import { one } from './src/one.ts'; import { two } from './src/two.ts'");
  t.write("src/one.ts", "export const one = 10;");
  expect((await t.evaluate("one + two")).notes.map(({ message }) => message)).toEqual([
    "one, two are still what src/one.ts, src/two.ts gave before a change: import them again to get the new code.",
  ]);
  await t.evaluate("var one = 5");
  expect((await t.evaluate("one")).notes.map(({ message }) => message)).toEqual([]);
});

it("names eight of the modules that changed, and counts the rest", async () => {
  const files = Array.from({ length: 11 }, (_each, at) => `many${at}`);
  const write = (value: number): void => {
    for (const each of files) t.write(`src/${each}.ts`, `export const ${each} = ${value};`);
  };
  write(1);
  t.write("src/many.ts", files.map((each) => `export * from './${each}.ts';`).join("\n"));
  await t.value("import * as many from './src/many.ts'; 1");
  write(2);
  const shown = `${files
    .slice(0, 8)
    .map((each) => `src/${each}.ts`)
    .join(", ")}, 3 more`;
  expect((await t.evaluate("2")).notes[0]?.message).toContain(`${shown} changed since they were loaded`);
  expect((await t.evaluate("import * as many from './src/many.ts'; 3")).notes[0]?.message).toContain(
    `${shown}, and src/many.ts, which imports them. `,
  );
});

it("reloads the importers of a module that changed, and leaves the rest alone", async () => {
  await t.value(`${total}; import { issuedSoFar } from './src/invoice.ts'; import './src/features.ts'`);
  t.write("src/money.ts", edit("src/money.ts", "rate = 2", "rate = 3"));
  const result = await t.evaluate(total);
  expect(result.preview).toBe("35");
  expect(result.notes[0]?.message).toContain("src/money.ts, and src/invoice.ts, which imports it.");
  expect(result.notes[0]?.message).not.toContain("features");
});

it("keeps old values on the old code, beside new ones", async () => {
  await t.value("import { Invoice } from './src/invoice.ts'; globalThis.old = new Invoice('o'); 1");
  t.write("src/invoice.ts", edit("src/invoice.ts", "surcharge = 5", "surcharge = 50"));
  expect(
    await t.value(
      "import { Invoice } from './src/invoice.ts'; [globalThis.old.total().cents, new Invoice('n').total().cents]",
    ),
  ).toBe("[5, 50]");
});

it("runs the text of an unsaved buffer, also of a file that is not on disk yet", async () => {
  const path = join(t.root, "src/invoice.ts");
  expect(await t.value(total)).toBe("25");
  buffers.set(path, edit("src/invoice.ts", "surcharge = 5", "surcharge = 7"));
  expect(await t.value(total)).toBe("27");
  buffers.set(path, edit("src/invoice.ts", "surcharge = 5", "surcharge = 8"));
  expect(await t.value(total)).toBe("28");
  buffers.delete(path);
  expect(await t.value(total)).toBe("25");
  buffers.set(join(t.root, "src/brand-new.ts"), "import { rate } from './money.js'; export const twice = rate * 2;");
  expect(await t.value("import { twice } from './src/brand-new.ts'; twice")).toBe("4");
});

it("does not reload when only the time of the file changed", async () => {
  await t.value(total);
  t.write("src/invoice.ts", readFileSync(join(t.root, "src/invoice.ts"), "utf8"));
  expect((await t.evaluate(total)).notes).toEqual([]);
});

it("says at an imported name that the name is behind the source, and once elsewhere that a source changed", async () => {
  await t.value(total);
  t.write("src/invoice.ts", edit("src/invoice.ts", "surcharge = 5", "surcharge = 50"));
  const result = await t.evaluate("new Invoice('y').total().cents");
  expect(result.preview).toBe("5");
  expect(result.notes.map(({ message }) => message)).toEqual([
    "Invoice is still what src/invoice.ts gave before a change: import it again to get the new code.",
  ]);
  expect((await t.evaluate("1")).notes).toEqual([]);
  t.write("src/money.ts", edit("src/money.ts", "rate = 2", "rate = 3"));
  expect((await t.evaluate("2")).notes[0]?.message).toBe(
    "src/invoice.ts, src/money.ts changed since they were loaded: import them again to get the new code.",
  );
  expect((await t.evaluate("3")).notes).toEqual([]);
});

it("recovers when a broken module, or a missing import, is repaired", async () => {
  expect((await t.evaluate("import { half } from './src/broken.ts'; half")).error?.name).toBe("SyntaxError");
  t.write("src/broken.ts", "export const half = 21;");
  expect(await t.value("import { half } from './src/broken.ts'; half")).toBe("21");
  t.write("src/needs.ts", "import { x } from './later.ts'; export const y = x;");
  expect((await t.evaluate("import { y } from './src/needs.ts'; y")).error?.message).toContain("./later.ts");
  t.write("src/later.ts", "export const x = 4;");
  expect(await t.value("import { y } from './src/needs.ts'; y")).toBe("4");
});

it("reloads CommonJS modules and JSON too", async () => {
  const label =
    "import old from './src/old-style.cts'; import s from './src/settings.json'; [old.label('a'), s.currency]";
  expect(await t.value(label)).toBe('["old-a", "EUR"]');
  t.write("src/old-style.cts", edit("src/old-style.cts", '"old"', '"new"'));
  t.write("src/settings.json", '{ "currency": "SEK" }');
  expect(await t.value(label)).toBe('["new-a", "SEK"]');
});

it("evaluates inside the new code of a changed module", async () => {
  const module = join(t.root, "src/invoice.ts");
  expect(await t.value("surcharge", { module })).toBe("5");
  t.write("src/invoice.ts", edit("src/invoice.ts", "surcharge = 5", "surcharge = 6"));
  expect(await t.value("surcharge", { module })).toBe("6");
});

it("maps errors of a reloaded module to its new lines", async () => {
  await t.value(total);
  t.write("src/invoice.ts", `// one more line\n${readFileSync(join(t.root, "src/invoice.ts"), "utf8")}`);
  const { error } = await t.evaluate("import { Invoice } from './src/invoice.ts';\nnew Invoice('z').add('bad', -1)");
  const lines = readFileSync(join(t.root, "src/invoice.ts"), "utf8").split("\n");
  const line = lines.findIndex((text) => text.includes("throw new RangeError"));
  expect(error).toMatchObject({ name: "RangeError", message: "a line of -1 cents", cause: { name: "TypeError" } });
  expect(error?.frames[0]).toMatchObject({ line, character: 12, code: lines[line]?.trim() });
  expect(error?.frames[0]?.uri.endsWith("/src/invoice.ts")).toBe(true);
  expect(error?.frames[1]).toMatchObject({ line: 1, code: "new Invoice('z').add('bad', -1)" });
});

it("transpiles anew when the text changed, and when the options of the compiler did", async () => {
  const config = (factory: string): void =>
    t.write("tsconfig.json", `{ "compilerOptions": { "jsx": "react", "jsxFactory": "${factory}" } }`);
  config("made.first");
  t.write("src/tag.ts", "export const tag = 'one';");
  t.write(
    "src/view.tsx",
    "import { tag } from './tag.ts';\nconst made = { first: () => '1 ' + tag, second: () => '2 ' + tag } as any;\nexport const view = () => <b/>;",
  );
  const view = "import { view } from './src/view.tsx'; String(view())";
  expect(await t.value(view)).toBe('"1 one"');
  // The same text with other options, in a module that is loaded again because of another one.
  config("made.second");
  t.write("src/tag.ts", "export const tag = 'two';");
  expect(await t.value(view)).toBe('"2 two"');
  // Other text with the same options.
  t.write("src/view.tsx", edit("src/view.tsx", "'2 '", "'new 2 '"));
  expect(await t.value(view)).toBe('"new 2 two"');
  // The text of before with the options of before: neither may bring back what was made for the other.
  t.write("src/view.tsx", edit("src/view.tsx", "'new 2 '", "'2 '"));
  config("made.first");
  expect(await t.value(view)).toBe('"1 two"');
});

it("tries a module that threw again, and who needs it, and leaves alone what had run", async () => {
  t.write("src/steady.ts", "export const runs = { steady: 0, user: 0, top: 0 };\nruns.steady += 1;\n");
  t.write(
    "src/fickle.ts",
    "import { runs } from './steady.ts';\nimport { readFileSync } from 'node:fs';\nruns.steady += 10;\n" +
      "export const size = JSON.parse(readFileSync(new URL('../size.json', import.meta.url), 'utf8')).size as number;\n",
  );
  t.write("src/needy.ts", "import { size } from './fickle.ts';\nexport const twice = size * 2;\n");
  t.write(
    "src/calm.ts",
    "import { runs } from './steady.ts';\nruns.top += 1;\n" +
      "export const failure = await import('./needy.ts').then(() => '', (error: Error) => error.name);\n",
  );
  expect(await t.value("import { failure } from './src/calm.ts'; failure")).toBe('"Error"');
  const use = "import { twice } from './src/needy.ts'; import { runs } from './src/steady.ts'; [twice, runs]";
  expect((await t.evaluate(use)).outcome).toBe("error");
  t.write("src/early.ts", "import { twice } from './needy.ts';\nexport const four = twice * 2;\n");
  expect((await t.evaluate("import { four } from './src/early.ts'; four")).error?.message).toContain("size.json");
  const missing = await t.evaluate("import './nowhere.ts'");
  expect(missing.error?.message).toBe("Cannot find module './nowhere.ts' imported from the REPL");
  t.write("size.json", '{ "size": 4 }');
  expect(await t.value("import { four } from './src/early.ts'; four")).toBe("16");
  const result = await t.evaluate(use);
  expect([result.preview, result.notes]).toEqual(["[8, { steady: 31, user: 0, top: 1 }]", []]);
});

it("tries CommonJS that threw again, where an import needs it", async () => {
  t.write("src/fickle.cts", "if (!('ready' in globalThis)) throw new Error('not yet');\nexport const ready = 1;\n");
  t.write("src/needy.cts", "import { ready } from './fickle.cjs';\nexport const more = ready + 1;\n");
  const use = "import { more } from './src/needy.cts'; more";
  expect((await t.evaluate(use)).error?.message).toBe("not yet");
  expect((await t.evaluate("more", { module: join(t.root, "src/needy.cts") })).error?.message).toBe("not yet");
  await t.value("(globalThis as any).ready = 1");
  expect(await t.value(use)).toBe("2");
  expect(await t.value("more", { module: join(t.root, "src/needy.cts") })).toBe("2");
});

it("installs in a module that threw when what it needs is there at last", async () => {
  t.write(
    "src/fickle.ts",
    "if (!('isThere' in globalThis)) throw new Error('not yet');\nexport const tell = () => 'old';\n",
  );
  const module = join(t.root, "src/fickle.ts");
  expect((await t.evaluate("tell()", { module })).error?.message).toBe("not yet");
  const install = (): ReturnType<typeof t.evaluate> =>
    t.evaluate("export const tell = () => 'new'", { module, install: {} });
  expect((await install()).error?.message).toBe("not yet");
  await t.value("(globalThis as any).isThere = 1");
  expect((await install()).installation?.names).toMatchObject([{ name: "tell", isNew: false }]);
  expect(await t.value("import { tell } from './src/fickle.ts'; tell()")).toBe('"new"');
});

it("keeps a module as it is when an import that its own start does not need finds nothing", async () => {
  t.write(
    "src/counter.ts",
    "export let count = 0;\nexport const load = (): Promise<unknown> => import('./plugin.ts');\n",
  );
  const module = join(t.root, "src/counter.ts");
  await t.value("count = 7", { module });
  expect((await t.evaluate("await import('./nope.ts')", { module })).error?.message).toContain("Cannot find module");
  expect((await t.evaluate("await load()", { module })).error?.message).toContain("Cannot find module");
  const after = await t.evaluate("count", { module });
  expect(after).toMatchObject({ outcome: "value", preview: "7", notes: [] });
  expect((await t.evaluate("import { count } from './src/counter.ts'; count")).preview).toBe("7");
  t.write("src/plugin.ts", "export const found = 1;\n");
  expect(await t.value("JSON.stringify(await load())", { module })).toContain("found");
  const kept = join(t.root, "src/kept.cjs");
  t.write("src/kept.cjs", "let kept = 0;\nmodule.exports = { get: () => kept };\n");
  await t.value("kept = 3", { module: kept });
  await t.evaluate("require('./nope.cjs')", { module: kept });
  expect(await t.value("kept", { module: kept })).toBe("3");
});
