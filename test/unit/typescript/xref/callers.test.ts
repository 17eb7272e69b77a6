import { afterEach, describe, expect, it } from "vitest";
import { openProject, type TestProject } from "../with-typescript.ts";

let project: TestProject;
afterEach(() => project.dispose());

const config = {
  "tsconfig.json":
    '{ "compilerOptions": { "strict": true, "module": "esnext", "target": "es2022", "types": [], "moduleResolution": "bundler" } }',
};

describe("a call is found", () => {
  it.each([
    ["through a name destructured from a dynamic import", 'const { add } = await import("./a");\nadd(1);'],
    ["through a renamed one", 'const { add: plus } = await import("./a");\nplus(1);'],
    ["through a parameter that is destructured", 'await import("./a").then(({ add }) =>\nadd(1));'],
    ["through the module that a dynamic import gives", 'const m = await import("./a");\nm.add(1);'],
    ["through a namespace import", 'import * as all from "./a";\nall.add(1);'],
    [
      "through a name destructured from a namespace import",
      'import * as all from "./a";\nconst { add } = all; add(1);',
    ],
    ["by a string between brackets", 'import * as all from "./a";\nall["add"](1);'],
    ["through a renamed import", 'import { add as plus } from "./a";\nplus(1);'],
    ["behind an assertion and parentheses", 'import { add } from "./a";\n(add as (n: number) => number)!(1);'],
    ["behind a question mark", 'import { add } from "./a";\nadd?.(1);'],
    ["through .apply", 'import { add } from "./a";\nadd.apply(undefined, [1]);'],
  ])("%s", async (_name, text) => {
    project = openProject({
      ...config,
      "a.ts": "export function add(n: number): number {\n  return n;\n}\n",
      "b.ts": `${text}\nexport {};\n`,
    });
    const answer = await project.whoCalls({ symbol: "a.ts#add" });
    expect(answer.content).toContain("1 call site in 1 file, none in tests");
    expect(answer.content).toMatch(/^ {2}b\.ts:2 \(module\)(?: — call \(through \.apply\))?: /m);
  });
});

describe("a mention is no call", () => {
  it.each([
    ["in a type", 'import type { add } from "./a";\nexport type Add = typeof add;', "1 import, 1 type"],
    ["when it is exported again", 'export { add as plus } from "./a";', "1 re-export"],
    [
      "in a comment of documentation",
      'import { add } from "./a";\n/** See {@link add}. */\nexport const x = 1;',
      "1 import",
    ],
  ])("%s", async (_name, text, uses) => {
    project = openProject({
      ...config,
      "a.ts": "export function add(n: number): number {\n  return n;\n}\n",
      "b.ts": `${text}\n`,
    });
    const { content } = await project.whoCalls({ symbol: "a.ts#add" });
    expect(content).toContain("No callers: a.ts#add");
    expect(content).toContain(`Also mentioned, not as a call: ${uses}`);
  });
});

it("finds what a component does with a property it destructures", async () => {
  project = openProject({
    ...config,
    "a.ts":
      "interface Props {\n  onClick(): void;\n}\nexport function button({ onClick }: Props): void {\n  onClick();\n}\n",
  });
  expect((await project.whoCalls({ symbol: "Props.onClick" })).content).toContain("a.ts:5 button: onClick();");
});

it("keeps apart the overrides of siblings, and says how many it left out", async () => {
  project = openProject({
    ...config,
    "a.ts": [
      "abstract class Base { abstract run(): void; kind = 0; }",
      "class Left extends Base { left = 1; run(): void {} }",
      "class Right extends Base { right = 1; run(): void {} }",
      "new Left().run();",
      "new Right().run();",
      "export function both(base: Base): void { base.run(); }",
      "",
    ].join("\n"),
  });
  const { content } = await project.whoCalls({ symbol: "Left.run" });
  expect(content).toContain("a.ts:4 (module): new Left().run();");
  expect(content).toContain("a.ts:6 both — call (via Base.run)");
  expect(content).not.toContain("a.ts:5:");
  expect(content).toContain("Not counted: 1 use that runs another implementation of the same member");
});

it("cuts a long list to its budget and says where to read on", async () => {
  const calls = Array.from({ length: 400 }, (_, index) => `export const value${index} = add(${index});`);
  project = openProject({
    ...config,
    "a.ts": `export function add(n: number): number {\n  return n;\n}\n${calls.join("\n")}\n`,
  });
  const first = await project.whoCalls({ symbol: "add" });
  expect(first.content).toContain("400 call sites in 1 file");
  expect(first.content.length).toBeLessThan(8_500);
  expect(first.truncated).toBe(true);
  const second = await project.whoCalls({ symbol: "add", cursor: first.nextCursor });
  expect(second.content).toContain(`Shown: ${Number(first.nextCursor) + 1} to`);
});
