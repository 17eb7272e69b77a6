/** A member without words of its own is described by those of what it implements or overrides, the nearest first. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { resolveSymbol } from "../../../server/src/typescript/names/resolve-symbol.ts";
import { describeTarget } from "../../../server/src/typescript/shapes/describe.ts";
import { openProject, type TestProject } from "./with-typescript.ts";

let project: TestProject;
beforeAll(() => {
  project = openProject({
    "tsconfig.json": '{ "compilerOptions": { "lib": ["es2022"], "types": [], "strict": true } }',
    "src/shape.ts": `export interface Shape<T> {
  /** The area. */
  area(scale: T): number;
  /** The name. */
  readonly name: string;
  /** The owner. */
  owner: string;
}
export abstract class Base {
  /** Runs. */
  run(): void {}
  /** Makes one. */
  static make(): void {}
  /** The base's area. */
  abstract area(scale: number): number;
}
`,
    "src/circle.ts": `import { Base, type Shape } from "./shape.js";
export class Round implements Shape<number> {
  area(scale: number): number { return scale; }
  get name(): string { return "c"; }
  owner = "me";
  /** Its own. */
  own(): void {}
  bare(): void {}
}
export class Deep extends Round {
  override area(scale: number): number { return scale; }
  override own(): void {}
}
export class Both extends Base implements Shape<number> {
  name = "b";
  owner = "o";
  override area(scale: number): number { return scale; }
  override run(): void {}
  static override make(): void {}
}
export class Loop extends Loop { again(): void {} }
`,
  });
});
afterAll(() => project.dispose());

it.each([
  ["Round.area", "The area."],
  ["Round.name", "The name."],
  ["Round.owner", "The owner."],
  ["Round.own", "Its own."],
  ["Round.bare", ""],
  ["Deep.area", "The area."],
  ["Deep.own", "Its own."],
  ["Both.area", "The base's area."],
  ["Both.name", "The name."],
  ["Both.run", "Runs."],
  ["Both.make", "Makes one."],
  ["Loop.again", ""],
])("%s: %s", async (name, words) => {
  const described = await project.service.query(async (view) => {
    const found = await resolveSymbol(view, `src/circle.ts#${name}`);
    return found.kind === "found" ? describeTarget(view, found.target) : undefined;
  }, AbortSignal.timeout(60_000));
  expect(described?.documentation).toBe(words);
});
