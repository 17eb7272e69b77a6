import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEachNode } from "../../../support/node-versions.ts";
import { startOn, type TestImage } from "../with-image.ts";

/** Each declares `again` in its own way; `read` sees the number that it was made with. */
const kinds: Readonly<Record<string, { declare: (n: number) => string; read: string }>> = {
  let: { declare: (n) => `let again = () => ${n};`, read: "again()" },
  const: { declare: (n) => `const again = () => ${n};`, read: "again()" },
  var: { declare: (n) => `var again = () => ${n};`, read: "again()" },
  function: { declare: (n) => `function again() { return ${n}; }`, read: "again()" },
  class: { declare: (n) => `class again { static call() { return ${n}; } }`, read: "again.call()" },
  enum: { declare: (n) => `enum again { A = ${n} }`, read: "again.A" },
};
const places: Readonly<Record<string, string | undefined>> = { "the REPL": undefined, "a module": "src/scope.ts" };

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  beforeAll(() => {
    t = startOn(node);
    t.write("src/scope.ts", "export const own = 1;\n");
  });
  afterAll(() => t.dispose());

  for (const [place, module] of Object.entries(places)) {
    const inPlace = (): object => (module === undefined ? {} : { module: `${t.root}/${module}` });

    it.for(Object.keys(kinds))(`lets everything replace what \`%s\` declared in ${place}`, async (first) => {
      let n = 0;
      for (const second of Object.keys(kinds)) {
        n += 1;
        await t.value(kinds[first]?.declare(-n) ?? "", inPlace());
        expect(await t.value(kinds[first]?.read ?? "", inPlace()), `${first} alone`).toBe(String(-n));
        // A type of the same name changes nothing that runs.
        await t.value(n % 2 === 0 ? "interface again { a: 1 }" : "type again = number", inPlace());
        await t.value(kinds[second]?.declare(n) ?? "", inPlace());
        expect(await t.value(kinds[second]?.read ?? "", inPlace()), `${second} after ${first}`).toBe(String(n));
      }
    });
  }

  it("takes the declaration and its use in one form too, in any order of kinds", async () => {
    for (const [kind, { declare, read }] of Object.entries(kinds)) {
      expect(await t.value(`${declare(7)} ${read}`), kind).toBe("7");
    }
  });

  it.for([
    ["let", "oneLet", "let oneLet = fails()", undefined],
    ["const", "oneConst", "const oneConst = fails()", undefined],
    ["a pattern", "onePart", "const { other, onePart } = fails()", undefined],
    ["class", "OneClass", "class OneClass extends fails() {}", undefined],
    ["let in a module", "oneLet", "let oneLet = fails()", "src/scope.ts"],
  ] as const)(
    "says of a name whose %s failed why it has no value, until it has one",
    async ([, name, failing, path]) => {
      const at = path === undefined ? {} : { module: `${t.root}/${path}` };
      const { evalId } = await t.evaluate(failing, at);
      for (const read of [name, `[${name}]`, `({ ${name} })`, `(() => ${name})()`, `\`\${${name}}\``]) {
        expect((await t.evaluate(read, at)).error, read).toMatchObject({
          name: "ReferenceError",
          message: `${name} has no value: form ${evalId} failed before it gave it one. Declare it again.`,
        });
      }
      expect(await t.image.tryOut({ code: name, ...at })).toBeUndefined();
      expect(await t.value(`typeof ${name}`, at)).toBe('"undefined"');
      expect(await t.value(`const later = () => ${name}; 1`, at)).toBe("1");
      const again = await t.evaluate(`const ${name} = alsoFails()`, at);
      expect((await t.evaluate(name, at)).error?.message).toContain(`form ${again.evalId} failed`);
      expect(await t.value(`let ${name} = 7; ${name}`, at)).toBe("7");
      expect(await t.value(`[${name}, later()]`, at)).toBe("[7, 7]");
      await t.value(`${name} = undefined`, at);
      expect(await t.value(name, at)).toBe("undefined");
    },
  );

  it("keeps what a form had declared before it failed, and lets the rest be assigned to", async () => {
    const { evalId } = await t.evaluate("let first = 1, second = fails(), third = 3; var fourth = 4");
    expect(await t.value("[first, fourth]")).toBe("[1, undefined]");
    for (const name of ["second", "third"]) {
      expect((await t.evaluate(name)).error?.message).toContain(`${name} has no value: form ${evalId} failed`);
    }
    expect(await t.value("second = 2; [second]")).toBe("[2]");
    await t.evaluate("class Third { static all = fails() }");
    expect((await t.evaluate("new Third()")).error?.message).toContain("Third has no value");
  });

  it("keeps the old value of a name when the new declaration fails", async () => {
    await t.value("const steady = 1;");
    for (const failing of [
      "const steady = fail();",
      "let steady = fail();",
      "class steady { static a = fail() }",
      "function steady( {",
    ]) {
      expect((await t.evaluate(failing)).outcome).toBe("error");
      expect(await t.value("steady")).toBe("1");
    }
  });
});
