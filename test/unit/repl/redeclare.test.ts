import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEachNode } from "../../support/node-versions.ts";
import { startOn, type TestImage } from "./with-image.ts";

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
