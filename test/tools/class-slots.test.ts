import { afterAll, describe, expect, it } from "vitest";
import { createClassSlots } from "../../server/src/tools/introspection/class-slots.ts";
import { openShapes } from "./shapes-project.ts";

const { service, ask, edit, close, dispose } = openShapes();
const tool = createClassSlots(service);
afterAll(dispose);

describe("class_slots", () => {
  it.each([
    ["every-kind-of-member", { symbol: "Store" }],
    ["inherited-with-type-arguments", { symbol: "Users" }],
    ["inherited-over-two-generations", { symbol: "Days" }],
    ["inherited-from-a-dependency", { symbol: "Library" }],
    ["inherited-from-a-global", { symbol: "Wrong" }],
    ["overloaded-constructors", { symbol: "Counter" }],
    ["a-class-without-members", { symbol: "Empty" }],
    ["a-class-expression", { symbol: "Mixin" }],
    ["an-interface", { symbol: "Tree" }],
    ["a-callable-interface", { symbol: "Factory" }],
    ["an-object-type", { symbol: "Point" }],
    ["an-intersection", { symbol: "Both" }],
    ["a-mapped-type", { symbol: "PartialPoint" }],
    ["a-union", { symbol: "Figure" }],
    ["a-function-type", { symbol: "Handler" }],
    ["an-enum", { symbol: "Level" }],
    ["an-enum-of-strings", { symbol: "Word" }],
    ["an-object", { symbol: "settings" }],
    ["a-class-of-a-dependency", { symbol: "kit#Shelf" }],
    ["a-class-in-javascript", { symbol: "Box" }],
    ["a-global", { symbol: "Promise" }],
    ["a-file-with-syntax-errors", { symbol: "Half" }],
    ["an-alias-of-a-primitive-type", { symbol: "Id" }],
    ["a-function", { symbol: "add" }],
    ["a-namespace", { symbol: "Tools" }],
    ["a-constant", { symbol: "notCallable" }],
    ["an-unknown-name", { symbol: "Stroe" }],
    ["a-mixin", { symbol: "Clock" }],
    ["an-alias-of-a-generic-class", { symbol: "Small" }],
    ["an-interface-over-an-object-type", { symbol: "Wide" }],
    ["accessors", { symbol: "Dial" }],
    ["renamed-keys-of-a-mapped-type", { symbol: "PointKeys" }],
    ["an-unnamed-class", { symbol: "src/unusual.ts#default" }],
    ["a-page", { symbol: "Users", limit: 3, cursor: "2" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/class-slots/${name}.txt`);
  });

  it("reads text that is not saved", async () => {
    edit(
      "src/inside.ts",
      "export class Fresh extends Array<string> { #made = 1n; get made() { return this.#made; } }\n",
    );
    const text = await ask(tool, { symbol: "Fresh" });
    expect(text).toContain("#made: bigint = 1n");
    expect(text).toContain("get made: bigint");
    expect(text).toMatch(/From Array<string>, in lib\.es5\.d\.ts: .*push.* and \d+ more \(class_slots Array\)/);
    close("src/inside.ts");
  });

  it("lists the index and call signatures that are not written in the type itself", async () => {
    edit(
      "src/inside.ts",
      `export type Scores = Record<string, number>;
interface Callable<T> { (value: T): number; new (value: T): Date; readonly [name: \`x-\${string}\`]: T }
export interface Child extends Callable<string> { own: string }
export type Keyed = { id: number } & { [key: string]: unknown };
`,
    );
    expect(await ask(tool, { symbol: "Scores" })).toContain("1 member, none inherited\n\n  1: [key: string]: number\n");
    expect(await ask(tool, { symbol: "Keyed" })).toContain("  4: [key: string]: unknown\n");
    const child = await ask(tool, { symbol: "Child" });
    expect(child).toContain("1 own, 3 inherited");
    expect(child).toContain("From Callable<string>, in src/inside.ts\n");
    expect(child).toContain("  2: (value: string): number\n");
    expect(child).toContain("  2: new (value: string): Date\n");
    expect(child).toContain("  2: readonly [name: `x-${string}`]: string\n");
    close("src/inside.ts");
  });

  it("lists a member that a mixin and its base both have under the class that declares it", async () => {
    edit(
      "src/inside.ts",
      `interface Called { name: string }
export function Loud<Base extends new (...args: any[]) => Called>(base: Base) {
  return class extends base { shout(): string { return this.name; } };
}
export class Person implements Called { name = "nobody"; }
export class Shouter extends Loud(Person) {}
`,
    );
    const text = await ask(tool, { symbol: "Shouter" });
    expect(text).toContain("0 own, 2 inherited");
    expect(text).toContain(`From Loud.(class), in src/inside.ts
  3: shout(): string

From Person, in src/inside.ts
  5: name: string = "nobody"
`);
    close("src/inside.ts");
  });

  it.each(["", "   "])("asks for a name when it gets %j", async (name) => {
    await expect(ask(tool, { symbol: name })).rejects.toThrow("Name the class");
  });
});
