/** Questions about packages that export what a build left, in each state of the build, with another compiler's checker as judge. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createClassHierarchy } from "../../server/src/tools/introspection/class-hierarchy.ts";
import { createClassSlots } from "../../server/src/tools/introspection/class-slots.ts";
import { createDescribeSymbol } from "../../server/src/tools/introspection/describe-symbol.ts";
import { createFindImplementations } from "../../server/src/tools/introspection/find-implementations.ts";
import { createMethodSpecializers } from "../../server/src/tools/introspection/method-specializers.ts";
import { createReadSymbol } from "../../server/src/tools/introspection/read-symbol.ts";
import { createWhoCalls } from "../../server/src/tools/introspection/who-calls.ts";
import { createWhoReferences } from "../../server/src/tools/introspection/who-references.ts";
import { leftMentions } from "../../server/src/typescript/edits/moves/file-moves.ts";
import { planRename } from "../../server/src/typescript/edits/rename/rename.ts";
import type { SymbolTarget } from "../../server/src/typescript/names/tree/declaration.ts";
import { resolveSymbol } from "../../server/src/typescript/names/resolve-symbol.ts";
import type { View } from "../../server/src/typescript/view.ts";
import { findAllReferences } from "../../server/src/typescript/xref/references/references.ts";
import { buildStates, makeOrdinaryMonorepo } from "../support/ordinary-monorepo.ts";
import { openFixture } from "./ask-fixture.ts";
import { judgeOf } from "./judge-by-checker.ts";

const monorepo = makeOrdinaryMonorepo();
const { root, sources, remove } = monorepo;
const { service, ask } = openFixture(root);
/** To the judge each package is its source, which the compiler under test has to know by itself. */
const paths = Object.fromEntries(
  Object.entries(buildStates).map(([name, { specifier = "" }]) => [
    `@w/${name}${specifier}`,
    [join(root, `packages/${name}/src/index.ts`)],
  ]),
);
const judge = judgeOf(root, sources, {
  module: "esnext",
  moduleResolution: "bundler",
  target: "es2022",
  strict: true,
  types: [],
  paths: { ...paths, "base/*": [join(root, "packages/base/src/*")] },
});
afterAll(async () => {
  await service.dispose();
  remove();
});

const SYMBOLS = [
  "text.ts#format",
  "text.ts#parse",
  "text.ts#Job",
  "text.ts#Job.title",
  "store.ts#Store",
  "store.ts#Store.get",
  "store.ts#Store.of",
  "store.ts#Level.Low",
  "store.ts#limits.most",
  "index.ts#Main",
  "index.ts#Main.run",
];
const isUnbuilt = (state: string): boolean => buildStates[state]?.built === undefined;

describe.each(Object.keys(buildStates))("a package whose build is %s", (state) => {
  it.each(SYMBOLS)("has every use of %s found, or told as not searched", async (symbol) => {
    const { ours, theirs, names, doubts } = await askBoth(`packages/${state}/src/${symbol}`);
    expect(theirs.length).toBeGreaterThan(0);
    expect(ours.filter((place) => !theirs.includes(place) && !names.includes(place))).toEqual([]);
    const missing = theirs.filter((place) => !ours.includes(place));
    if (!isUnbuilt(state)) expect(missing).toEqual([]);
    const lines = new Set(missing.map((place) => place.replace(/:\d+$/, "")));
    const told = /(\d+) lines? there/.exec(doubts.join())?.[1] ?? "0";
    expect(Number(told)).toBeGreaterThanOrEqual(lines.size);
  });
});

describe.each(Object.keys(buildStates).filter((state) => !isUnbuilt(state)))("a package whose build is %s", (state) => {
  it.each(["text.ts#format", "text.ts#Job.title", "store.ts#Store.get"])(
    "has every place that spells %s renamed",
    async (symbol) => {
      const address = `packages/${state}/src/${symbol}`;
      const { theirs } = await askBoth(address);
      const plan = await asked(address, (view, target) => planRename(view, target, "renamed"));
      if (!("places" in plan)) throw new Error(plan.refused);
      const name = symbol.replace(/.*[#.]/, "");
      const ours = plan.places.map(({ file, at }) => judge.shown(file, at));
      const spelled = theirs.filter((place) => textAt(place).startsWith(name));
      expect(ours.toSorted()).toEqual(spelled.toSorted());
      expect(plan.outdated.length).toBe(1);
    },
  );
});

describe("what stands around the packages", () => {
  const name = "packages/base/src/first.ts#first";

  it("is searched: a folder that begins with a dot, examples, a project reference and a submodule", async () => {
    const { ours, theirs } = await askBoth(name);
    expect(ours.toSorted()).toEqual(theirs.toSorted());
    const files = new Set(theirs.map((place) => place.split(":")[0]));
    expect([...files].toSorted()).toEqual([
      ".storybook/main.ts",
      "examples/basic/use.ts",
      "packages/base/src/first.ts",
      "packages/corner/src/second.ts",
      "vendor/sub/src/outer.ts",
    ]);
  });

  it("is told where a move leaves an import of the package that leads to the moved file", async () => {
    const from = join(root, "packages/pattern/src/index.ts");
    const left = await service.query(
      async (view) => leftMentions(view, new Map([[from, join(root, "packages/pattern/src/main.ts")]]), []),
      AbortSignal.timeout(60_000),
    );
    const file = join(root, "packages/app/src/pattern.ts");
    expect(left).toEqual([1, 2, 3].map((line) => ({ file, line })));
  });

  it("is told where nobody searches: pages with code", async () => {
    const answer = await ask(createWhoReferences(service), { symbol: "packages/fresh/src/text.ts#format" });
    expect(answer).toContain("complete: false");
    expect(answer).toContain('1 .mdx file contains the word "format"');
  });
});

describe("a package that is open alone", () => {
  const alone = openFixture(join(root, "packages/fresh"));
  afterAll(() => alone.service.dispose());
  const others = "Not searched: the other packages of the workspace at ../.., of which only this folder is open.";

  it.each([createWhoReferences, createWhoCalls, createDescribeSymbol])(
    "is told to be that where others may use a symbol",
    async (create) => {
      const answer = await alone.ask(create(alone.service), { symbol: "src/text.ts#format" });
      expect(answer).toContain(others);
      expect(answer).toContain("complete: false");
    },
  );

  it("has a complete answer about what no other package can import", async () => {
    const answer = await alone.ask(createWhoReferences(alone.service), { symbol: "src/text.ts#own" });
    expect(answer).not.toContain("Not searched: the other packages");
    expect(await ask(createWhoReferences(service), { symbol: "packages/fresh/src/text.ts#format" })).not.toContain(
      others,
    );
  });
});

const TOOLS = [
  createClassHierarchy,
  createClassSlots,
  createDescribeSymbol,
  createFindImplementations,
  createMethodSpecializers,
  createReadSymbol,
  createWhoCalls,
  createWhoReferences,
].map((create) => create(service));

it.each(TOOLS)("$name answers the same, whichever way the symbol is named", async (tool) => {
  const [parameter = "symbol"] = (tool.inputSchema["required"] ?? []) as readonly string[];
  for (const member of tool.name === "method_specializers" ? ["Store.get"] : ["Store", "Store.get"]) {
    const [first, ...others] = await Promise.all(
      [
        { [parameter]: `packages/stale/src/store.ts#${member}` },
        { [parameter]: `@w/stale#${member}` },
        { [parameter]: member, path: "packages/stale" },
      ].map(async (args) => (await ask(tool, args)).replace(/^> .*/, "")),
    );
    expect(first).not.toMatch(/No symbol|different symbols/);
    for (const other of others) expect(other).toBe(first);
  }
});

interface BothAnswers {
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
  readonly names: readonly string[];
  readonly doubts: readonly string[];
}

async function askBoth(address: string): Promise<BothAnswers> {
  const { references, declaration, doubts } = await asked(address, async (view, { declarations }) => ({
    references: await findAllReferences(view, declarations),
    declaration: declarations[0],
    doubts: [...view.doubts],
  }));
  const ours = references.map(({ file, at }) => judge.shown(file, at));
  return { ours, theirs: judge.placesOf(declaration), names: judge.namesGiven(declaration), doubts };
}

function asked<Answer>(
  address: string,
  answer: (view: View, target: SymbolTarget) => Promise<Answer>,
): Promise<Answer> {
  return service.query(async (view) => {
    const found = await resolveSymbol(view, address);
    if (found.kind !== "found") throw new Error(`${address}: ${found.kind}`);
    return answer(view, found.target);
  }, AbortSignal.timeout(60_000));
}

/** What stands at a place of the judge's, a quote left out. */
function textAt(place: string): string {
  const [file = "", line = "1", character = "1"] = place.split(":");
  const text = readFileSync(join(root, file), "utf8").split("\n")[Number(line) - 1] ?? "";
  return text.slice(Number(character) - 1).replace(/^["']/, "");
}
