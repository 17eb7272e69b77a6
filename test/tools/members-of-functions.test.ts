/** Members that TypeScript lets a function have by assignment, as each tool knows them. */
import { afterAll, expect, it } from "vitest";
import { planRename } from "../../server/src/typescript/edits/rename/rename.ts";
import { resolveSymbol } from "../../server/src/typescript/names/resolve-symbol.ts";
import { createAproposSearch } from "../../server/src/tools/introspection/apropos-search.ts";
import { createClassSlots } from "../../server/src/tools/introspection/class-slots.ts";
import { createDescribeSymbol } from "../../server/src/tools/introspection/describe-symbol.ts";
import { createDocumentOutline } from "../../server/src/tools/introspection/document-outline.ts";
import { createReadSymbol } from "../../server/src/tools/introspection/read-symbol.ts";
import { createWhoCalls } from "../../server/src/tools/introspection/who-calls.ts";
import type { Tool, ToolAnswer } from "../../server/src/tools/tool.ts";
import { openProject } from "../unit/typescript/with-typescript.ts";

const project = openProject({
  "tsconfig.json": '{ "compilerOptions": { "lib": ["es2022"], "types": [], "strict": true } }',
  "src/card.ts": `export const Card = (): string => "card";
/** Stands above. */
Card.Title = (): string => "title";
Card.count = 1;
export function tick(): void {}
tick.reset = function again(): void {};
namespace Inner { export function deep(): void {} deep.level = 1; export const level = deep.level; }
export const { level } = Inner;
`,
  "src/use.ts":
    'import { Card, tick } from "./card.js";\nexport const used = [Card.Title(), Card.count];\ntick.reset();\nconst { count } = Card;\nexport const last = count;\n',
});
afterAll(() => project.dispose());

async function answer(
  create: (service: typeof project.service) => Tool,
  args: Record<string, unknown>,
): Promise<string> {
  const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
  return ((await create(project.service).run(args, context)) as ToolAnswer).content;
}

it("are members in what is said of the function, of its slots and of the file", async () => {
  expect(await answer(createDescribeSymbol, { symbol: "Card" })).toContain(
    "2 members:\n  3: Card.Title = (): string\n  4: Card.count = 1",
  );
  expect(await answer(createClassSlots, { symbol: "Card" })).toContain("3: static Title(): string");
  expect(await answer(createClassSlots, { symbol: "tick" })).toContain("6: static reset(): void");
  expect(await answer(createDocumentOutline, { path: "src/card.ts" })).toContain("4: Card.count = 1");
});

it("are found by name, and described, read and called as members", async () => {
  expect(await answer(createAproposSearch, { pattern: "count" })).toContain("src/card.ts#Card.count");
  expect(await answer(createDescribeSymbol, { symbol: "Card.Title" })).toContain(
    "src/card.ts#Card.Title — static method",
  );
  expect(await answer(createDescribeSymbol, { symbol: "Card.Title" })).toContain("Stands above.");
  expect(await answer(createReadSymbol, { symbol: "tick.reset" })).toContain("tick.reset = function again(): void {};");
  expect(await answer(createWhoCalls, { symbol: "tick.reset" })).toContain("src/use.ts:3 (module)");
});

it.each([
  ["Card.count", ["src/card.ts:4", "src/use.ts:2", "src/use.ts:4"]],
  ["Card.Title", ["src/card.ts:3", "src/use.ts:2"]],
  ["tick.reset", ["src/card.ts:6", "src/use.ts:3"]],
])("%s is renamed where it is used", async (address, lines) => {
  const places = await project.service.query(async (view) => {
    const found = await resolveSymbol(view, address);
    const plan = found.kind === "found" ? await planRename(view, found.target, "other") : { places: [] };
    return "places" in plan ? plan.places.map(({ file, at }) => `${view.paths.show(file)}:${at.line + 1}`) : [];
  }, AbortSignal.timeout(60_000));
  expect(places).toEqual(lines);
});

it("of a function inside of a namespace have their own name too", async () => {
  expect(await answer(createDescribeSymbol, { symbol: "src/card.ts#Inner.deep.level" })).toContain("#Inner.deep.level");
});
