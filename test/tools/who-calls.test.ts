import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWhoCalls } from "../../server/src/tools/introspection/who-calls.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("ts-project");
const tool = createWhoCalls(service);
afterAll(() => service.dispose());

describe("who_calls", () => {
  it.each([
    ["direct-calls-through-every-kind-of-import", { symbol: "format" }],
    ["one-overload", { symbol: "format#2" }],
    ["an-overload-that-is-not-there", { symbol: "format#7" }],
    ["new-and-implicit-super", { symbol: "Rectangle" }],
    ["a-class-run-by-super", { symbol: "Polygon" }],
    ["a-constructor", { symbol: "Rectangle.constructor" }],
    ["a-method-through-its-interface", { symbol: "Rectangle.area" }],
    ["an-interface-method", { symbol: "Shape.area" }],
    ["a-method-called-by-super", { symbol: "Polygon.describe" }],
    ["a-tagged-template", { symbol: "html" }],
    ["a-decorator", { symbol: "logged" }],
    ["a-decorator-factory", { symbol: "route" }],
    ["a-jsx-component", { symbol: "PriceTag" }],
    ["passed-as-a-value", { symbol: "Prices.priceOf" }],
    ["an-arrow-function", { symbol: "totalArea" }],
    ["a-helper-that-is-not-exported", { symbol: "round" }],
    ["a-file-that-no-tsconfig-includes", { symbol: "priceList" }],
    ["no-callers", { symbol: "Page.render" }],
    ["a-re-export-under-another-name", { symbol: "src/index.ts#Box" }],
    ["a-star-re-export", { symbol: "src/index.ts#ping" }],
    ["an-ambiguous-name", { symbol: "receipt" }],
    ["an-ambiguous-name-in-a-package", { symbol: "receipt", path: "src/shop" }],
    ["an-unknown-name", { symbol: "fromat" }],
    ["an-unknown-module", { symbol: "src/shapez.ts#format" }],
    ["a-tree-with-a-cycle", { symbol: "ping", depth: 3 }],
    ["a-tree", { symbol: "round", depth: 4 }],
    ["the-first-page", { symbol: "format", limit: 3 }],
    ["the-last-page", { symbol: "format", limit: 3, cursor: "6" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/who-calls/${name}.txt`);
  });

  it("refuses a cursor it did not give out", async () => {
    await expect(ask(tool, { symbol: "format", cursor: "nonsense" })).rejects.toThrow('The cursor "nonsense"');
  });
});

describe("who_calls of what is read", () => {
  let project: TestProject;
  beforeAll(() => {
    project = openProject({
      "tsconfig.json": '{ "compilerOptions": { "strict": true, "types": [] } }',
      "src/money.ts":
        "export const rates = { full: 1 };\nexport const limit = 3 as number | undefined;\n" +
        "export class Money {\n  cents = 1;\n  get half() {\n    return this.cents / 2;\n  }\n  onPaid = (): number => this.cents;\n}\n",
      "src/use.ts":
        'import { Money, limit, rates } from "./money";\nconst m = new Money();\nexport const all = [m.half, m.cents, limit, rates, m.onPaid, m.onPaid()];\nm.cents = 2;\n',
      "test/use.test.ts": 'import { Money } from "../src/money";\nexport const half = new Money().half;\n',
    });
  });
  afterAll(() => project.dispose());

  const answers = async (args: Record<string, unknown>): Promise<string> => {
    const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
    return ((await createWhoCalls(project.service).run(args, context)) as { content: string }).content;
  };

  it("counts reads of a getter as calls, those of a number as none, and leaves functions that are passed on what they are", async () => {
    expect(await answers({ symbol: "Money.cents" })).toMatch(
      /^No callers: src\/money.ts#Money.cents \(property, line 4\)\nAlso mentioned, not as a call: 3 read \([^)]*\), 1 write/,
    );
    expect(await answers({ symbol: "limit" })).toContain("1 read (src/use.ts:3)");
    expect(await answers({ symbol: "Money.half" })).toMatch(/\n2 call sites in 2 files: 1 in code, 1 in tests\n/);
    expect(await answers({ symbol: "Money.half" })).not.toContain("passed as value");
    expect(await answers({ symbol: "Money.onPaid" })).toContain("(1 passed as value, 1 call)");
    expect(await answers({ symbol: "rates" }), "functions may be in it").toContain("passed as value");
  });

  it("lists of a symbol that is declared elsewhere only the uses at the path", async () => {
    expect(await answers({ symbol: "Money.half", path: "test" })).toMatch(
      /\n1 call site in 1 file, [^\n]*, of 2 in the workspace\n[^]*test\/use\.test\.ts:2/,
    );
    expect(await answers({ symbol: "Money.half", path: "test" })).not.toContain("src/use.ts:3");
    expect(await answers({ symbol: "Money.half", path: "src/money.ts" }), "where it is declared").toContain(
      "\n2 call sites",
    );
    expect(await answers({ symbol: "Money.half", path: "tests" })).toContain('No file, package or tsconfig "tests"');
    expect(await answers({ symbol: "Mony", path: "test" })).toContain('No symbol "Mony"');
  });
});
