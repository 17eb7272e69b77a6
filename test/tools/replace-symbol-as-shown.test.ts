/** What read_symbol shows, with one digit changed, may be put back by op replace_symbol. */
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { createReadSymbol } from "../../server/src/tools/introspection/read-symbol.ts";
import { createProposeEdits } from "../../server/src/tools/edit/propose-edits.ts";
import { openEditFixture, openEditWorkspace, type EditFixture } from "./edit-fixture.ts";

const workspace = openEditWorkspace("edits-project");
let fixture: EditFixture;
beforeEach(() => {
  fixture = openEditFixture(workspace);
});
afterEach(() => fixture.dispose());
afterAll(() => workspace.dispose());

const KINDS: readonly (readonly [string, string, string])[] = [
  ["a function as the default export", "export default () => {\n  return 1;\n};\n", "default"],
  ["an object as the default export", "export default { a: 1 };\n", "default"],
  ["a property of an object", "export const it = {\n  a: 1,\n  b: 2,\n};\n", "it.a"],
  ["the last property of an object", "export const it = {\n  b: 2,\n  a: 1\n};\n", "it.a"],
  ["a method of an object", "export const it = {\n  a() {\n    return 1;\n  },\n  b: 2,\n};\n", "it.a"],
  ["a nested property", "export const it = {\n  in: {\n    a: 1,\n  },\n};\n", "it.in.a"],
  ["a property beside others", "export const it = { b: 2, a: 1 };\n", "it.a"],
  ["a member of an enum", "export enum E {\n  A = 1,\n  B = 2,\n}\n", "E.A"],
  ["a member of an enum on one line", "export enum E { A = 1, B = 2 }\n", "E.A"],
  ["a method of a class", "export class C {\n  a() {\n    return 1;\n  }\n  b = 2;\n}\n", "C.a"],
  ["a field of a class", "export class C {\n  a = 1;\n  b = 2;\n}\n", "C.a"],
  ["a member of an interface", "export interface I {\n  a: 1;\n  b: 2;\n}\n", "I.a"],
  ["a member of an interface that commas part", "export interface I { b: 2, a: 1 }\n", "I.a"],
  ["a constant", "export const a = 1;\n", "a"],
  ["a function behind a comment", "/** Says one. */\nexport function a() {\n  return 1;\n}\n", "a"],
  ["a field with the ends of lines of Windows", "export class C {\r\n  a = 1;\r\n  b = 2;\r\n}\r\n", "C.a"],
];

it.each(KINDS)("%s", async (_kind, text, path) => {
  fixture.write("src/shown.ts", text);
  const symbol = `src/shown.ts#${path}`;
  const answer = await createReadSymbol(fixture.ports.typescript).run(
    { symbol },
    { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) },
  );
  const shown = JSON.stringify(answer).match(/"content":"((?:[^"\\]|\\.)*)"/)?.[1] ?? "";
  const lines = (JSON.parse(`"${shown}"`) as string)
    .split("\n")
    .flatMap((line) => /^ *\d+ {2}(.*)$/.exec(line)?.[1] ?? []);
  expect(lines.join("\n")).toContain("1");
  for (const end of ["", "\n"]) {
    fixture.write("src/shown.ts", text);
    const modified = lines.join("\n").replace("1", "7") + end;
    await fixture.ask(createProposeEdits(fixture.ports), {
      edits: [{ op: "replace_symbol", symbol, modified }],
      title: "one digit",
    });
    expect(await fixture.textOf("src/shown.ts")).toBe(text.replace(/1(?!\. \*)/, "7"));
  }
});
