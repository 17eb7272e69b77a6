import { afterAll, describe, expect, it } from "vitest";
import { createMacroexpandForm } from "../../server/src/tools/introspection/macroexpand-form.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("expand-project");
const tool = createMacroexpandForm(service);
afterAll(() => service.dispose());

function snapshotOf(answer: string, name: string): Promise<void> {
  const stable = answer
    .replaceAll(/\b(swc|oxc) \d+\.\d+\.\d+/g, "$1 <version>")
    .replaceAll(/(lib\.\S+\.d\.ts):\d+:\d+/g, "$1");
  return expect(stable).toMatchFileSnapshot(`snapshots/macroexpand-form/${name}.txt`);
}

describe("macroexpand_form of a type", () => {
  it.each([
    ["an-alias", { form: "UserPatch" }],
    ["an-alias-with-arguments", { form: "Patch<Address>" }],
    ["a-built-in-alias", { form: "Partial<User>" }],
    ["a-default-argument", { form: "Result<User>" }],
    ["an-alias-computed-by-the-compiler", { form: 'Uppercase<"a">' }],
    ["a-compound-argument", { form: "ElementOf<(User | Address)[]>" }],
    ["a-distributive-conditional", { form: 'Without<"a" | "b" | 1, string>' }],
    ["a-mapped-type-with-renamed-keys", { form: "Getters<Address>" }],
    ["a-template-literal", { form: "Route" }],
    ["a-tuple", { form: "Point" }],
    ["a-function-type", { form: "Handler<Status>" }],
    ["a-generic-without-arguments", { form: "Tree" }],
    ["a-built-in-generic-without-arguments", { form: "Partial" }],
    ["a-generic-with-a-default-without-arguments", { form: "Result" }],
    ["too-few-arguments", { form: "Pick<User>" }],
    ["a-recursive-type-in-full", { form: "Tree<string>", full: true }],
    ["an-interface", { form: "src/models.ts#Admin" }],
    ["an-interface-in-full", { form: "src/models.ts#Admin", full: true }],
    ["a-member-of-an-interface", { form: "User.address" }],
    ["an-indexed-access", { form: 'User["manager"]', full: true }],
    ["keyof-typeof", { form: "Level" }],
    ["keyof-an-interface", { form: "keyof Address" }],
    ["a-union", { form: "Role | number" }],
    ["an-object-literal", { form: "{ at: Address; rename(user: User): void }" }],
    ["an-address-inside-a-type", { form: 'Pick<src/models.ts#User, "id">', path: "src/code.ts" }],
    ["a-name-that-is-not-exported", { form: "Partial<Hidden>" }],
    ["a-class-as-a-type", { form: "Counter", as: "type" }],
    ["an-enum-as-a-type", { form: "src/models.ts#Status", as: "type" }],
    ["a-function-as-a-type", { form: "rename", as: "type" }],
    ["declarations", { form: "type Both = { one: One }; interface One extends Address { more: Both }", full: true }],
    ["a-typedef-of-a-script", { form: "src/plain.js#Box" }],
    ["a-type-with-comments", { form: "Patch< // which\n  Address /* this one */>" }],
    ["a-long-union", { form: "`${Digit}${Digit}`", path: "src/models.ts", limit: 4 }],
    ["exported-declarations", { form: "export type Local = Address;" }],
    ["an-unknown-name-inside", { form: "Patch<Nope>" }],
    ["a-constraint-that-does-not-hold", { form: 'Pick<User, "nope">' }],
    ["an-unknown-name", { form: "Usr" }],
    ["an-unknown-module", { form: "Patch<User>", path: "src/nowhere.ts" }],
    ["the-first-lines", { form: "User", limit: 3 }],
    ["the-last-lines", { form: "User", limit: 3, cursor: "6" }],
  ])("%s", async (name, args) => {
    await snapshotOf(await ask(tool, args), `type-${name}`);
  });

  it("says which module can name a type that is not exported", async () => {
    const asked = ask(tool, { form: "Partial<src/models.ts#Hidden>", path: "src/code.ts" });
    await expect(asked).rejects.toThrow(
      'Hidden is not exported by src/models.ts, so only that module can name it: ask with path "src/models.ts".',
    );
  });

  it("refuses to read code as a type", async () => {
    await expect(ask(tool, { form: "1 + 1", as: "type" })).rejects.toThrow("does not parse as a type");
  });
});

describe("macroexpand_form of code", () => {
  it.each([
    ["an-enum", { form: "src/code.ts#Color" }],
    ["an-enum-written-in-place", { form: "enum Level { Low = 1, High = Low << 1 }" }],
    ["a-const-enum", { form: "Flag" }],
    ["a-const-enum-of-isolated-modules", { form: "Size" }],
    ["an-enum-member", { form: "Color.Red" }],
    ["a-namespace", { form: "Geometry" }],
    ["fields-and-parameter-properties", { form: "Counter" }],
    ["private-names-for-an-old-target", { form: "Counter", target: "es2015" }],
    ["standard-decorators", { form: "src/code.ts#Service" }],
    ["standard-decorators-at-esnext", { form: "src/code.ts#Service", target: "esnext" }],
    ["experimental-decorators", { form: "Mailer" }],
    ["decorators-of-the-other-kind", { form: "Mailer", decorators: "standard" }],
    ["nothing-to-do-at-the-own-target", { form: "load" }],
    ["async-for-an-old-target", { form: "load", target: "es5" }],
    ["a-generator", { form: "numbers" }],
    ["using", { form: "dispose" }],
    ["using-at-a-target-that-has-it", { form: "dispose", target: "esnext" }],
    ["await-using-in-full", { form: "async () => { await using file = open(); }", full: true }],
    ["satisfies", { form: "settings" }],
    ["an-interface-as-code", { form: "OnlyAType", as: "code" }],
    ["jsx", { form: "Greeting" }],
    ["jsx-that-is-kept", { form: "<p>hi</p>", path: "legacy/tsconfig.json" }],
    ["jsx-the-classic-way", { form: "<p>hi</p>", jsx: "react" }],
    ["optional-chaining", { form: "a ??= b?.c", target: "es2019" }],
    ["an-ambiguous-form-as-code", { form: "a | b", as: "code" }],
    ["commonjs", { form: 'import fs = require("fs"); export = fs;' }],
    ["nothing-to-lower", { form: "call(1)" }],
  ])("%s", async (name, args) => {
    await snapshotOf(await ask(tool, args), `code-${name}`);
  });

  it.each([
    ["const x = ;", "line 1:11: Unexpected token"],
    ["class Box {\n  size = \n}", "line 3:1: Unexpected token"],
    ["x is string", "line 1:2"],
  ])("says where it cannot be read: %s", async (form, message) => {
    await expect(ask(tool, { form })).rejects.toThrow(`The form is neither a type nor code that parses: ${message}`);
  });
});
