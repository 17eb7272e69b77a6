/** Questions as a model words them, on a project where the words could mean other things. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDescribeSymbol } from "../../server/src/tools/introspection/describe-symbol.ts";
import { createDocumentOutline } from "../../server/src/tools/introspection/document-outline.ts";
import { createFindImplementations } from "../../server/src/tools/introspection/find-implementations.ts";
import { createListPackageSymbols } from "../../server/src/tools/introspection/list-package-symbols.ts";
import { createMacroexpandForm } from "../../server/src/tools/introspection/macroexpand-form.ts";
import { createReadSymbol } from "../../server/src/tools/introspection/read-symbol.ts";
import { createWhoReferences } from "../../server/src/tools/introspection/who-references.ts";
import type { Tool } from "../../server/src/tools/tool.ts";
import type { TypeScriptService } from "../../server/src/typescript/typescript-service.ts";
import { openFixture, type Fixture } from "./ask-fixture.ts";

const members = Array.from(
  { length: 80 },
  (_, index) =>
    `/** Member number ${index}, explained at some length so that the text of the type is long. */\n  member${index}: () => Promise<string>;`,
);
const importers = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [
    `src/user${index}.ts`,
    `import * as Hex from "./hex-tools.ts";\nimport type { Address } from "addresses";\n` +
      `export const size${index} = (of: Address): number => Hex.size(of);\n`,
  ]),
);
const files: Record<string, string> = {
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      target: "esnext",
      module: "nodenext",
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
    },
  }),
  "package.json": JSON.stringify({ name: "root", type: "module" }),
  "src/hex.ts": "export type Hex = `0x${string}`;\n",
  "src/hex-tools.ts": "export const size = (of: string): number => of.length;\n",
  "src/main.ts": "export const main = 1;\n",
  "packages/a/src/index.ts": "export const inA = 1;\n",
  "packages/b/src/index.ts": "export const inB = 1;\n",
  "src/failure.ts": [
    "export class Failure { cause?: unknown }",
    "export class Late extends Failure {}",
    "export function fail({ cause }: { cause?: Failure } = {}): unknown { return cause; }",
    "export const known: Failure = { cause: 1 };",
    "",
  ].join("\n"),
  "src/actions.ts": `export type Actions = {\n  ${members.join("\n  ")}\n};\n`,
  "node_modules/addresses/package.json": JSON.stringify({ name: "addresses", version: "1.0.0", types: "index.d.ts" }),
  "node_modules/addresses/index.d.ts": "export type Address = `0x${string}`;\n",
  [`src/${"zähler".normalize("NFD")}.ts`]: "export const counted = 1;\n",
  "src/twice.ts": "function once() {}\nexport { once };\nexport { once as again };\n",
  "src/forms.ts": "export const formCount = 1;\nexport interface FormOptions { wide: boolean }\n",
  "src/kit.ts":
    'import * as all from "./forms.ts";\nexport * as formKit from "./forms.ts";\nexport const twice = all.formCount * 2;\n',
  "src/uses-kit.ts":
    'import { formKit } from "./kit.ts";\nexport const one: number = formKit.formCount;\nexport type Options = formKit.FormOptions;\n',
  ...importers,
};

let root: string;
let fixture: Fixture;
const ask = (create: (service: TypeScriptService) => Tool, args: Record<string, unknown>): Promise<string> =>
  fixture.ask(create(fixture.service), args);

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-model-asks-")));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  fixture = openFixture(root);
});
afterAll(async () => {
  await fixture.service.dispose();
  rmSync(root, { recursive: true });
});

describe("asked as a model asks", () => {
  it("a name that many modules import means its declaration", async () => {
    expect(await ask(createDescribeSymbol, { symbol: "Hex" })).toContain("src/hex.ts#Hex — ");
  });

  it("a type of a dependency that many modules import is declared once", async () => {
    const answer = await ask(createDescribeSymbol, { symbol: "Address" });
    expect(answer).toContain("node_modules/addresses/index.d.ts#Address — ");
    expect(answer.match(/, line \d+$/gm)).toHaveLength(1);
    expect(answer).not.toMatch(/\d+ declarations/);
  });

  it("a module that another one exports as a whole has that name, and so have its members", async () => {
    expect(await ask(createDescribeSymbol, { symbol: "formKit" })).toContain("src/kit.ts#formKit — alias, line 2\n");
    expect(await ask(createDescribeSymbol, { symbol: "formKit.FormOptions" })).toContain("src/forms.ts#FormOptions — ");
    const listed = await ask(createListPackageSymbols, { path: "formKit" });
    expect(listed).toMatch(/\nsrc\/forms\.ts — 2 exports\n/);
    // 7.0.2 follows the first statement alone that takes the module as a whole.
    const uses = await ask(createWhoReferences, { symbol: "formKit.formCount" });
    expect(uses).toContain("src/forms.ts#formCount (const, line 1)\n2 mentions in 2 files");
    expect(uses).toContain("uses-kit.ts:2");
  });

  it("a line that imports is read as what it imports, with the addresses of that", async () => {
    const read = (symbol: string): Promise<string> => ask((service) => createReadSymbol(service), { symbol });
    expect(await read("src/uses-kit.ts:1")).toContain(
      'Line 1 of src/uses-kit.ts imports: import { formKit } from "./kit.ts";\nformKit is src/kit.ts#formKit\n',
    );
    expect(await read("src/user1.ts:2")).toContain("Address is node_modules/addresses/index.d.ts#Address\n");
    const whole = await read("src/kit.ts:2");
    expect(whole).toContain('src/kit.ts passes on what another file declares: export * as formKit from "./forms.ts";');
    expect(whole).toContain("the module is src/forms.ts");
    // At a column stands one name.
    expect(await read("src/uses-kit.ts:1:10")).toContain("src/kit.ts#formKit — ");
  });

  it("all names are told by which a symbol is exported", async () => {
    expect(await ask(createDescribeSymbol, { symbol: "again" })).toContain("Exported as once, again\n");
  });

  it("a file is meant by the same letters in another form of Unicode", async () => {
    for (const symbol of ["src/zähler.ts#counted", "zähler.ts#counted"])
      expect(await ask(createDescribeSymbol, { symbol })).toContain("#counted — export const, line 1");
  });

  it("a folder of the root is meant before the same path inside of packages", async () => {
    const symbols = await ask(createListPackageSymbols, { path: "src" });
    expect(symbols).toContain("main");
    expect(symbols).not.toMatch(/in[AB]\b/);
    expect(await ask(createDocumentOutline, { path: "packages/a/src/index.ts" })).toContain("inA");
  });

  it("a place is answered with the addresses of the declarations there", async () => {
    const answer = await ask(createDescribeSymbol, { symbol: "src/failure.ts:2:3" });
    expect(answer).toContain("src/failure.ts#Late");
  });

  it("a literal whose type only mentions a class does not implement it", async () => {
    const answer = await ask(createFindImplementations, { symbol: "Failure" });
    expect(answer).toContain("Late — class");
    expect(answer).toContain("src/failure.ts:4 known");
    expect(answer).not.toContain("src/failure.ts:3 ");
  });

  it("a long type is expanded to its structure, not to its text", async () => {
    const answer = await ask(createMacroexpandForm, { form: "Actions" });
    expect(answer.length).toBeLessThan(8_000);
    expect(answer).toContain("member0: () => Promise<string>");
    expect(answer).not.toContain("explained at some length");
  });
});
