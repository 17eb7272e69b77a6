/** What the REPL of the VS Code extension relies on, with the real server: scopes, text that is not saved, and interrupts. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { errorLines } from "../../client-vscode/repl/describe.ts";
import { namePattern, testsIn } from "../../client-vscode/repl/outline.ts";
import { rowsOf } from "../../client-vscode/repl/pages.ts";
import { Places } from "../../client-vscode/repl/places.ts";
import { outcomesOf, type ListedTest } from "../../client-vscode/repl/verdict.ts";
import { inlineText } from "../../client-vscode/repl/shown-value.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage({ freshRepl: true });

function place(name: string): string {
  return path.join(stage.folder, name);
}
function uri(name: string): string {
  return pathToFileURL(place(name)).href;
}

it("evaluates in the scope of a module, with text that is not saved, and shows places in the file", async () => {
  const { client } = stage;
  await client.open(
    place("src/tax.ts"),
    'const rates = { A: 7 };\nexport const fail = () => { throw new Error("no"); };\n',
  );
  const value = await client.request("agentq/evaluate", { code: "rates", module: uri("src/tax.ts") });
  expect(inlineText(value, 0)).toBe("⇒ { A: 7 }");
  const failed = await client.request("agentq/evaluate", { code: "null.x", module: uri("src/tax.ts") });
  const places = new Places();
  places.remember(failed.evalId, { uri: uri("src/tax.ts"), line: 4, character: 2 });
  if (failed.error === undefined) throw new Error("there is no error");
  const name = (file: string): string => file.replace(`${uri("")}/`, "");
  expect(errorLines(places.put(failed.error), name)[1]).toBe("  at src/tax.ts:5:8");
  // An error of another line than the one that was evaluated.
  await client.change(uri("src/tax.ts"), "const rates = { A: 7 };\nnoSuch;\n");
  const other = await client.request("agentq/evaluate", { code: "rates", module: uri("src/tax.ts") });
  expect(inlineText(other, 0)).toBe("⇒ not evaluated, tax.ts:2 does not load: ReferenceError: noSuch is not defined");
});

it("lets one cell of a notebook see what another one declared, in a module named by its path", async () => {
  const module = "src/allocate.ts";
  await stage.client.request("agentq/evaluate", { code: "const ten = 10;", module });
  const next = await stage.client.request("agentq/evaluate", { code: "totalWeight([ten, 2])", module });
  expect(next.preview).toBe("12");
});

it("stops the newest form of the person by what the history says", async () => {
  const { client } = stage;
  const running = client.request("agentq/evaluate", { code: "console.log('begun'); await new Promise(() => {})" });
  await expect
    .poll(async () => (await client.request("agentq/replHistory", { only: "stoppable", limit: 100 })).items)
    .toMatchObject([{ by: "person", outcome: "running" }]);
  const { items } = await client.request("agentq/replHistory", { only: "stoppable", limit: 100 });
  await client.waitFor(({ method }) => (method === "agentq/replOutput" ? true : undefined));
  await client.request("agentq/interrupt", { evalId: items[0]?.evalId ?? "" });
  expect(await running).toMatchObject({ outcome: "interrupted", stdout: "begun\n" });
});

it("opens a value page by page", async () => {
  const { valueId = "" } = await stage.client.request("agentq/evaluate", {
    code: "Array.from({ length: 120 }, (_, i) => [i])",
  });
  const first = rowsOf([await stage.client.request("agentq/inspectValue", { value: valueId, path: [], page: 1 })]);
  expect(first.at(-1)?.next).toEqual({ path: [], page: 2 });
  const row = first.find(({ label }) => label === "3:");
  const inside = await stage.client.request("agentq/inspectValue", {
    value: valueId,
    path: [...(row?.path ?? [])],
    page: 1,
  });
  expect(inside.preview).toBe("Array(1) [3]");
});

it("lists the tests of a file as the editor has it, and runs one of them by its name", async () => {
  const { client } = stage;
  const name = "test/tax.test.ts";
  await client.open(
    place(name),
    'import { test } from "node:test";\nimport assert from "node:assert/strict";\ntest("adds (1.5)", () => assert.equal(1, 2));\ntest("adds", () => {});\n',
  );
  const call = (tool: string, args: object) =>
    client.request("agentq/callTool", { name: tool, arguments: { ...args } });
  const nodes = testsIn((await call("document_outline", { path: name })).content);
  expect(nodes.map(({ title, line }) => [title, line])).toEqual([
    ["adds (1.5)", 2],
    ["adds", 3],
  ]);
  const listed = nodes.map(({ title }): ListedTest => ({ id: title, uri: uri(name), titles: [title], isSuite: false }));
  const answer = await call("run_tests", { path: name, name: namePattern(["adds (1.5)"], false) });
  if (answer.tests === undefined) throw new Error(answer.error ?? answer.content);
  expect([...outcomesOf(answer.tests, listed.slice(0, 1), answer.content).failed.keys()]).toEqual(["adds (1.5)"]);
});
