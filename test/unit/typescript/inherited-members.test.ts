/** `Outer.member` of what Outer has from elsewhere leads to where the member is declared, with a file before the name or without. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { resolveSymbol } from "../../../server/src/typescript/names/resolve-symbol.ts";
import { openProject, type TestProject } from "./with-typescript.ts";

const FILES = {
  "tsconfig.json": '{ "compilerOptions": { "lib": ["es2022"], "types": [], "strict": true } }',
  "src/base.ts": `export abstract class Doc<T> {
  #secret = 1;
  item!: T;
  gross(): number { return this.#secret; }
  print(): void {}
  static make(): void {}
}
export interface Sub { subscribe(): void }
export interface Obs extends Sub { pipe(): void }
export type Both = Sub & { own: string };
export function mix<C extends new (...all: any[]) => object>(Base: C) {
  return class Mixed extends Base { stamp(): void {} };
}
export class Failure extends Error { code = 1; }
`,
  "src/invoice.ts": `import { Doc, mix } from "./base.js";
export class Invoice extends Doc<number> { order = 1; }
export class Late extends Invoice { override print(): void {} }
export class Stamped extends mix(Invoice) {}
export const Made = class extends Invoice {};
class Hidden extends Invoice {}
export const held = new Hidden();
`,
  "src/two.ts": "class A { run() {} }\nexport namespace One { export class Task extends A {} }\n",
  "src/three.ts": "class B { run() {} }\nexport namespace Two { export class Task extends B {} }\n",
};

let project: TestProject;
beforeAll(() => {
  project = openProject(FILES);
});
afterAll(() => project.dispose());

async function resolved(address: string): Promise<string> {
  return project.service.query(async (view) => {
    const found = await resolveSymbol(view, address);
    if (found.kind === "found") return found.target.address;
    return found.kind === "ambiguous" ? found.candidates.map((each) => each.address).join(" or ") : found.kind;
  }, AbortSignal.timeout(60_000));
}

it.each([
  ["Invoice.gross", "src/invoice.ts", "src/base.ts#Doc.gross"],
  ["Invoice.item", "src/invoice.ts", "src/base.ts#Doc.item"],
  ["Invoice.make", "src/invoice.ts", "src/base.ts#Doc.make"],
  ["Late.print", "src/invoice.ts", "src/invoice.ts#Late.print"],
  ["Late.order", "src/invoice.ts", "src/invoice.ts#Invoice.order"],
  ["Stamped.stamp", "src/invoice.ts", "src/base.ts#mix.Mixed.stamp"],
  ["Stamped.gross", "src/invoice.ts", "src/base.ts#Doc.gross"],
  ["Made.gross", "src/invoice.ts", "src/base.ts#Doc.gross"],
  ["Hidden.gross", "src/invoice.ts", "src/base.ts#Doc.gross"],
  ["held.gross", "src/invoice.ts", "src/base.ts#Doc.gross"],
  ["Obs.subscribe", "src/base.ts", "src/base.ts#Sub.subscribe"],
  ["Both.subscribe", "src/base.ts", "src/base.ts#Sub.subscribe"],
  ["Failure.message", "src/base.ts", "lib.es5.d.ts#Error.message"],
  ["Failure.cause", "src/base.ts", "lib.es2022.error.d.ts#Error.cause"],
  ["Invoice.#secret", "src/invoice.ts", "unknown"],
  ["Invoice.nothing", "src/invoice.ts", "unknown"],
])("%s", async (name, file, address) => {
  expect(await resolved(name)).toBe(address);
  expect(await resolved(`${file}#${name}`)).toBe(address);
});

it("lists the meanings where several types of that name have such a member", async () => {
  expect(await resolved("Task.run")).toBe("src/three.ts#B.run or src/two.ts#A.run");
});
