import { afterAll, describe, expect, it } from "vitest";
import type { LiveValue } from "../../server/src/repl/image.ts";
import { createDescribeSymbol } from "../../server/src/tools/introspection/describe-symbol.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("ts-project");
afterAll(() => service.dispose());

const loadedAt = new Date(2026, 0, 2, 14, 3);

async function lineFor(symbol: string, live: LiveValue | undefined): Promise<string | undefined> {
  const text = await ask(
    createDescribeSymbol(service, async () => live),
    { symbol },
  );
  return text.split("\n").find((line) => line.startsWith("Live value"));
}

describe("the live value in a description", () => {
  it.each([
    ["totalArea", ["totalArea"]],
    ["format", ["format"]],
    ["Polygon", ["Polygon"]],
    ["Unit.Inch", ["Unit", "Inch"]],
    ["Prices", ["Prices"]],
    ["stock", ["stock"]],
    ["handlers.onSale", ["handlers", "onSale"]],
    ["Circle.radius", undefined],
    ["Polygon.sides", undefined],
    ["Polygon.describe", undefined],
    ["Polygon.constructor", undefined],
    ["Shape", undefined],
    ["AnyShape", undefined],
    ["Array.map", undefined],
  ])("asks for what has one value in the module: %s", async (symbol, path) => {
    const asked: unknown[] = [];
    const tool = createDescribeSymbol(service, async (request) => {
      asked.push(request.path);
      return undefined;
    });
    expect(await ask(tool, { symbol })).not.toContain("Live value");
    expect(asked).toEqual(path === undefined ? [] : [path]);
  });

  it("says what it is, and when its module was loaded", async () => {
    const live: LiveValue = { kind: "value", text: "Map(3) { … }", loadedAt, isUnchanged: true };
    expect(await lineFor("stock", live)).toBe(
      "Live value: Map(3) { … } (REPL, module loaded 14:03, text unchanged since)",
    );
  });

  it("says when the text is no longer the loaded one", async () => {
    const live: LiveValue = { kind: "value", text: "1", loadedAt, isUnchanged: false };
    expect(await lineFor("stock", live)).toBe(
      "Live value: 1 (REPL, module loaded 14:03, its text CHANGED since, so this is the value of the old code)",
    );
  });

  it("says which form redefined it, or something in it, and not that the text is unchanged", async () => {
    const live = { kind: "value", text: "Map(3) { … }", loadedAt, isUnchanged: true } as const;
    expect(await lineFor("stock", { ...live, redefinitions: [{ evalId: "2", name: "stock" }] })).toBe(
      "Live value: Map(3) { … } (REPL, module loaded 14:03, redefined by form 2 of the REPL: NOT what the file says)",
    );
    const both = [
      { evalId: "2", name: "stock" },
      { evalId: "3", name: "stock.add" },
    ];
    expect(await lineFor("stock", { ...live, redefinitions: both })).toContain(
      ", redefined by form 2, stock.add set by form 3 of the REPL: NOT what the file says)",
    );
  });

  it("says that there is none yet, and that nobody could look", async () => {
    expect(await lineFor("stock", { kind: "uninitialized", loadedAt, isUnchanged: true })).toBe(
      "Live value: none yet, the module has not run this declaration (REPL, module loaded 14:03, text unchanged since)",
    );
    expect(await lineFor("stock", { kind: "busy", loadedAt, isUnchanged: true })).toBe(
      "Live value: not looked at, the REPL is busy",
    );
    expect(await lineFor("stock", undefined)).toBeUndefined();
  });
});
