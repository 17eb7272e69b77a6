import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRenameSymbol } from "../../server/src/tools/edit/rename-symbol.ts";
import type { Tool } from "../../server/src/tools/tool.ts";
import { openEditFixture, openEditWorkspace, type EditFixture } from "./edit-fixture.ts";

const workspace = openEditWorkspace("edits-project");
let fixture: EditFixture;
let tool: Tool;

beforeEach(() => {
  fixture = openEditFixture(workspace);
  tool = createRenameSymbol(fixture.ports);
});
afterEach(() => fixture.dispose());
afterAll(() => workspace.dispose());

describe("rename_symbol", () => {
  it.each([
    ["a-function-with-overloads", { symbol: "rateOf", new_name: "rateFor" }],
    ["one-overload-renames-all", { symbol: "rateOf#2", new_name: "rateFor" }],
    ["an-interface-member", { symbol: "Priced.total", new_name: "sum" }],
    ["an-override", { symbol: "Invoice.print", new_name: "render" }],
    ["a-class-re-exported-under-another-name", { symbol: "Invoice", new_name: "Receipt" }],
    ["a-private-name", { symbol: "Invoice.#net", new_name: "#amount" }],
    ["a-parameter-property", { symbol: "Invoice.net", new_name: "netTotal" }],
    ["a-static-member", { symbol: "Invoice.count", new_name: "made" }],
    ["an-enum-member", { symbol: "Size.Small", new_name: "Tiny" }],
    ["a-type-alias", { symbol: "Shape", new_name: "Square" }],
    ["an-interface-property", { symbol: "RateTable.full", new_name: "standard" }],
    ["a-local-function", { symbol: "outer.helper", new_name: "add" }],
    ["an-alias-of-a-re-export", { symbol: "src/index.ts#Bill", new_name: "Receipt" }],
    ["a-member-named-like-a-keyword", { symbol: "Basket.items", new_name: "default" }],
  ])("proposes the compiler's edit: %s", async (name, args) => {
    await expect(await fixture.ask(tool, args)).toMatchFileSnapshot(`snapshots/rename-symbol/${name}.txt`);
    expect(fixture.proposals).toHaveLength(1);
  });

  it.each([
    ["no-identifier", { symbol: "rateOf", new_name: "rate of" }],
    ["a-reserved-word", { symbol: "rateOf", new_name: "await" }],
    ["the-same-name", { symbol: "rateOf", new_name: "rateOf" }],
    ["a-private-name-made-public", { symbol: "Invoice.#net", new_name: "amount" }],
    ["a-constructor", { symbol: "Invoice.constructor", new_name: "make" }],
    ["the-languages-own", { symbol: "Array.map", new_name: "each" }],
    ["a-member-the-language-asks-for", { symbol: "Cursor.next", new_name: "advance" }],
    ["a-file", { symbol: "src/names.ts", new_name: "words" }],
    ["an-unknown-name", { symbol: "rateOff", new_name: "rate" }],
    ["a-name-of-the-same-scope", { symbol: "describeRate", new_name: "defaultRate" }],
    ["a-name-an-importer-has", { symbol: "defaultRate", new_name: "total" }],
    ["a-name-a-re-exporter-has", { symbol: "rateOf", new_name: "other" }],
    ["a-name-a-use-hides", { symbol: "src/names.ts#other", new_name: "inner" }],
    ["a-name-others-use-there", { symbol: "outer.helper", new_name: "other" }],
    ["a-global-in-use", { symbol: "src/names.ts#load", new_name: "isNaN" }],
    ["a-member-of-the-same-class", { symbol: "Invoice.net", new_name: "total" }],
    ["an-inherited-member", { symbol: "Invoice.net", new_name: "title" }],
    ["a-component-with-a-small-letter", { symbol: "PriceTag", new_name: "priceTag" }],
    ["an-enum-member-that-is-there", { symbol: "Size.Small", new_name: "Large" }],
  ])("refuses and says why: %s", async (name, args) => {
    await expect(await fixture.ask(tool, args)).toMatchFileSnapshot(`snapshots/rename-symbol/${name}.txt`);
    expect(fixture.proposals).toEqual([]);
  });

  it("warns of no place that has another name, which begins with this one", async () => {
    fixture.write("src/foo.ts", "export class Foo {}\nexport type { Foo as FooType };\n");
    fixture.write("src/uses.ts", 'import type { FooType } from "./foo.ts";\nexport const it: FooType = {};\n');
    const answer = await fixture.ask(tool, { symbol: "src/foo.ts#Foo", new_name: "Bar" });
    expect(answer).toContain("APPLIED");
    expect(answer).not.toContain("WARNING");
  });

  it("refuses when one of the files may hold secrets", async () => {
    fixture.write("src/shared.ts", "export const shared = 1;\n");
    fixture.write("src/.env.ts", 'import { shared } from "./shared.ts";\nexport const secret = shared;\n');
    fixture.write("src/uses.ts", 'import { secret } from "./.env.ts";\nexport const used = secret;\n');
    const answer = await fixture.ask(tool, { symbol: "shared", new_name: "common" });
    expect(answer).toContain("Nothing was proposed: the compiler's edit reaches src/.env.ts. .env.ts may hold secrets");
    expect(fixture.proposals).toEqual([]);
  });

  it("proposes comments, strings and pages apart, which are left out unless the person takes them", async () => {
    fixture.write("README.md", "# Rates\n\nrateOf is rateOf.\n");
    fixture.decide = ({ defaultDecision, title }) =>
      defaultDecision === "reject" && !title.startsWith("comment") ? { decision: "reject" } : { decision: "accept" };
    const answer = await fixture.ask(createRenameSymbol(fixture.ports), {
      symbol: "src/rates.ts#rateOf",
      new_name: "shareOf",
      also: ["comments", "strings", "docs"],
    });
    const { hunks } = fixture.proposals.at(-1) ?? { hunks: [] };
    const apart = hunks.filter(({ defaultDecision }) => defaultDecision === "reject");
    expect(apart.map(({ title, newText }) => [title, newText])).toEqual([
      ["comment in src/rates.ts:15", "  // shareOf never fails: an unknown kind has the full rate.\n"],
      ["string in src/rates.ts:22", '  const label = "shareOf";\n'],
      ["text in README.md:3", "shareOf is shareOf.\n"],
    ]);
    const text = await fixture.textOf("src/rates.ts");
    expect(text).toContain("// shareOf never fails");
    expect(text).toContain('const label = "rateOf";');
    expect(await fixture.textOf("README.md")).toContain("rateOf is rateOf");
    expect(answer).toContain("(string in src/rates.ts:22): left out");
    expect(answer).toContain("3 lines of comments, strings or docs are hunks of their own");
    const again = { symbol: "src/rates.ts#RateKind", new_name: "KindOfRate", also: ["docs"] };
    expect(await fixture.ask(createRenameSymbol(fixture.ports), again)).toContain(
      "No other line of docs has RateKind.",
    );
  });

  it("offers nothing that names a module or a file, which keeps its name", async () => {
    fixture.write("src/loader.ts", "export function loader(): number {\n  return 1;\n}\n");
    fixture.write("README.md", "The loader is in `src/loader.ts`, see [loader](./loader).\n");
    fixture.write(
      "src/uses-loader.ts",
      [
        '/// <reference path="./loader.ts" />',
        'import { loader } from "./loader.ts";',
        'export { loader as other } from "./loader.ts";',
        'export type It = typeof import("./loader.ts");',
        "declare const vi: { mock(path: string): void; importActual(path: string): unknown };",
        'vi.mock("../src/loader");',
        'vi.importActual("#lib/loader"), import.meta.resolve("pkg/loader");',
        'export const late = (): Promise<unknown> => import("loader");',
        "export const later = (at: string): Promise<unknown> => import(`${at}/loader`);",
        'export const files = ["src/loader.ts", "loader.test.mjs", /loader\\.tsx?$/, "./loader"];',
        'declare module "loader" {}',
        "// loader.js is built from src/loader.ts",
        '// the loader of "GET /loader"',
        'export const label = "a loader", path = "GET /api/loader";\n',
      ].join("\n"),
    );
    await fixture.ask(tool, {
      symbol: "src/loader.ts#loader",
      new_name: "batch",
      also: ["strings", "comments", "docs"],
    });
    const { hunks } = fixture.proposals.at(-1) ?? { hunks: [] };
    const apart = hunks.filter(({ defaultDecision }) => defaultDecision === "reject");
    expect(apart.map(({ title, newText }) => [title, newText])).toEqual([
      ["comment in src/uses-loader.ts:13", '// the batch of "GET /batch"\n'],
      ["string in src/uses-loader.ts:14", 'export const label = "a batch", path = "GET /api/batch";\n'],
      ["text in README.md:1", "The batch is in `src/loader.ts`, see [batch](./loader).\n"],
    ]);
  });

  it("counts the places in pages of prose that it leaves alone", async () => {
    fixture.write("README.md", "# Rates\n\nCall `rateOf(1)`, or rateOf.\n");
    fixture.write("docs.mdx", "See rateOf.\n");
    expect(await fixture.ask(tool, { symbol: "rateOf", new_name: "rateFor" })).toContain(
      "Left alone in documentation: 3 places in 2 files that spell the name: README.md:3, README.md:3, docs.mdx:1.",
    );
  });

  it("is about the unsaved text, and about the text behind a byte order mark", async () => {
    fixture.write("src/marked.ts", "\uFEFFexport const first = 1;\nexport const next = first;\n");
    const uri = fixture.uri("src/unsaved.ts");
    const text = 'import { first } from "./marked.ts";\nexport const more = first;\n';
    fixture.documents.open({ uri, languageId: "typescript", version: 1, text });
    const answer = await fixture.ask(tool, { symbol: "src/marked.ts#first", new_name: "start" });
    expect(answer).toContain("4 places in 2 files");
    expect(await fixture.textOf("src/marked.ts")).toBe("export const start = 1;\nexport const next = start;\n");
    expect(await fixture.textOf("src/unsaved.ts")).toBe(text.replaceAll("first", "start"));
  });

  it("proposes nothing when the document changed while the edit was made", async () => {
    const ports = {
      ...fixture.ports,
      readDocument: async (uri: string) => {
        const document = await fixture.ports.readDocument(uri);
        return document === undefined ? undefined : { ...document, text: `${document.text}// typed\n` };
      },
    };
    const answer = await fixture.ask(createRenameSymbol(ports), { symbol: "outer.helper", new_name: "add" });
    expect(answer).toContain("It changed while the edit was being made. Ask again.");
    expect(fixture.proposals).toEqual([]);
  });

  it("tells what breaks in files it did not touch", async () => {
    fixture.write(
      "src/alike.ts",
      'import type { Shape } from "./names.ts";\nexport const a: { readonly edge: number } = { edge: 1 };\nexport const b: Shape = { ...a, side: 1 };\n',
    );
    fixture.write("src/other.ts", 'import { a } from "./alike.ts";\nexport const c: { readonly edge: number } = a;\n');
    const answer = await fixture.ask(tool, { symbol: "src/alike.ts#a.edge", new_name: "rim" });
    expect(answer).toMatch(/BROKEN: the compiler reports 1 new error.*\n  src\/other.ts:2:14/);
    expect(answer).toContain("and 1 file that uses what changed or spells the name");
  });

  it("tells which places still have the old name when a hunk is rejected", async () => {
    fixture.decide = (hunk) =>
      hunk.title.startsWith("src/invoice.ts:23") ? { decision: "reject", reason: "not here" } : { decision: "accept" };
    const answer = await fixture.ask(tool, { symbol: "rateOf", new_name: "rateFor" });
    await expect(answer).toMatchFileSnapshot("snapshots/rename-symbol/one-hunk-rejected.txt");
    expect(await fixture.textOf("src/invoice.ts")).toContain('const rate = rateOf("full")');
    expect(await fixture.textOf("src/invoice.ts")).toContain("{ rateOf: rateFor, describeRate }");
  });

  it("does not call a file touched when all its hunks were rejected", async () => {
    fixture.decide = (hunk) => ({ decision: hunk.title.startsWith("src/invoice.ts") ? "reject" : "accept" });
    const answer = await fixture.ask(tool, { symbol: "rateOf", new_name: "rateFor" });
    expect(answer).toMatch(/BROKEN: the compiler reports .* in the \d+ proposed files/);
    expect(answer).not.toContain("touched");
  });
});
