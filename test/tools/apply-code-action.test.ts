import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApplyCodeAction } from "../../server/src/tools/edit/apply-code-action.ts";
import type { Tool } from "../../server/src/tools/tool.ts";
import { aliasOf } from "../support/alias-of.ts";
import { openEditFixture, openEditWorkspace, type EditFixture } from "./edit-fixture.ts";

const workspace = openEditWorkspace("edits-project");
let fixture: EditFixture;
beforeEach(() => {
  fixture = openEditFixture(workspace);
});
afterEach(() => fixture.dispose());
afterAll(() => workspace.dispose());

describe("apply_code_action", () => {
  it.each([
    ["a-file", { path: "src/messy.ts" }],
    ["one-line", { path: "src/messy.ts", line: 7 }],
    ["some-lines", { path: "src/messy.ts", line: 1, end_line: 5 }],
    ["a-symbol", { path: "src/messy.ts", symbol: "Order" }],
    ["a-page", { path: "src/messy.ts", limit: 2 }],
    ["a-file-without-problems", { path: "src/rates.ts" }],
    ["an-unknown-file", { path: "src/mesy.ts" }],
    ["an-unknown-symbol", { path: "src/messy.ts", symbol: "Ordr" }],
  ])("lists what there is without asking anyone: %s", async (name, args) => {
    const tool = createApplyCodeAction(fixture.ports);
    await expect(await fixture.ask(tool, args)).toMatchFileSnapshot(`snapshots/apply-code-action/${name}.txt`);
    expect(fixture.proposals).toEqual([]);
  });

  it.each([
    ["by-number", { path: "src/messy.ts", line: 7, action: 1 }],
    ["by-title", { path: "src/messy.ts", action: "Implement interface 'Priced'" }],
    ["fix-all", { path: "src/messy.ts", action: "Fix All" }],
    ["in-a-file-with-windows-line-ends", { path: "src/windows.ts", action: 1 }],
  ])("proposes the chosen action: %s", async (name, args) => {
    const tool = createApplyCodeAction(fixture.ports);
    await expect(await fixture.ask(tool, args)).toMatchFileSnapshot(`snapshots/apply-code-action/${name}.txt`);
    expect(fixture.proposals).toHaveLength(1);
  });

  it("keeps an action's id while the code stays, and refuses the id once the action is another", async () => {
    const tool = createApplyCodeAction(fixture.ports);
    const id = /id (\w{6})/.exec(await fixture.ask(tool, { path: "src/messy.ts", line: 7 }))?.[1];
    const text = await fixture.textOf("src/messy.ts");
    const uri = fixture.uri("src/messy.ts");
    fixture.documents.open({ uri, languageId: "typescript", version: 1, text: `${text}// more\n` });
    fixture.decide = () => ({ decision: "reject" });
    expect(await fixture.ask(tool, { path: "src/messy.ts", action: id })).toContain("NOT APPLIED");
    fixture.documents.change(uri, 2, [{ text: text.replace("rates.ts", "names.ts") }]);
    expect(await fixture.ask(tool, { path: "src/messy.ts", action: id })).toContain(`There is no action "${id}" here`);
    expect(fixture.proposals).toHaveLength(1);
  });

  it("lists actions where nobody can review, and says so when one is chosen", async () => {
    const tool = createApplyCodeAction({ ...fixture.ports, unavailable: () => "Nobody can review." });
    expect(await fixture.ask(tool, { path: "src/messy.ts", line: 7 })).toContain("1. Update import");
    expect(await fixture.ask(tool, { path: "src/messy.ts", line: 7, action: 1 })).toContain("Nobody can review.");
  });

  it("keeps every line end of a file that has Windows line ends", async () => {
    await fixture.ask(createApplyCodeAction(fixture.ports), { path: "src/windows.ts", action: 1 });
    const text = await fixture.textOf("src/windows.ts");
    expect(text).toContain("Symbol.iterator");
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
  });
});

describe("organize_imports", () => {
  const organizeImports = (): Tool => aliasOf("organize_imports", createApplyCodeAction(fixture.ports));

  it.each([
    ["all", { path: "src/messy.ts" }],
    ["only-sorted", { path: "src/messy.ts", mode: "sort" }],
    ["only-unused", { path: "src/messy.ts", mode: "remove_unused" }],
    ["with-windows-line-ends", { path: "src/windows.ts" }],
  ])("proposes the compiler's edit: %s", async (name, args) => {
    const tool = organizeImports();
    await expect(await fixture.ask(tool, args)).toMatchFileSnapshot(`snapshots/organize-imports/${name}.txt`);
    expect(fixture.proposals).toHaveLength(1);
  });

  it("proposes nothing where nothing is to be done", async () => {
    const tool = organizeImports();
    expect(await fixture.ask(tool, { path: "src/rates.ts" })).toContain("already like that");
    expect(fixture.proposals).toEqual([]);
  });

  it("sees the text of an unsaved buffer", async () => {
    const uri = fixture.uri("src/rates.ts");
    const text = `import { taken } from "./names.ts";\n${await fixture.textOf("src/rates.ts")}`;
    fixture.documents.open({ uri, languageId: "typescript", version: 1, text });
    await fixture.ask(organizeImports(), { path: "src/rates.ts", mode: "remove_unused" });
    expect(await fixture.textOf("src/rates.ts")).not.toContain("names.ts");
  });

  it("refuses what is no file of the project", async () => {
    const tool = organizeImports();
    for (const path of ["../outside.ts", ".env", "package.json", "lib.es5.d.ts"]) {
      expect(await fixture.ask(tool, { path })).toContain("FAILED:");
    }
    expect(fixture.proposals).toEqual([]);
  });
});
