import { afterAll, describe, expect, it } from "vitest";
import { createClassSlots } from "../../server/src/tools/introspection/class-slots.ts";
import { openShapes } from "./shapes-project.ts";

const { service, ask, edit, close, dispose } = openShapes();
const tool = createClassSlots(service);
afterAll(dispose);

describe("class_slots", () => {
  it.each([
    ["every-kind-of-member", { class: "Store" }],
    ["inherited-with-type-arguments", { class: "Users" }],
    ["inherited-over-two-generations", { class: "Days" }],
    ["inherited-from-a-dependency", { class: "Library" }],
    ["inherited-from-a-global", { class: "Wrong" }],
    ["overloaded-constructors", { class: "Counter" }],
    ["a-class-without-members", { class: "Empty" }],
    ["a-class-expression", { class: "Mixin" }],
    ["an-interface", { class: "Tree" }],
    ["a-callable-interface", { class: "Factory" }],
    ["an-object-type", { class: "Point" }],
    ["an-intersection", { class: "Both" }],
    ["a-mapped-type", { class: "PartialPoint" }],
    ["a-union", { class: "Figure" }],
    ["a-function-type", { class: "Handler" }],
    ["an-enum", { class: "Level" }],
    ["an-enum-of-strings", { class: "Word" }],
    ["an-object", { class: "settings" }],
    ["a-class-of-a-dependency", { class: "kit#Shelf" }],
    ["a-class-in-javascript", { class: "Box" }],
    ["a-global", { class: "Promise" }],
    ["a-file-with-syntax-errors", { class: "Half" }],
    ["an-alias-of-a-primitive-type", { class: "Id" }],
    ["a-function", { class: "add" }],
    ["a-namespace", { class: "Tools" }],
    ["a-constant", { class: "notCallable" }],
    ["an-unknown-name", { class: "Stroe" }],
    ["a-mixin", { class: "Clock" }],
    ["an-alias-of-a-generic-class", { class: "Small" }],
    ["an-interface-over-an-object-type", { class: "Wide" }],
    ["accessors", { class: "Dial" }],
    ["renamed-keys-of-a-mapped-type", { class: "PointKeys" }],
    ["an-unnamed-class", { class: "src/unusual.ts#default" }],
    ["a-page", { class: "Users", limit: 3, cursor: "2" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/class-slots/${name}.txt`);
  });

  it("reads text that is not saved", async () => {
    edit(
      "src/inside.ts",
      "export class Fresh extends Array<string> { #made = 1n; get made() { return this.#made; } }\n",
    );
    const text = await ask(tool, { class: "Fresh" });
    expect(text).toContain("#made: bigint = 1n");
    expect(text).toContain("get made: bigint");
    expect(text).toMatch(
      /From Array<string>, in lib\.es5\.d\.ts\n {2}\d+ members: .*push.* \(class_slots Array lists them\)/,
    );
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
    expect(await ask(tool, { class: "Scores" })).toContain("1 own, 0 inherited\n\nOwn\n  1: [key: string]: number\n");
    expect(await ask(tool, { class: "Keyed" })).toContain("  4: [key: string]: unknown\n");
    const child = await ask(tool, { class: "Child" });
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
    const text = await ask(tool, { class: "Shouter" });
    expect(text).toContain("0 own, 2 inherited");
    expect(text).toContain(`From Loud.(class), in src/inside.ts
  3: shout(): string

From Person, in src/inside.ts
  5: name: string = "nobody"
`);
    close("src/inside.ts");
  });

  it.each(["", "   "])("asks for a name when it gets %j", async (name) => {
    await expect(ask(tool, { class: name })).rejects.toThrow("Name the class");
  });
});
