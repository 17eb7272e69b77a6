/** CommonJS modules: what assignments declare, what `module.exports` offers, and who uses it through `require`. */
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRenameSymbol } from "../../server/src/tools/edit/rename-symbol.ts";
import { createAproposSearch } from "../../server/src/tools/introspection/apropos-search.ts";
import { createClassHierarchy } from "../../server/src/tools/introspection/class-hierarchy.ts";
import { createClassSlots } from "../../server/src/tools/introspection/class-slots.ts";
import { createDescribeSymbol } from "../../server/src/tools/introspection/describe-symbol.ts";
import { createDocumentOutline } from "../../server/src/tools/introspection/document-outline.ts";
import { createFindImplementations } from "../../server/src/tools/introspection/find-implementations.ts";
import { createGetDiagnostics } from "../../server/src/tools/introspection/get-diagnostics.ts";
import { createListPackageSymbols } from "../../server/src/tools/introspection/list-package-symbols.ts";
import { createMacroexpandForm } from "../../server/src/tools/introspection/macroexpand-form.ts";
import { createMethodSpecializers } from "../../server/src/tools/introspection/method-specializers.ts";
import { createWhoCalls } from "../../server/src/tools/introspection/who-calls.ts";
import { createWhoReferences } from "../../server/src/tools/introspection/who-references.ts";
import { openFixture } from "./ask-fixture.ts";
import { openEditFixture, openEditWorkspace, type EditFixture } from "./edit-fixture.ts";

const { service, ask } = openFixture("commonjs-project");
afterAll(() => service.dispose());

const listPackageSymbols = createListPackageSymbols(service);
const documentOutline = createDocumentOutline(service);
const describeSymbol = createDescribeSymbol(service);
const whoCalls = createWhoCalls(service);
const whoReferences = createWhoReferences(service);
const classSlots = createClassSlots(service);
const classHierarchy = createClassHierarchy(service);
const findImplementations = createFindImplementations(service);
const methodSpecializers = createMethodSpecializers(service);
const aproposSearch = createAproposSearch(service);
const macroexpandForm = createMacroexpandForm(service);
const getDiagnostics = createGetDiagnostics(service);

const snapshot = (name: string): string => `snapshots/commonjs/${name}.txt`;

describe("list_package_symbols", () => {
  it.each([
    ["an-object", { path: "src/things.js", include_internal: true }],
    ["single-assignments", { path: "src/helpers.js", include_internal: true }],
    ["a-class", { path: "src/foo.js", include_internal: true }],
    ["a-function-with-members", { path: "src/factory.cjs" }],
    ["another-module", { path: "src/passed.js" }],
    ["what-is-added", { path: "src/mixed.js", include_internal: true }],
    ["a-spread-module", { path: "src/spread.js" }],
    ["a-constructor-function", { path: "src/legacy.js" }],
    ["names-passed-on", { path: "src/index.js", include_internal: true }],
    ["a-variable-that-is-the-exports", { path: "src/app.js" }],
    ["an-object-that-grows", { path: "src/stack.js" }],
    ["whole-modules", { path: "src/all.js" }],
    ["a-folder", { path: "src" }],
  ])("lists what module.exports offers: %s", async (name, args) => {
    await expect(await ask(listPackageSymbols, args)).toMatchFileSnapshot(snapshot(`exports-of-${name}`));
  });
});

describe("document_outline", () => {
  it.each([
    ["things", "src/things.js"],
    ["helpers", "src/helpers.js"],
    ["foo", "src/foo.js"],
    ["factory", "src/factory.cjs"],
    ["mixed", "src/mixed.js"],
    ["legacy", "src/legacy.js"],
    ["app", "src/app.js"],
    ["stack", "src/stack.js"],
  ])("shows what is assigned: %s", async (name, path) => {
    await expect(await ask(documentOutline, { path })).toMatchFileSnapshot(snapshot(`outline-of-${name}`));
  });
});

describe("describe_symbol", () => {
  it.each([
    ["an-exported-class", "Thing"],
    ["a-class-exported-under-another-name", "Renamed"],
    ["an-exported-function", "make"],
    ["an-assigned-function", "src/helpers.js#late"],
    ["an-assigned-class", "Counter"],
    ["a-method-of-the-exports", "twice"],
    ["a-whole-export", "Foo"],
    ["a-constructor-function", "Legacy"],
    ["a-prototype-member", "Thing.extra"],
    ["a-static-member", "Thing.nameless"],
    ["a-property-of-this", "Thing.count"],
    ["a-typedef", "Options"],
    ["a-typedef-member", "Options.name"],
    ["a-callback", "Visit"],
    ["a-name-passed-on", "src/index.js#build"],
    ["a-module", "src/things.js"],
  ])("says where it is exported: %s", async (name, symbol) => {
    await expect(await ask(describeSymbol, { symbol })).toMatchFileSnapshot(snapshot(`describe-${name}`));
  });
});

describe("who_calls", () => {
  it.each([
    ["a-class-in-the-exports", "Thing"],
    ["a-class-exported-under-another-name", "Renamed"],
    ["a-function-in-the-exports", "make"],
    ["a-method-of-the-exports", "twice"],
    ["a-nested-method", "nested.deep"],
    ["an-arrow-function-of-the-exports", "half"],
    ["an-assigned-function", "late"],
    ["an-assigned-arrow-function", "arrow"],
    ["one-function-with-two-names", "src/helpers.js#first"],
    ["an-assigned-class", "Counter"],
    ["an-exported-declaration", "src/helpers.js#round"],
    ["a-whole-export", "Foo"],
    ["a-factory", "factory"],
    ["a-constructor-function", "Legacy"],
    ["a-static-member", "Thing.nameless"],
    ["a-prototype-member", "Thing.extra"],
    ["a-member-of-a-constructor-function", "Legacy.open"],
    ["a-member-of-an-unknown-value", "Legacy.close"],
    ["a-member-of-a-function", "src/factory.cjs#label"],
    ["an-added-function", "src/mixed.js#other"],
    ["an-added-method", "src/mixed.js#mixed"],
    ["a-spread-module-s-own", "src/spread.js#own"],
    ["a-member-of-a-variable-that-is-the-exports", "src/app.js#init"],
    ["a-member-of-a-prototype-object", "Stack.push"],
    ["a-member-of-an-object-that-grows", "offered.empty"],
  ])("finds what reaches it through require: %s", async (name, symbol) => {
    await expect(await ask(whoCalls, { symbol })).toMatchFileSnapshot(snapshot(`callers-of-${name}`));
  });
});

describe("who_references", () => {
  it.each([
    ["a-class-in-the-exports", "Thing"],
    ["a-constant-in-the-exports", "limit"],
    ["a-nested-property", "nested.size"],
    ["an-assigned-value", "src/helpers.js#version"],
    ["a-value-of-a-function", "src/factory.cjs#made"],
    ["a-defined-property", "src/mixed.js#lazy"],
    ["a-property-of-this", "Thing.count"],
    ["a-property-of-a-constructor-function", "Legacy.opened"],
    ["a-property-beside-a-prototype-object", "Stack.items"],
    ["a-typedef-member", "Options.name"],
    ["a-callback", "Visit"],
  ])("finds every mention: %s", async (name, symbol) => {
    await expect(await ask(whoReferences, { symbol })).toMatchFileSnapshot(snapshot(`references-to-${name}`));
  });
});

describe("classes", () => {
  it.each([
    ["slots-of-a-class", classSlots, { symbol: "Thing" }],
    ["slots-of-a-subclass", classSlots, { symbol: "Sub" }],
    ["slots-of-a-constructor-function", classSlots, { symbol: "Legacy" }],
    ["slots-of-an-assigned-class", classSlots, { symbol: "Counter" }],
    ["slots-of-a-prototype-object", classSlots, { symbol: "Stack" }],
    ["hierarchy-of-an-exported-class", classHierarchy, { symbol: "Thing" }],
    ["hierarchy-of-a-subclass", classHierarchy, { symbol: "Sub" }],
    ["hierarchy-of-an-assigned-class", classHierarchy, { symbol: "Counter" }],
    ["implementations-of-an-exported-class", findImplementations, { symbol: "Thing" }],
    ["implementations-of-a-method", findImplementations, { symbol: "Thing.grow" }],
    ["specializers-of-a-method", methodSpecializers, { symbol: "Thing.grow" }],
    ["specializers-of-a-prototype-member", methodSpecializers, { symbol: "Thing.extra" }],
  ])("%s", async (name, tool, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(snapshot(name));
  });
});

describe("the other tools", () => {
  it.each([
    ["arguments-of-an-assigned-function", describeSymbol, { symbol: "src/helpers.js#walk" }],
    ["arguments-of-a-prototype-member", describeSymbol, { symbol: "Thing.extra" }],
    ["arguments-of-a-member-of-a-function", describeSymbol, { symbol: "src/factory.cjs#label" }],
    ["search-for-a-class", aproposSearch, { pattern: "Thing", path: "tsconfig.json" }],
    ["search-for-assigned-names", aproposSearch, { pattern: "/^(late|arrow|second|version|extra|opened|lazy)$/" }],
    ["expansion-of-a-typedef", macroexpandForm, { form: "Options" }],
    ["diagnostics", getDiagnostics, { path: "src/use.js" }],
  ])("%s", async (name, tool, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(snapshot(name));
  });
});

describe("rename_symbol", () => {
  const workspace = openEditWorkspace("commonjs-project");
  let fixture: EditFixture;
  beforeEach(() => {
    fixture = openEditFixture(workspace);
  });
  afterEach(() => fixture.dispose());
  afterAll(() => workspace.dispose());

  it.each([
    ["a-class-in-the-exports", { symbol: "Thing", new_name: "Item" }],
    ["an-assigned-function", { symbol: "src/helpers.js#late", new_name: "later" }],
    ["a-function-with-another-exported-name", { symbol: "make", new_name: "create" }],
    ["an-added-function", { symbol: "src/mixed.js#other", new_name: "another" }],
    ["a-whole-export", { symbol: "src/foo.js#Foo", new_name: "Bar" }],
  ])("renames every place behind the exports: %s", async (name, args) => {
    const answer = await fixture.ask(createRenameSymbol(fixture.ports), args);
    await expect(answer).toMatchFileSnapshot(snapshot(`rename-${name}`));
    expect(fixture.proposals).toHaveLength(1);
  });

  it("refuses what the compiler does not know", async () => {
    const answer = await fixture.ask(createRenameSymbol(fixture.ports), { symbol: "Thing.extra", new_name: "more" });
    await expect(answer).toMatchFileSnapshot(snapshot("rename-a-prototype-member"));
    expect(fixture.proposals).toEqual([]);
  });
});
