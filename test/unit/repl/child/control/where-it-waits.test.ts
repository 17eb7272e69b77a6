/** A form that is stopped while it waits tells at which of its own awaits. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEachNode } from "../../../../support/node-versions.ts";
import { startOn, until, type TestImage } from "../../with-image.ts";

/** Kept by something: of a promise that nobody can settle, Node 22 tells when it is collected, which may be at once. */
const NEVER = "new Promise((r) => setTimeout(r, 1e9))";

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  beforeAll(async () => {
    t = startOn(node);
    t.write("src/slow.ts", `export const never = (): Promise<void> => ${NEVER};\nconst hidden = 1;\n`);
    // What is loaded for the first time may take longer than a form has below.
    await t.evaluate("hidden", { module: `${t.root}/src/slow.ts` });
  });
  afterAll(() => t.dispose());

  /** The sentence up to the first full stop, and the place as `line:column code`. */
  const stopped = async (code: string, module?: string): Promise<string> => {
    const place = module === undefined ? {} : { module: `${t.root}/${module}` };
    const { error } = await t.evaluate(code, { timeoutMs: 300, ...place });
    const [frame] = error?.frames ?? [];
    const words = /waiting[^.]*/.exec(error?.message ?? "")?.[0] ?? error?.message;
    return frame === undefined ? `${words}` : `${words}: ${frame.line}:${frame.character} ${frame.code}`;
  };
  const HERE = "waiting here for something that did not come";

  it.for([
    ["the second of three", `const a: number = 1;\nawait a;\n  const b = await ${NEVER};\nawait b;`, "2:12"],
    ["one on the same line as others", `await 1; await 2; await ${NEVER}; await 3`, "0:18"],
    ["one in a block", `if (true) {\n  try { await ${NEVER} } finally { await 1 }\n}`, "1:8"],
    ["one after an await that failed", `try { await Promise.reject(1) }\ncatch { await ${NEVER} }`, "1:8"],
    ["one around another", `await (await import("./src/slow.ts")).never()`, "0:0"],
    ["one in a template", `await 1;\n\`\${await 2} \${await ${NEVER}}\``, "1:14"],
    ["the call of a function that waits", `const wait = async () => {\n  await ${NEVER} };\nawait wait();`, "2:0"],
    ["a call into a module", `import { never } from "./src/slow.ts";\nawait never();`, "1:0"],
    [
      "a loop that waits for its next round",
      `async function* two() { yield 1; await ${NEVER} }\nfor await (const x of two()) {\n  await x;\n}`,
      "1:0",
    ],
    [
      "what a round of such a loop waits for",
      `async function* one() { yield 1 }\nfor await (const x of one()) {\n  await x; await ${NEVER};\n}`,
      "2:11",
    ],
  ] as const)("tells %s", async ([, code, place]) => {
    const line = code.split("\n")[Number(place.split(":")[0])]?.trim();
    expect(await stopped(code)).toBe(`${HERE}: ${place} ${line}`);
  });

  it("tells it in the scope of a module, and in JavaScript that needs no transpiler", async () => {
    expect(await stopped(`await hidden;\nawait never();`, "src/slow.ts")).toBe(`${HERE}: 1:0 await never();`);
    expect(await stopped(`await 1\nawait ${NEVER}`)).toBe(`${HERE}: 1:0 await ${NEVER}`);
  });

  it("tells that the form waits for its own value, and nothing that it is not sure of", async () => {
    const value = "waiting for the promise that is its value";
    expect(await stopped(`await 1;\n${NEVER}`)).toBe(value);
    expect(await stopped(`await 1;\nnever()`, "src/slow.ts")).toBe(value);
    const disposed = `await using it = { [Symbol.asyncDispose]: () => ${NEVER} as Promise<void> };\nawait 1;`;
    expect(await stopped(disposed)).toBe("waiting for something that did not come");
  });

  it("names the module whose top-level await is not over, also behind another one that imports it", async () => {
    t.write("src/stuck.ts", `export const before = 1;\nif (before) {\n  await ${NEVER};\n}\nexport const after = 2;\n`);
    t.write("src/behind.ts", `import { after } from "./stuck.ts";\nexport const x = after;\n`);
    t.write("src/fails.ts", `await 1;\nthrow new Error("this module fails");\n`);
    t.write("src/slowly.ts", `await new Promise((r) => setTimeout(r, 20));\nexport const there = "in the end";\n`);
    const stuck = "for src/stuck.ts:3, whose top-level await is not over";
    expect(await stopped(`import { after } from "./src/stuck.ts"; after`)).toBe(`waiting ${stuck.split(".")[0]}`);
    const { error: failed } = await t.evaluate("await import('./src/fails.ts')");
    expect(failed?.message).toBe("this module fails");
    expect(await t.value(`import { there } from "./src/slowly.ts"; there`)).toBe('"in the end"');
    const { error } = await t.evaluate(`1;\nawait import("./src/behind.ts")`, { timeoutMs: 200 });
    expect(error?.message).toContain(`Stopped after 200 ms: it was waiting here ${stuck}. Its timers`);
    expect(error?.frames[0]).toMatchObject({ line: 1, character: 0 });
    // Whoever waits for something else is told of that, also inside of that module.
    expect(await stopped(`await ${NEVER}`, "src/stuck.ts")).toBe(`${HERE}: 0:0 await ${NEVER}`);
    expect(await stopped(`await ${NEVER}`)).toBe(`${HERE}: 0:0 await ${NEVER}`);
  });

  it("tells it of each of many forms that wait at once, also on request", async () => {
    await t.value("let begun = 0; 1");
    const forms = Array.from({ length: 12 }, (_, index) =>
      t.evaluate(`${"\n".repeat(index)}begun++; await ${NEVER}`, { timeoutMs: 60_000, evalId: `many${index}` }),
    );
    await until(async () => (await t.value("begun")) === "12");
    expect(await t.image.interrupt()).toBe(true);
    const lines = (await Promise.all(forms)).map(({ error }) => error?.frames[0]?.line);
    expect(lines).toEqual(lines.map((_, index) => index));
  });

  it("changes neither values, nor the order of things, nor where errors are", async () => {
    expect(await t.value("[await 1, await Promise.resolve(2), (await 3) ** 2, await (await 4)]")).toBe("[1, 2, 9, 4]");
    expect(await t.value("const { x, y = await 5 } = await ({ x: 1 } as { x: number; y?: number }); [x, y]")).toBe(
      "[1, 5]",
    );
    expect(
      await t.value(
        "const order: string[] = []; const say = (word: string) => (order.push(word), word);\nawait say('a'), say(await say('b')); order",
      ),
    ).toBe('["a", "b", "b"]');
    expect(await t.value("class Later { static async go() { return 4 } }; -(await Later.go())")).toBe("-4");
    const thenable = "let asked = 0; await { get then() { asked++; return undefined } }; asked";
    expect(await t.value(thenable)).toBe("1");
    const { error } = await t.evaluate(`await 1;\n  await nowhere.near()`);
    expect(error?.frames[0]).toMatchObject({ line: 1, character: 8 });
  });
});
