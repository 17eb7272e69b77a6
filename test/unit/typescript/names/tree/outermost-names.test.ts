import { expect, it } from "vitest";
import { outermostNames } from "../../../../../server/src/typescript/names/tree/outermost-names.ts";

async function namesIn(text: string): Promise<string[]> {
  return (await outermostNames("/a.d.ts", text)).map(({ path, kind }) => `${kind} ${path}`);
}

it("reads the outermost declarations and leaves what is inside them", async () => {
  const text =
    "export declare class A {\n    inner(): void;\n    const: 1;\n}\ndeclare const b: 1;\nexport type C<T> = T;\nfunction d();\n";
  expect(await namesIn(text)).toEqual(["class A", "variable b", "type C", "function d"]);
});

it("reads one level into modules, globals and namespaces", async () => {
  const text =
    'declare module "tea" {\n    export function brew(): void;\n    interface Cup {\n        const: 1;\n        function(): void;\n    }\n}\ndeclare global {\n  var kettle: 1;\n}\n';
  expect(await namesIn(text)).toEqual(['function "tea".brew', 'interface "tea".Cup', "variable global.kettle"]);
});

it("gives an overloaded name once, where it stands first", async () => {
  const [only, ...more] = await outermostNames(
    "/a.d.ts",
    "export function f(): void;\nexport function f(a: 1): void;\n",
  );
  expect(only?.at).toEqual({ line: 0, character: 16 });
  expect(more).toEqual([]);
});
