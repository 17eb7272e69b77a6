/** A member to which several files contribute is one symbol, whatever address leads to it. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { resolveSymbol } from "../../../server/src/typescript/names/resolve-symbol.ts";
import { openProject, type TestProject } from "./with-typescript.ts";

const augments = (more: string): string =>
  `export {};\ndeclare module "./reg" { interface Registry { slot: string; ${more} } }\ndeclare global { interface Window3 { tool(): void } function help(): void }\n`;

let project: TestProject;
beforeAll(() => {
  project = openProject({
    "tsconfig.json":
      '{ "compilerOptions": { "types": [], "strict": true, "module": "esnext", "moduleResolution": "bundler", "noEmit": true } }',
    "src/reg.ts": "export interface Registry {\n  base: 1;\n}\n",
    "src/a.ts": augments(""),
    "src/b.ts": augments("own: 1"),
    "src/c.ts": "export interface Other {\n  slot2: string;\n}\n",
    "src/d.ts": "export interface Other {\n  slot2: string;\n}\n",
  });
});
afterAll(() => project.dispose());

async function meant(address: string): Promise<string> {
  const found = await project.service.query((view) => resolveSymbol(view, address), AbortSignal.timeout(60_000));
  if (found.kind === "found") return found.target.address;
  return found.kind === "ambiguous" ? found.candidates.map((each) => each.address).join(" or ") : found.kind;
}

it.each([
  ["Registry.slot", 'src/a.ts#"./reg".Registry.slot'],
  ["src/reg.ts#Registry.slot", 'src/a.ts#"./reg".Registry.slot'],
  ["src/b.ts#Registry.slot", 'src/b.ts#"./reg".Registry.slot'],
  ["src/{a,b}.ts#Registry.slot", 'src/a.ts#"./reg".Registry.slot'],
  ["src/{a, b}.ts#Registry.own", 'src/b.ts#"./reg".Registry.own'],
  ["Window3", "src/a.ts#global.Window3"],
  ["Window3.tool", "src/a.ts#global.Window3.tool"],
  ["help", "src/a.ts#global.help"],
  ["Other.slot2", "src/c.ts#Other.slot2 or src/d.ts#Other.slot2"],
  ["src/{c,d}.ts#Other.slot2", "unknown"],
])("%s means %s", async (address, symbol) => {
  expect(await meant(address)).toBe(symbol);
});
