/** Nothing can be assigned to an import, as in a file: wherever the form runs, and whatever became of the module's imports. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestImage, type TestImage } from "../with-image.ts";

const WRITES = [
  "rate = 5",
  "rate += 1",
  "rate++",
  "rate &&= 7",
  "[rate] = [2]",
  "({ rate } = { rate: 2 })",
  "for (rate of [1]) ;",
  "(() => { rate = 3 })()",
  "all = 1 as any",
];
const REST: readonly (readonly [string, string])[] = [
  ["{ let rate = 8; rate = 9; }", "9"],
  ["((rate: number) => (rate = 4))(1)", "4"],
  ["rate + all.rate", "2"],
];

describe.each(["module", "commonjs"])("%s", (type) => {
  let t: TestImage;
  beforeAll(() => {
    t = startTestImage();
    t.write("imports/package.json", JSON.stringify({ type }));
    const compilerOptions = { module: "nodenext", target: "esnext", strict: true };
    t.write("imports/tsconfig.json", JSON.stringify({ compilerOptions }));
    t.write("imports/a.ts", "export let rate = 1;");
    t.write(
      "imports/b.ts",
      "import { rate } from './a.js';\nimport * as all from './a.js';\nexport const seen = [rate, all];",
    );
  });
  afterAll(() => t.dispose());

  const IMPORTS = "import { rate } from './imports/a.ts'; import * as all from './imports/a.ts'; ";
  const module = (): string => `${t.root}/imports/b.ts`;

  it.each(WRITES)("%s fails, in the form that imports, in a later one and in the module", async (write) => {
    const refused = { name: "TypeError", message: "Assignment to constant variable." };
    expect((await t.evaluate(IMPORTS + write)).error).toMatchObject(refused);
    await t.evaluate(IMPORTS);
    expect((await t.evaluate(write)).error).toMatchObject(refused);
    expect((await t.evaluate(write, { module: module() })).error).toMatchObject(refused);
  });

  it.each(REST)("%s is what it is in a file", async (form, value) => {
    await t.evaluate(IMPORTS);
    expect((await t.evaluate(form)).preview).toBe(value);
    expect((await t.evaluate(form, { module: module() })).preview).toBe(value);
  });

  it("a name that a later form declares itself can be assigned to", async () => {
    await t.evaluate(IMPORTS);
    expect((await t.evaluate("var rate = 5; rate = 6; rate")).preview).toBe("6");
    expect((await t.evaluate("rate = 7; rate")).preview).toBe("7");
  });
});
