/** Texts that other loaders compile: what is added reaches the scope, and moves nothing that an error could name. */
import { readdirSync, readFileSync } from "node:fs";
import { compileFunction } from "node:vm";
import { transformSync } from "oxc-transform";
import { describe, expect, it } from "vitest";
import {
  byItsTree,
  instrumentLoaded,
  parsedText,
  unparsed,
} from "../../../../server/src/repl/source/instrument-loaded.ts";

const REGISTER = /;__agentq\.reg\(.*?,__agentq\$=>eval\(__agentq\$\)\);/;

function esm(text: string, name = "cart.ts"): string {
  return instrumentLoaded({ url: `file:///shop/src/${name}`, text, format: "module" }) ?? text;
}

function cjs(text: string): string {
  return instrumentLoaded({ url: "file:///shop/src/cart.js", text, format: "commonjs" }) ?? text;
}

/** Every line begins as before, and no line but that of the registration or of a class's brace is another one. */
function expectInPlace(before: string, after: string): void {
  const [old, now] = [before.split("\n"), after.split("\n")];
  expect(now.slice(0, old.length)).toHaveLength(old.length);
  old.forEach((line, at) => {
    const plain = (now[at] ?? "").replace(REGISTER, "").replace(/;static\{__agentq\.brand\(.*?\)\}/, "");
    expect(plain.replaceAll("let   ", "const ")).toBe(line);
  });
}

describe("an ES module of TypeScript", () => {
  const text = `import { type Line } from "./line.ts";
import tax from "./tax.ts";
const rate: number = 0.2;
export const names = ["a"] as const;
declare const build: string;
export const enum Size { Small }
export function total(lines: readonly Line[]): number { return lines.length * rate; }
export class Cart {
  #lines: Line[] = [];
  get lines(): readonly Line[] { return this.#lines; }
}
export default function () { return tax; }
`;

  it("registers its scope behind the imports, and its constants become variables of the same length", () => {
    const made = esm(text);
    expect(made.split("\n")[1]).toMatch(
      /^import tax from "\.\/tax\.ts";;__agentq\.reg\(import\.meta\.url,import\.meta,/,
    );
    expect(made).toContain("let   rate: number = 0.2;");
    expect(made).toContain('export let   names = ["a"] as const;');
    expect(made).toContain("declare const build: string;");
    expect(made).toContain("export const enum Size { Small }");
    expect(made).toContain("export { $default as default };");
    expectInPlace(
      text.replace("export default function ", "function $default       "),
      made.split("\nexport {")[0] ?? "",
    );
  });

  it("is TypeScript that other loaders compile", () => {
    const { code, errors } = transformSync("cart.ts", esm(text), { sourceType: "module" });
    expect(errors).toEqual([]);
    expect(code).toContain("__agentq.reg(");
  });

  it.each([
    ["an abstract class", "export default abstract class { abstract a(): void }\n"],
    ["a decorated class", "@sealed\nexport default class { a = 1 }\n"],
    ["an interface", "export default interface Line { a: number }\n"],
    ["overloads", "export default function (a: string): void;\nexport default function (a: unknown): void {}\n"],
    ["a generic function", "export default function <T>(a: T): T { return a; }\n"],
    ["an arrow function", "export default (a: number) => a;\n"],
  ])("has a nameless default that is %s, and stays TypeScript", (_name, written) => {
    const made = esm(`const a = 1;\n${written}`);
    expect(made).toMatch(REGISTER);
    expect(transformSync("cart.ts", made, { sourceType: "module" }).errors).toEqual([]);
  });

  it("refuses an assignment to what was a constant", () => {
    expect(esm("const a = 1;\nexport function set(): void { a = 2; }\n")).toContain("{ __agentq.fixed.a = 2; }");
  });

  it("may be one line, a template over many, and a file without a statement", () => {
    expect(esm("export const a = 1; export const b = 2;")).toMatch(/let {3}b = 2;;__agentq\.reg\(.*\);$/);
    const template = "export const text = `\nconst kept = 1;\n`;\n";
    expect(esm(template)).toContain("`\nconst kept = 1;\n`;;__agentq.reg(");
    expect(esm("// nothing\n")).toMatch(/^\/\/ nothing\n\n;__agentq\.reg\(/);
    expect(esm("#!/usr/bin/env node\nexport const a = 1;\n")).toMatch(/^#!\/usr\/bin\/env node\nexport let {3}a = 1;;/);
  });

  it("stays as it is where it cannot be parsed", () => {
    const broken = "export const = 1;";
    expect(instrumentLoaded({ url: "file:///shop/a.ts", text: broken, format: "module" })).toBeUndefined();
  });
});

describe("a CommonJS module as its loader compiled it", () => {
  it("registers its scope behind the directives' line or later", () => {
    expect(cjs('"use strict";\nconst a = 1;\nmodule.exports = { a };\n')).toBe(
      '"use strict";;__agentq.reg("file:///shop/src/cart.js",module,__agentq$=>eval(__agentq$));\nlet   a = 1;\nmodule.exports = { a };\n',
    );
  });

  it("has its own scope where the loader put the module into a function", () => {
    const wrapped = `__filename="/shop/src/cart.js";(()=>{\nvar m=require("./m");const a=1;function f(){return a}module.exports={f};\n})()\n`;
    const made = cjs(wrapped);
    expect(made.split("\n")[1]).toBe(
      'var m=require("./m");let   a=1;function f(){return a}module.exports={f};;__agentq.reg("file:///shop/src/cart.js",module,__agentq$=>eval(__agentq$));',
    );
    const module = { exports: {} as { f: () => number } };
    let evaluate: ((code: string) => unknown) | undefined;
    const kernel = { reg: (_url: string, _module: unknown, evaluator: typeof evaluate) => (evaluate = evaluator) };
    compileFunction(made, ["module", "require", "__filename", "__agentq"])(module, () => ({}), "", kernel);
    evaluate?.("f = () => a + 41");
    expect(evaluate?.("[a, f()]")).toEqual([1, 42]);
  });

  it("has a map that leads to the same places, where a class with private names comes before them on the line", () => {
    const source = "class A { #a = 1; a() { return this.#a } }\nexport const b = () => { throw new Error() };\n";
    const { code } = transformSync("cart.ts", source, { sourceType: "module" });
    const oneLine = code.replaceAll(/\n\s*/g, " ").replace("export ", "");
    const at = oneLine.indexOf("throw");
    // One mapping: the throw in the one line is at line 2, column 25 of the source.
    const mappings = `${vlq(at)}ACyB`;
    const map = Buffer.from(JSON.stringify({ version: 3, sources: ["cart.ts"], names: [], mappings })).toString(
      "base64",
    );
    const made = cjs(`${oneLine}\n//# sourceMappingURL=data:application/json;base64,${map}`);
    const [, data = ""] = /base64,([\w+/=]+)/.exec(made) ?? [];
    const moved = JSON.parse(Buffer.from(data, "base64").toString()) as { mappings: string };
    const [first = ""] = made.split("\n");
    expect(first).toContain("__agentq.brand(");
    expect(moved.mappings).toBe(`${vlq(first.indexOf("throw"))}ACyB`);
  });
});

describe("a text that needs no parser", () => {
  const root = new URL("../../../../server/src/", import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const register = ";register();";
  const module = (text: string, format: "module" | "commonjs" = "module") =>
    ({ url: "file:///shop/src/cart.ts", text, format }) as const;

  it("is made to the same constants as by its tree, and registers at its top level", () => {
    const quick = files
      .filter((_, index) => index % 29 === 0)
      .flatMap((name) => {
        const text = readFileSync(new URL(name, root), "utf8");
        const made = unparsed(module(text), register);
        return made === undefined ? [] : [{ text, made, tree: byItsTree(module(text), register) }];
      });
    expect(quick.length).toBeGreaterThan(15);
    const constants = (code = ""): number => code.split("let   ").length;
    for (const { text, made, tree } of quick) {
      expect(made.code.replace(register, "").replaceAll("let   ", "const ")).toBe(text);
      expect(constants(made.code)).toBe(constants(tree?.code));
      const statements = parsedText("file:///shop/src/cart.ts", made.code, "module") ?? [];
      expect(statements.filter(({ start, end }) => made.code.slice(start, end) === "register();")).toHaveLength(1);
    }
  });

  it.each<[string, string, "module" | "commonjs"]>([
    ["a directive behind a comment", '// A.\n"use strict";\nconst a = 1;\n', "commonjs"],
    ["code on the first line", "const a = 1;\nconst b = 2;\n", "module"],
    ["a template of several lines", "// A.\nconst a = `\nconst b = 1;\n`;\n", "module"],
    ["a text over two lines", "// A.\nconst a = 'x\\\nconst b';\n", "module"],
    ["a constant that is written", "// A.\nconst a = 1;\nfunction f() { a = 2; }\n", "module"],
    ["a constant enum", "// A.\nconst enum A { B }\n", "module"],
    ["private names", "// A.\nclass A { #a = 1; }\n", "module"],
    ["a nameless default", "// A.\nexport default { a: 1 };\n", "module"],
  ])("is none with %s: what runs is as it was", (_what, text, format) => {
    const made = unparsed(module(text, format), register);
    const tree = byItsTree(module(text, format), register);
    if (made !== undefined) expect(made.code.replace(register, "")).toBe(tree?.code.replace(register, ""));
    const kept = made?.code ?? tree?.code ?? text;
    if (text.includes('"use strict"')) expect(kept.indexOf("register")).toBeGreaterThan(kept.indexOf("use strict"));
  });

  it.each([
    ["#!/usr/bin/env node\n// A.\nconst a = 1;\n", "#!/usr/bin/env node\n;register();// A.\nlet   a = 1;\n"],
    ["\n\nfoo();\n", ";register();\n\nfoo();\n"],
    ["/** A. */\nimport a from 'a';\n", "/** A. */\nimport a from 'a';;register();\n"],
    ['"use strict";\nconst a = 1;\n', '"use strict";;register();\nlet   a = 1;\n'],
    ["/* a */ foo();\n", undefined],
    ["import a, {\n  b } from 'a';\n", undefined],
  ])("%j", (text, expected) => {
    expect(unparsed(module(text), register)?.code).toBe(expected);
  });
});

/** A number as a source map has it. */
function vlq(value: number): string {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  let rest = value << 1;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>= 5;
    text += digits[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}
