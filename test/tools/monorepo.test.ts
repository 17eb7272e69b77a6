/** Every tool on a monorepo with each construct of the language, and each way packages find one another. */
import { afterAll, describe, expect, it } from "vitest";
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
import type { Tool } from "../../server/src/tools/tool.ts";
import { copyMonorepo } from "../support/monorepo.ts";
import { openFixture } from "./ask-fixture.ts";

const { root, remove } = copyMonorepo();
const { service, ask } = openFixture(root);
afterAll(async () => {
  await service.dispose();
  remove();
});

const describeSymbol = createDescribeSymbol(service);
const whoCalls = createWhoCalls(service);
const apropos = createAproposSearch(service);
const references = createWhoReferences(service);
const macroexpand = createMacroexpandForm(service);

const questions: readonly (readonly [string, Tool, Record<string, unknown>])[] = [
  ["callers-in-every-package", whoCalls, { symbol: "weigh" }],
  ["callers-of-one-overload", whoCalls, { symbol: "weigh#2" }],
  ["callers-through-a-link-to-the-source", whoCalls, { symbol: "format" }],
  ["callers-through-built-declarations", whoCalls, { symbol: "@acme/kit#slug" }],
  ["callers-through-a-subpath-of-exports", whoCalls, { symbol: "@acme/kit/text#title" }],
  ["callers-through-a-pattern-of-exports", whoCalls, { symbol: "@acme/kit/shapes/circle#area" }],
  ["callers-of-a-static-method-through-built-declarations", whoCalls, { symbol: "Money.of" }],
  ["callers-under-another-name", whoCalls, { symbol: "@acme/core#withLabel" }],
  ["callers-of-a-default-export", whoCalls, { symbol: "createDepot" }],
  ["callers-of-a-javascript-function", whoCalls, { symbol: "middle" }],
  ["callers-in-a-folder-without-a-tsconfig", whoCalls, { symbol: "scripts/release.ts#release" }],
  ["callers-of-a-dependency-of-pnpm", whoCalls, { symbol: "tiny-dep#chain" }],
  ["callers-of-a-standard-decorator", whoCalls, { symbol: "logged" }],
  ["callers-of-decorators-of-the-older-kind", whoCalls, { symbol: "column" }],
  ["callers-of-a-component", whoCalls, { symbol: "Price" }],
  ["callers-of-a-constructor-with-using", whoCalls, { symbol: "Lock" }],
  ["describe-a-generic-abstract-class", describeSymbol, { symbol: "Parcel" }],
  ["describe-an-augmented-interface", describeSymbol, { symbol: "Registry" }],
  ["describe-a-member-that-augments", describeSymbol, { symbol: "Registry.cart" }],
  ["describe-a-global-of-the-project", describeSymbol, { symbol: "acmeBuild" }],
  ["describe-overloads", describeSymbol, { symbol: "weigh" }],
  ["describe-a-mixin", describeSymbol, { symbol: "labelled" }],
  ["describe-an-enum", describeSymbol, { symbol: "Priority" }],
  ["describe-a-namespace", describeSymbol, { symbol: "Labels" }],
  ["describe-a-jsdoc-typedef", describeSymbol, { symbol: "Point" }],
  ["describe-through-an-import-alias", describeSymbol, { symbol: "config" }],
  ["describe-what-a-package-does-not-export", describeSymbol, { symbol: "@acme/kit/internal/secret#secret" }],
  ["search-everywhere", apropos, { pattern: "label" }],
  ["search-a-package", apropos, { pattern: "/./", path: "@acme/kit" }],
  ["search-a-dependency", apropos, { pattern: "/./", path: "tiny-dep" }],
  ["references-by-kind", references, { symbol: "Size" }],
  ["references-of-a-property", references, { symbol: "Parcel.content" }],
  ["references-through-built-declarations", references, { symbol: "Money" }],
  ["exports-of-a-package", createListPackageSymbols(service), { path: "@acme/core" }],
  ["exports-of-a-package-with-built-declarations", createListPackageSymbols(service), { path: "@acme/kit" }],
  ["exports-of-a-subpath", createListPackageSymbols(service), { path: "@acme/kit/text" }],
  ["arguments-of-an-overloaded-function", describeSymbol, { symbol: "weigh" }],
  ["arguments-of-a-decorator", describeSymbol, { symbol: "logged" }],
  ["arguments-from-jsdoc", describeSymbol, { symbol: "middle" }],
  ["hierarchy-over-packages", createClassHierarchy(service), { symbol: "Parcel" }],
  ["hierarchy-of-a-mixed-class", createClassHierarchy(service), { symbol: "Stamped" }],
  ["implementations-over-packages", createFindImplementations(service), { symbol: "Weighable" }],
  ["specializers-of-an-abstract-method", createMethodSpecializers(service), { symbol: "Parcel.label" }],
  ["slots-of-a-generic-subclass", createClassSlots(service), { symbol: "Crate" }],
  ["slots-of-a-mixed-class", createClassSlots(service), { symbol: "Stamped" }],
  ["slots-of-a-jsdoc-typedef", createClassSlots(service), { symbol: "Point" }],
  ["references-of-a-jsdoc-typedef", references, { symbol: "Point" }],
  ["outline-of-a-component-file", createDocumentOutline(service), { path: "apps/web/src/page.tsx" }],
  ["outline-of-javascript", createDocumentOutline(service), { path: "packages/legacy/src/math.js" }],
  ["diagnostics-of-all-packages", createGetDiagnostics(service), {}],
  ["expand-a-mapped-type", macroexpand, { form: "Checked<'heavy'>", path: "packages/core/src/checks.ts" }],
  ["lower-using", macroexpand, { form: "inOrder" }],
];

describe("the monorepo", () => {
  it.each(questions)("%s", async (name, tool, args) => {
    const answer = await ask(tool, args);
    expect(answer).not.toContain(root);
    await expect(answer).toMatchFileSnapshot(`snapshots/monorepo/${name}.txt`);
  });
});
