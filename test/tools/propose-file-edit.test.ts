import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Check, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { createReadFile } from "../../server/src/tools/buffer/read-file.ts";
import { createProposeEdits } from "../../server/src/tools/edit/propose-edits.ts";
import type { Tool } from "../../server/src/tools/tool.ts";
import { aliasOf } from "../support/alias-of.ts";
import { openEditFixture, type EditFixture } from "./edit-fixture.ts";

let fixture: EditFixture;
let tool: Tool;

beforeEach(() => {
  fixture = openEditFixture("edits-project");
  tool = aliasOf("propose_file_edit", createProposeEdits(fixture.ports));
  fixture.write(
    "src/tax.ts",
    "export const rate = 0.19;\n\nexport function taxOf(net: number): number {\n  return net * rate;\n}\n",
  );
  fixture.write(
    "src/bill.ts",
    'import { taxOf } from "./tax.ts";\n\nexport const gross = (net: number): number => net + taxOf(net);\n',
  );
  fixture.write("src/all.ts", 'export * from "./tax.ts";\n');
  fixture.write("src/far.ts", 'import { rate } from "./all.ts";\n\nexport const percent: number = rate * 100;\n');
});
afterEach(() => fixture.dispose());

const read = (path: string): Promise<string> => fixture.ask(createReadFile(fixture.ports), { path });
const propose = (args: Record<string, unknown>): Promise<string> =>
  fixture.ask(tool, { path: "src/tax.ts", description: "Because.", ...args });

const wrongType = {
  original: "taxOf(net: number): number {\n  return net * rate;",
  modified: "taxOf(net: number): string {\n  return String(net * rate);",
};

/** Waits until the compiler's word on the proposal is there, as a person may. */
async function checkOf({ proposalId, check }: Proposal): Promise<Check> {
  let known = check;
  while (known.state === "running") {
    await sleep(5);
    known = fixture.changed.get(proposalId)?.check ?? known;
  }
  return known;
}

function textsOf(check: Check | undefined): string[] {
  return [...(check?.introduced ?? [])].map(({ uri = "", range, code, message }) => {
    return `${uri.split("/").at(-1)}:${(range?.start.line ?? 0) + 1} ${code}: ${message}`;
  });
}

describe("the compiler's word on a proposed edit", () => {
  it("tells the person, before they decide, which errors it would bring into the files that import the touched one", async () => {
    let check: Check | undefined;
    fixture.look = async (proposal) => {
      check = await checkOf(proposal);
    };
    fixture.decide = () => ({ decision: "reject", reason: "no" });
    const answer = await propose(wrongType);
    expect(check?.state).toBe("done");
    expect(textsOf(check)).toEqual(["bill.ts:3 TS2322: Type 'string' is not assignable to type 'number'."]);
    expect(answer).not.toMatch(/BROKEN|Checked/);
  });

  it("tells the model what was broken, also in files that import the touched one through others", async () => {
    const broken = await propose({ original: "rate = 0.19", modified: 'rate: string = "a"' });
    expect(broken).toContain(
      "BROKEN: the compiler reports 2 new errors in the touched file and 2 files that use what changed:\n" +
        "  src/tax.ts:4:16 error TS2363: The right-hand side",
    );
    expect(broken).toContain("  src/far.ts:3:32 error TS2362: The left-hand side");
    const mended = await propose({ original: 'rate: string = "a"', modified: "rate = 0.2" });
    expect(mended).toContain(
      "Checked the touched file and 2 files that use what changed: no new error, 2 errors gone.",
    );
  });

  it("tells the model the errors of the applied text, not of the proposed one", async () => {
    fixture.decide = (hunk) => ({ decision: hunk.newText.includes("0.2") ? "accept" : "reject" });
    const answer = await propose({
      modified:
        "export const rate = 0.2;\n\nexport function taxOf(net: number): string {\n  return String(net * rate);\n}\n",
    });
    expect(answer).toContain("PARTIALLY APPLIED");
    expect(answer).toContain("Checked the touched file and 3 files that use what changed: no new error.");
  });

  it("names the errors that stay on edited lines, and none of those that nobody looked after", async () => {
    fixture.write("src/late.ts", "export const one: string = 1;\nexport const two: string = 2;\n");
    const stays = await propose({ path: "src/late.ts", original: "one: string = 1", modified: "one: string = 11" });
    expect(stays).toMatch(/no new error, 1 left \(src\/late\.ts:1:14 TS2322\)\.$/m);
    const mended = await propose({ path: "src/late.ts", original: "one: string = 11", modified: "one = 1" });
    expect(mended).toMatch(/no new error, 1 error gone, 1 left \(src\/late\.ts:2:14 TS2322\)\.$/m);
    const elsewhere = await propose({ path: "src/late.ts", original: "one = 1", modified: "one = 2" });
    expect(elsewhere).toMatch(/no new error\.$/m);
  });

  it("knows the errors of a file that does not exist yet, by the options of the project that it will be part of", async () => {
    fixture.look = checkOf;
    const answer = await propose({
      path: "src/late.ts",
      modified:
        'import { taxOf } from "./tax.ts";\n\nexport const wrong: string = taxOf(1);\nexport const open = (a) => a;\n',
    });
    const [proposal] = fixture.proposals;
    expect(textsOf(proposal === undefined ? undefined : await checkOf(proposal))).toEqual([
      "late.ts:3 TS2322: Type 'number' is not assignable to type 'string'.",
      "late.ts:4 TS7006: Parameter 'a' implicitly has an 'any' type.",
    ]);
    expect(answer).toContain("BROKEN: the compiler reports 2 new errors in the touched file:");
  });

  it("says so when the compiler reads none of the files", async () => {
    fixture.look = checkOf;
    fixture.write("notes.md", "one\n");
    fixture.look = checkOf;
    const answer = await propose({ path: "notes.md", modified: "two\n" });
    const [proposal] = fixture.proposals;
    expect(proposal === undefined ? undefined : await checkOf(proposal)).toEqual({
      state: "unavailable",
      introduced: [],
      resolved: [],
      reason: "the compiler does not read notes.md.",
    });
    expect(answer).toContain("Not checked: the compiler does not read notes.md.");
  });

  it("says why when the compiler is gone, and the review goes on", async () => {
    fixture.look = checkOf;
    await fixture.ports.typescript.dispose();
    fixture.look = checkOf;
    const answer = await propose(wrongType);
    const [proposal] = fixture.proposals;
    const check = proposal === undefined ? undefined : await checkOf(proposal);
    expect(check).toMatchObject({ state: "unavailable", introduced: [] });
    expect(check?.reason).toMatch(/compiler|shut down/);
    expect(answer).toContain("APPLIED: all 1 of 1 hunks.");
    expect(answer).toContain(`Not checked: ${check?.reason}`);
  });
});

describe("a whole new text", () => {
  const lines = Array.from({ length: 12 }, (_each, index) => `export const n${index + 1} = ${index + 1};`);
  const text = (change: Record<number, string> = {}): string =>
    `${lines.map((line, index) => change[index + 1] ?? line).join("\n")}\n`;

  beforeEach(async () => {
    fixture.write("src/numbers.ts", text());
    await read("src/numbers.ts");
  });

  it("keeps what the person typed since the model read the file, and says so", async () => {
    fixture.documents.open({
      uri: fixture.uri("src/numbers.ts"),
      languageId: "typescript",
      version: 1,
      text: text({ 3: "export const n3 = 33;" }),
    });
    const answer = await propose({ path: "src/numbers.ts", modified: text({ 9: "export const n9 = 99;" }) });
    expect(fixture.proposals.at(-1)?.hunks.map(({ newText }) => newText)).toEqual(["export const n9 = 99;\n"]);
    expect(await fixture.textOf("src/numbers.ts")).toBe(
      text({ 3: "export const n3 = 33;", 9: "export const n9 = 99;" }),
    );
    expect(answer).toContain("src/numbers.ts changed since you read it; your text was merged with these changes");
    expect(answer).toContain("-export const n3 = 3;\n+export const n3 = 33;");
  });

  it("does not say that the file reads like a text that lacks what the person typed", async () => {
    fixture.write("src/numbers.ts", text({ 3: "export const n3 = 33;" }));
    const answer = await propose({ path: "src/numbers.ts", modified: text() });
    expect(answer).toContain("+export const n3 = 33;");
    expect(answer).toContain("Nothing to propose: your text changes nothing else in src/numbers.ts.");
  });

  it("is refused with the difference when both changed the same place, and accepted once the model knows it", async () => {
    fixture.write("src/numbers.ts", text({ 3: "export const n3 = 33;" }));
    const refused = await propose({ path: "src/numbers.ts", modified: text({ 3: "export const n3 = 4;" }) });
    expect(refused).toContain(
      "edits[0] (write): src/numbers.ts changed since you read it, in places that your text changes too:",
    );
    expect(refused).toContain("-export const n3 = 3;\n+export const n3 = 33;");
    expect(fixture.proposals).toEqual([]);
    await propose({ path: "src/numbers.ts", modified: text({ 3: "export const n3 = 34;" }) });
    expect(await fixture.textOf("src/numbers.ts")).toBe(text({ 3: "export const n3 = 34;" }));
  });

  it("builds on the applied part of the text before, and not on what the person typed during the review", async () => {
    fixture.decide = (hunk) => ({ decision: hunk.newText.includes("n2 = 22") ? "accept" : "reject" });
    await propose({
      path: "src/numbers.ts",
      modified: text({ 2: "export const n2 = 22;", 9: "export const n9 = 99;" }),
    });
    const now = (await fixture.textOf("src/numbers.ts")).replace("n12 = 12", "n12 = 1212");
    fixture.documents.change(fixture.uri("src/numbers.ts"), 7, [{ text: now }]);
    fixture.decide = () => ({ decision: "accept" });
    await propose({ path: "src/numbers.ts", modified: text({ 2: "export const n2 = 222;" }) });
    expect(await fixture.textOf("src/numbers.ts")).toBe(
      text({ 2: "export const n2 = 222;", 12: "export const n12 = 1212;" }),
    );
  });
});

describe("a text to replace", () => {
  const numbered = (count: number): string =>
    Array.from({ length: count }, (_each, at) => `const v${at} = ${at};`).join("\n");

  it("that is wrong in its one line is answered with that line", async () => {
    fixture.write("src/long.ts", `/**\n * Counts.\n */\n${numbered(20)}\nexport let counter = 0;\n}\n`);
    const answer = await propose({ path: "src/long.ts", original: "export let countr = 0;", modified: "" });
    expect(answer).toContain("document from line 24");
    expect(answer).toContain("-export let countr = 0;\n+export let counter = 0;");
  });

  it("that is wrong in one of its lines is answered with the lines that differ", async () => {
    const original = "export function taxOf(net: number): number {\n  return net * rates;\n}";
    const answer = await propose({ original, modified: "" });
    expect(answer).toContain("-  return net * rates;\n+  return net * rate;");
  });

  it("that is one misspelt word is answered with the words that are alike", async () => {
    expect(await propose({ original: "rtae", modified: "" })).toContain("Alike there: rate (line 1)");
  });

  it("that resembles nothing in the file gets an answer that says so", async () => {
    expect(await propose({ original: "zzz qqq", modified: "" })).toContain("nothing there is like it");
  });

  it("that occurs several times is answered with the places", async () => {
    expect(await propose({ original: "rate", modified: "" })).toContain(
      "occurs 2 times in src/tax.ts (lines 1, 4); give",
    );
  });

  it("is looked for without holding up anything else, however long it is", async () => {
    fixture.write("src/long.ts", numbered(50_000));
    let longest = 0;
    const began = performance.now();
    let last = began;
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const answer = await propose({ path: "src/long.ts", original: `x\n${numbered(20_000)}`, modified: "" });
    clearInterval(timer);
    expect(answer).toContain("does not occur in src/long.ts");
    // A busy machine holds up this timer too, but never for most of the search.
    expect(longest).toBeLessThan(Math.max(400, (performance.now() - began) / 2));
  });
});
