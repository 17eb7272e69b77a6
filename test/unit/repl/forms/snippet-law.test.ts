import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestImage, type TestImage } from "../with-image.ts";

let t: TestImage;
beforeAll(() => {
  t = startTestImage();
});
afterAll(() => t.dispose());

const name = fc.constantFrom("a", "b", "c");
const statement = fc.oneof(
  name.map((n) => `const ${n} = () => 1;`),
  name.map((n) => `let ${n}: number;`),
  name.map((n) => `var ${n} = 2, other_${n};`),
  name.map((n) => `var { x: ${n} = 3, ...rest_${n} } = { x: 1 };`),
  name.map((n) => `let [${n}, , last_${n} = 1] = [1, 2];`),
  name.map((n) => `async function ${n}() { var inner = await import('node:fs'); return inner }`),
  name.map((n) => `function* ${n}() { yield import.meta.url }`),
  name.map((n) => `class ${n} { static self = new ${n}(); #p = 1; get p() { return this.#p } }`),
  name.map((n) => `export default class ${n} {}`),
  name.map((n) => `export const ${n} = 4, more_${n} = 5;`),
  name.map((n) => `enum ${n} { A = 1, B = A << 2 }`),
  name.map((n) => `namespace ${n} { export let inside = 1; inside++ }`),
  name.map((n) => `import { money as ${n} } from './src/money.ts';`),
  name.map((n) => `import ${n}, * as all_${n} from 'node:path';`),
  name.map((n) => `for (var ${n} = 0, end = 2; ${n} < end; ${n}++) { var body_${n} = ${n} }`),
  name.map((n) => `for (var ${n} of [1, 2]) if (${n} > 1) break;`),
  name.map((n) => `for (const ${n} in { k: 1 }) { let ${n} = 1 }`),
  name.map((n) => `switch (1) { case 1: var ${n} = 1; default: }`),
  name.map((n) => `try { throw 1 } catch (${n}) { var caught = ${n} } finally {}`),
  name.map((n) => `label_${n}: { break label_${n} }`),
  fc.constantFrom(
    "type T = { a: 1 };",
    "interface I { a: 1 }",
    "'a string';",
    "({ a: 1 });",
    "await 1;",
    "if (true) var viaIf = 1; else var viaElse = 2;",
    ";;",
    "// note",
    "`t${1}`;",
    "/re/g;",
    "[1].map((x: number) => x)\n;(1)",
  ),
);

it("makes of every snippet that TypeScript accepts one that the image accepts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 5 }), async (statements) => {
      const code = statements.join("\n");
      const { outcome, error, notes } = await t.evaluate(code);
      // The parser's own refusal is a note with a position; V8 refusing what the parser took would be our fault.
      const refusedByParser = notes.some(({ severity }) => severity === "error");
      const message = `${code}\n${JSON.stringify(error)}`;
      expect(error?.name === "InternalError", message).toBe(false);
      expect(error?.name === "SyntaxError" && !refusedByParser, message).toBe(false);
      expect(["value", "error"]).toContain(outcome);
    }),
  );
});
