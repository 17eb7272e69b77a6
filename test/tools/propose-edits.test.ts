import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Check } from "../../server/src/protocol/proposal-shapes.ts";
import { createProposeEdits } from "../../server/src/tools/edit/propose-edits.ts";
import { openEditFixture, openEditWorkspace, type EditFixture } from "./edit-fixture.ts";

const workspace = openEditWorkspace("edits-project");
let fixture: EditFixture;
beforeEach(() => {
  fixture = openEditFixture(workspace);
});
afterEach(() => fixture.dispose());
afterAll(() => workspace.dispose());

function ask(edits: readonly Record<string, unknown>[]): Promise<string> {
  return fixture.ask(createProposeEdits(fixture.ports), { description: "Because.", edits });
}

/** The texts of the workspace, by path. */
async function texts(...paths: string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => fixture.textOf(path)));
}

it.each([
  [{ op: "create", path: "src/new/", modified: "x" }, "src/new/ names a folder: give the whole path of the file."],
  [{ op: "write", path: "src/new/", modified: "x" }, "src/new/ names a folder: give the whole path of the file."],
  [
    { op: "move", path: "src/names.ts", to: "lib/" },
    "lib/ names a folder: give the whole path of the file, such as lib/names.ts.",
  ],
])("%j makes no file in the place of a folder", async (edit, why) => {
  expect(await ask([edit])).toContain(why);
});

describe("several edits in one call", () => {
  it("apply in order, each on the result of those before it, and are one proposal", async () => {
    fixture.write("src/tax.ts", "export const rate = 0.19;\nexport const low = 0.07;\n");
    const answer = await ask([
      { op: "replace", path: "src/tax.ts", original: "rate = 0.19", modified: "rate = 0.2" },
      { op: "replace", path: "src/tax.ts", original: "rate = 0.2;", modified: "rate = 0.21;" },
      { op: "insert_after", path: "src/tax.ts", original: "low", modified: "export const none = 0;" },
      { op: "insert_before", path: "src/tax.ts", original: "export const rate", modified: "// Rates.\n" },
      { op: "insert_at_start", path: "src/tax.ts", modified: "// Head." },
      { op: "insert_at_end", path: "src/tax.ts", modified: "// Foot." },
      { op: "replace_all", path: "src/tax.ts", original: "export const", modified: "export let" },
      { op: "create", path: "src/new.ts", modified: "export const fresh = 1;\n" },
      { op: "replace", path: "src/new.ts", original: "fresh = 1", modified: "fresh = 2" },
      { op: "move", path: "src/names.ts", to: "src/lib/names.ts" },
      { op: "delete", path: "src/jsx.d.ts" },
    ]);
    expect(fixture.proposals).toHaveLength(1);
    expect(await texts("src/tax.ts", "src/new.ts", "src/jsx.d.ts", "src/names.ts")).toEqual([
      "// Head.\n// Rates.\nexport let rate = 0.21;\nexport let low = 0.07;\nexport let none = 0;\n// Foot.\n",
      "export const fresh = 2;\n",
      "",
      "",
    ]);
    expect(await fixture.textOf("src/entry.ts")).toContain('from "./index.ts"');
    expect(await fixture.textOf("src/index.ts")).toContain('export * from "./lib/names.ts"');
    expect(answer).toContain("src/lib/names.ts: moved from src/names.ts.");
    expect(answer).toContain("src/jsx.d.ts: deleted.");
  });

  it("need no op where the other fields leave no doubt", async () => {
    fixture.write("src/tax.ts", "export const rate = 0.19;\nexport function low() {\n  return 0;\n}\n");
    const answer = await ask([
      { path: "src/tax.ts", original: "0.19", modified: "0.2" },
      { symbol: "src/tax.ts#low", modified: "export function low() {\n  return 1;\n}" },
      { path: "src/new.ts", modified: "export {};\n" },
      { path: "src/names.ts", to: "src/lib/names.ts" },
    ]);
    expect(answer).toMatch(/APPLIED: all \d of \d hunks/);
    expect(await texts("src/tax.ts", "src/new.ts")).toEqual([
      "export const rate = 0.2;\nexport function low() {\n  return 1;\n}\n",
      "export {};\n",
    ]);
  });

  it("have no fences of Markdown round their code, but where the file is Markdown", async () => {
    fixture.write("src/tax.ts", "export const rate = 0.19;\n");
    const fenced = (code: string): string => `\`\`\`ts\n${code}\n\`\`\`\n`;
    await ask([
      { op: "replace", path: "src/tax.ts", original: "0.19;", modified: fenced("0.2;") },
      { op: "create", path: "src/new.ts", modified: fenced("export const fresh = 1;") },
      { op: "replace_symbol", symbol: "src/rates.ts#defaultRate", modified: fenced("export const defaultRate = 0;") },
      { op: "create", path: "notes.md", modified: fenced("const shown = 1;") },
    ]);
    const [tax, made, rates, notes] = await texts("src/tax.ts", "src/new.ts", "src/rates.ts", "notes.md");
    expect([tax, made]).toEqual(["export const rate = 0.2;\n", "export const fresh = 1;\n"]);
    expect(rates).toContain("export const defaultRate = 0;\n");
    expect(rates).not.toContain("```");
    expect(notes).toBe(fenced("const shown = 1;"));
  });

  it("tell all problems at once, each with its index, and propose nothing", async () => {
    fixture.write("src/tax.ts", "export const rate = 0.19;\nexport const rate2 = 0.19;\n");
    const answer = await ask([
      { op: "replace", path: "src/tax.ts", original: "0.19", modified: "0.2" },
      { op: "replace", path: "src/tax.ts", original: "export const ratte = 0.19;", modified: "" },
      { op: "replace", path: "src/tax.ts" },
      { op: "write", path: "src/tax.ts", original: "a", modified: "b" },
      { op: "create", path: "src/tax.ts", modified: "" },
      { op: "delete", path: "src/nothing.ts" },
      { op: "move", path: "src", to: "src/inner" },
      { op: "move", path: "src/tax.ts", to: "src/names.ts" },
      { op: "move", path: "src/tax.ts", to: "test" },
      { op: "replace", path: "../outside.ts", original: "a", modified: "b" },
      { op: "write", path: ".env", modified: "b" },
      { op: "replace_symbol", symbol: "src/rates.ts#ratesOf", modified: "x" },
      { op: "insert_at_end", path: "src/rates.ts", modified: "// fine" },
    ]);
    expect(fixture.proposals).toHaveLength(0);
    const shown = answer.slice(answer.indexOf("FAILED"), answer.indexOf("\n---\ncomplete"));
    expect(shown.trimEnd()).toMatchInlineSnapshot(`
      "FAILED: NOT PROPOSED: 12 edits have problems, so none of the 13 edits is proposed, and nothing changed.
      edits[0] (replace): \`original\` occurs 2 times in src/tax.ts (lines 1, 2); give more lines around it so that it is unique, or use op replace_all.
      edits[1] (replace): \`original\` does not occur in src/tax.ts. The closest part of the document differs like this (- your original, + the document):
      --- original
      +++ document from line 1
      @@ -1,1 +1,1 @@
      -export const ratte = 0.19;
      +export const rate = 0.19;
      edits[2] (replace): op replace needs \`original\` and \`modified\`.
      edits[3] (write): op write takes no \`original\`. To replace a part of the file use op replace.
      edits[4] (create): src/tax.ts exists already; use op write for its whole new text.
      edits[5] (delete): src/nothing.ts does not exist.
      edits[6] (move): src cannot be moved into itself, to src/inner.
      edits[7] (move): src/tax.ts cannot be moved: src/names.ts exists already.
      edits[8] (move): src/tax.ts cannot be moved: test is a folder; name the whole new path, such as test/tax.ts.
      edits[9] (replace): ../outside.ts is outside the workspace (<root>); tools stay inside it.
      edits[10] (write): .env may hold secrets; tools never read or write it.
      edits[11] (replace_symbol): No symbol "ratesOf" in src/rates.ts.
      Nearest: rateOf"
    `);
  });

  it("refuse a file that is edited and deleted, or whose whole text and parts are given", async () => {
    const answer = await ask([
      { op: "insert_at_end", path: "src/names.ts", modified: "// one" },
      { op: "delete", path: "src/names.ts" },
      { op: "write", path: "src/names.ts", modified: "// two\n" },
      { op: "delete", path: "src/rates.ts" },
      { op: "replace", path: "src/rates.ts", original: "table", modified: "all" },
      { op: "move", path: "src/rates.ts", to: "src/more.ts" },
    ]);
    expect(answer).toContain("edits[1] (delete): edits[0] changes src/names.ts, and this edit deletes it");
    expect(answer).toContain("edits[2] (write): edits[0] changes src/names.ts already");
    expect(answer).toContain("edits[4] (replace): src/rates.ts is not there any more: edits[3] deletes it.");
    expect(answer).toContain("edits[5] (move): src/rates.ts is not there any more: edits[3] deletes it.");
  });
});

describe("a symbol's declaration", () => {
  it("is replaced with all of its overloads, and keeps its comment unless the new text has one", async () => {
    await ask([
      { op: "insert_at_start", path: "src/rates.ts", modified: "// moved down" },
      {
        op: "replace_symbol",
        symbol: "src/rates.ts#rateOf",
        modified: "export function rateOf(): number {\n  return 1;\n}",
      },
      {
        op: "replace_symbol",
        symbol: "src/rates.ts#RateKind",
        modified: "/** Kinds. */\nexport type RateKind = string;",
      },
      { op: "replace_symbol", symbol: "defaultRate", path: "src/rates.ts", modified: "" },
    ]);
    const text = await fixture.textOf("src/rates.ts");
    expect(text).toContain(
      "/** The rate of a kind; {@link defaultRate} when none is given. */\nexport function rateOf(): number {\n  return 1;\n}\n",
    );
    expect(text.startsWith("// moved down\n/** Kinds. */\nexport type RateKind = string;\n")).toBe(true);
    expect(text).not.toContain("export const defaultRate");
    expect(text).not.toContain("kind?: RateKind");
  });
});

it("a body alone does not take the place of a declaration", async () => {
  const before = await fixture.textOf("src/rates.ts");
  for (const modified of ["return 1;", "{ return 1; }", "rate * 2"]) {
    expect(await ask([{ op: "replace_symbol", symbol: "src/rates.ts#defaultRate", modified }])).toContain(
      "`modified` declares nothing: op replace_symbol takes the whole declaration",
    );
  }
  expect(await fixture.textOf("src/rates.ts")).toBe(before);
});

describe("moving", () => {
  it("takes the imports of a folder along, and says what names it otherwise", async () => {
    const answer = await ask([{ op: "move", path: "src", to: "lib" }]);
    expect(await fixture.textOf("test/rates.test.ts")).toContain('import { rateOf } from "../lib/rates.ts";');
    expect(await fixture.textOf("lib/entry.ts")).toContain('from "./index.ts"');
    expect(answer).toContain("package.json:1");
    expect(answer).toContain("Checked");
  });

  it("takes along files that the compiler cannot read, and the imports of theirs", async () => {
    const data = [
      "logo.png",
      "page.css",
      "notes.md",
      "icon.svg",
      "view.vue",
      "Makefile",
      ".eslintrc",
      "a.dat",
      "q.sql",
    ];
    for (const name of data) fixture.write(name, "text\n");
    fixture.write("assets.d.ts", 'declare module "*.png" {\n  const url: string;\n  export default url;\n}\n');
    const shows = 'import logo from "../logo.png";\nexport const page = new URL("../page.css", import.meta.url);\n';
    fixture.write("src/shows.ts", `${shows}export const shown = logo;\n`);
    const answer = await ask([
      ...data.map((name) => ({ op: "move", path: name, to: `assets/${name}` })),
      { op: "move", path: "src/rates.ts", to: "src/money/rates.ts" },
    ]);
    expect(answer).not.toContain("were not followed");
    expect(await fixture.textOf("src/shows.ts")).toBe(
      `${shows.replaceAll("../", "../assets/")}export const shown = logo;\n`,
    );
    await ask([
      { op: "move", path: "assets/logo.png", to: "src/pictures/logo.png" },
      { op: "move", path: "src/shows.ts", to: "src/pictures/shows.ts" },
    ]);
    expect(await fixture.textOf("src/pictures/shows.ts")).toContain('from "./logo.png"');
    expect(await fixture.textOf("src/pictures/shows.ts")).toContain('new URL("../../assets/page.css"');
  });

  it("mends the imports between files that move by themselves", async () => {
    await ask([
      { op: "move", path: "src/rates.ts", to: "src/money/rates.ts" },
      { op: "move", path: "src/invoice.ts", to: "src/bills/invoice.ts" },
    ]);
    expect(await fixture.textOf("src/bills/invoice.ts")).toContain('from "../money/rates.ts"');
    expect(await fixture.textOf("src/index.ts")).toContain(
      'from "./money/rates.ts";\nexport { Invoice as Bill } from "./bills/invoice.ts"',
    );
  });

  it("claims no error of a move into a folder that does not exist yet, and checks what was applied", async () => {
    let check: Check | undefined;
    fixture.look = async (proposal) => {
      const known = (): Check => (fixture.changed.get(proposal.proposalId) ?? proposal).check;
      await expect.poll(() => known().state).not.toBe("running");
      check = known();
    };
    const answer = await ask([{ op: "move", path: "src/rates.ts", to: "src/fresh/rates.ts" }]);
    expect(check).toMatchObject({ state: "done", introduced: [] });
    expect(answer).toMatch(/^Checked .*: no new error/m);
  });

  it("leaves a new file at the old place", async () => {
    const answer = await ask([
      { op: "move", path: "src/names.ts", to: "src/lib/names.ts" },
      { op: "create", path: "src/names.ts", modified: 'export * from "./lib/names.ts";\n' },
    ]);
    expect(answer).toContain("APPLIED: all");
    expect(await fixture.textOf("src/names.ts")).toBe('export * from "./lib/names.ts";\n');
    expect(await fixture.textOf("src/lib/names.ts")).toContain("export const taken = 1;");
  });

  it("creates nothing where an empty file stays because its move was rejected", async () => {
    fixture.write("src/empty.ts", "");
    fixture.decide = ({ kind }) => ({ decision: kind === "rename" ? "reject" : "accept" });
    const answer = await ask([
      { op: "move", path: "src/empty.ts", to: "src/lib/empty.ts" },
      { op: "create", path: "src/empty.ts", modified: "export {};\n" },
    ]);
    expect(answer).toContain(
      "(create src/empty.ts): NOT applied: src/empty.ts exists by now, and the person left it at that.",
    );
    expect(await fixture.textOf("src/empty.ts")).toBe("");
  });

  it("refuses files that change places", async () => {
    const answer = await ask([
      { op: "move", path: "src/names.ts", to: "src/third.ts" },
      { op: "move", path: "src/rates.ts", to: "src/names.ts" },
      { op: "move", path: "src/third.ts", to: "src/rates.ts" },
    ]);
    expect(answer).toContain("change places, which cannot be done in one call");
  });

  it("refuses a file at a place that another file needs as its folder", async () => {
    const answer = await ask([
      { op: "move", path: "src/names.ts", to: "free/names.ts" },
      { op: "move", path: "src/rates.ts", to: "free" },
    ]);
    expect(answer).toContain("edits[0] (move): free/names.ts cannot stand below free, which is to be a file.");
  });

  it("moves and deletes files that are no text, whole", async () => {
    writeFileSync(join(fixture.root, "src/logo.bin"), Buffer.from([0, 255, 1, 254]));
    writeFileSync(join(fixture.root, "src/old.bin"), Buffer.from([0, 255, 7]));
    const answer = await ask([
      { op: "move", path: "src/logo.bin", to: "assets/logo.bin" },
      { op: "delete", path: "src/old.bin" },
    ]);
    expect(answer).toContain("src/old.bin: deleted.");
    expect(readFileSync(join(fixture.root, "assets/logo.bin"))).toEqual(Buffer.from([0, 255, 1, 254]));
    const refused = await ask([{ op: "write", path: "assets/logo.bin", modified: "text" }]);
    expect(refused).toContain("assets/logo.bin is a binary file");
  });

  it("moves a file whose name is given in another form of Unicode", async () => {
    fixture.write("zähler.md".normalize("NFD"), "one\n");
    const answer = await ask([
      { path: "zähler.md", original: "one", modified: "two" },
      { path: "zähler.md", to: "counter.md" },
    ]);
    expect(answer).toMatch(/APPLIED: all \d of \d hunks/);
    expect(await texts("counter.md")).toEqual(["two\n"]);
  });

  it("does not touch links", async () => {
    symlinkSync(join(fixture.root, "src/names.ts"), join(fixture.root, "src/link.ts"));
    const answer = await ask([
      { op: "delete", path: "src/link.ts" },
      { op: "delete", path: "src" },
    ]);
    expect(answer).toContain("edits[0] (delete): src/link.ts is a link to src/names.ts");
    expect(answer).toContain("src holds 1 link or special file (link.ts)");
    rmSync(join(fixture.root, "src/link.ts"));
  });
});

describe("a review of several files", () => {
  it("can reject a move and keep the edit of the moved file", async () => {
    fixture.decide = ({ kind }) =>
      kind === "rename" ? { decision: "reject", reason: "stay" } : { decision: "accept" };
    const answer = await ask([
      { op: "move", path: "src/page.tsx", to: "src/view/page.tsx" },
      { op: "insert_at_end", path: "src/view/page.tsx", modified: "// end" },
    ]);
    expect(await fixture.textOf("src/page.tsx")).toMatch(/\/\/ end\n$/);
    expect(answer).toContain('(move src/page.tsx → src/view/page.tsx): NOT applied, the person rejected it: "stay"');
  });

  it("tells a conflict when the file to delete has other text by now, or the new place is taken", async () => {
    fixture.look = async () => {
      fixture.write("src/jsx.d.ts", "// mine\n");
      fixture.write("src/taken.ts", "// mine\n");
      await Promise.resolve();
    };
    const answer = await ask([
      { op: "delete", path: "src/jsx.d.ts" },
      { op: "move", path: "src/page.tsx", to: "src/taken.ts" },
    ]);
    expect(answer).toContain(
      "(delete src/jsx.d.ts): NOT applied: the file changed since you read it, and the person left it at that. Read it",
    );
    expect(answer).toContain("NOT applied: src/taken.ts exists by now, and the person left it at that.");
    expect(await texts("src/jsx.d.ts", "src/taken.ts")).toEqual(["// mine\n", "// mine\n"]);
  });
});
