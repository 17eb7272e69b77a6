/** What a model hears of the errors that came and went since its turn began. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, it } from "vitest";
import { call, reply, type Script } from "../../examples/demo/model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { ServerClient } from "../support/server-client.ts";

const FILES = {
  "package.json": '{ "private": true, "type": "module" }',
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "module": "nodenext", "noEmit": true, "types": [] } }',
  "src/money.ts":
    "export function cents(amount: number): number {\n  return amount * 100;\n}\nexport const old: string = 1;\n",
  "src/bill.ts":
    'import { cents } from "./money.js";\nexport const bill: number = cents(1);\nexport const always: string = 2;\n',
  "src/pass.ts": 'export * from "./money.js";\n',
  "src/far.ts": 'import { cents } from "./pass.js";\nexport const far: number = cents(2);\n',
  "src/other.ts": "export const other: string = 3;\n",
};

let root: string;
let client: ServerClient;
let model: ScriptedModel;

afterEach(async () => {
  await client.close();
  await model.dispose();
  rmSync(root, { recursive: true, force: true });
});

/** The model asks the same question at every step; `between` is what happens before each but the first. */
async function ask(between: readonly (() => void)[], args: object = { since: "turn" }): Promise<string[]> {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-since-")));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  const script: Script = {
    name: "asks",
    description: "asks what is new",
    reply: ({ step }) => {
      if (step > between.length) return reply("Done.");
      if (step > 0) between[step - 1]?.();
      return reply(call("get_diagnostics", { ...args }));
    },
  };
  model = await startScriptedModel(script, { project: root });
  client = new ServerClient({ env: { ANTHROPIC_BASE_URL: model.url } });
  await client.initialize([root]);
  const { turnId } = await client.request("agentq/prompt", { text: "go" });
  return resultsIn(await client.turn(turnId, 60_000));
}

function resultsIn(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) =>
    event.kind === "toolResult" ? event.result.content + (event.result.error ?? "") : [],
  );
}

const write = (name: string, text: string): void => writeFileSync(path.join(root, name), text);
const replace = (name: string, from: string, to: string): void =>
  write(name, readFileSync(path.join(root, name), "utf8").replace(from, to));

it("names what is new and what is gone, in the changed files and in those that use them, and nothing else", async () => {
  const [before, after, mended] = await ask([
    () => {
      replace("src/money.ts", "amount: number): number", "amount: string): string");
      replace("src/money.ts", "amount * 100", "amount");
      replace("src/money.ts", "old: string = 1", "old: number = 1");
    },
    () => write("src/money.ts", FILES["src/money.ts"]),
  ]);
  expect(before).toBe("No file that the compiler reads has changed since the turn began: no new error, none gone.");
  expect(after).toBe(
    [
      "Since the turn began: 4 new errors, 1 gone, in 1 changed file and 3 files that use it.",
      "src/bill.ts (not changed)",
      "  2:14 error TS2322: Type 'string' is not assignable to type 'number'.",
      "  2:35 error TS2345: Argument of type 'number' is not assignable to parameter of type 'string'.",
      "src/far.ts (not changed)",
      "  2:14 error TS2322: Type 'string' is not assignable to type 'number'.",
      "  2:34 error TS2345: Argument of type 'number' is not assignable to parameter of type 'string'.",
      "Gone:",
      "src/money.ts",
      "  4:14 error TS2322: Type 'number' is not assignable to type 'string'.",
    ].join("\n"),
  );
  expect(mended).toBe(before);
});

it("sees text that is not saved, a new file, and a file that is gone", async () => {
  const [, , unsaved, created, gone] = await ask([
    () => void client.open(path.join(root, "src/other.ts"), "export const other: string = missing;\n"),
    // The model's answer may overtake what the editor says: the question after this one comes later than both.
    () => undefined,
    () => write("src/new.ts", "export const fresh: boolean = 0;\n"),
    () => unlinkSync(path.join(root, "src/pass.ts")),
  ]);
  expect(unsaved).toMatch(
    /^Since the turn began: 1 new error, 1 gone, in 1 changed file\.\nsrc\/other\.ts\n {2}1:30 error TS2304/,
  );
  expect(created).toContain("src/new.ts\n  1:14 error TS2322");
  expect(gone).toContain("src/far.ts (not changed)\n  1:23 error TS2307");
});

it("answers about one code alone, and counts anew with the next turn", async () => {
  const [, only] = await ask([() => replace("src/money.ts", "(amount: number)", "(amount: boolean)")], {
    since: "turn",
    code: 2345,
  });
  expect(only).toMatch(
    /^Since the turn began: TS2345 2 new errors, 0 gone, in 1 changed file and 3 files that use it\.\nsrc\/bill/,
  );
  expect(only).not.toContain("TS2362");
  const known = client.received.find(({ method }) => method === "agentq/event");
  const sessionId = known?.method === "agentq/event" ? known.params.sessionId : "";
  const { turnId } = await client.request("agentq/prompt", { text: "again", sessionId });
  expect(resultsIn(await client.turn(turnId))[0]).toContain("No file that the compiler reads has changed");
});

it("says so when the compiler was started anew since the turn began", async () => {
  const [, later] = await ask([
    () => write("tsconfig.json", FILES["tsconfig.json"].replace('"strict": true', '"strict": false')),
  ]);
  expect(later).toMatch(
    /^NOT KNOWN: the compiler was started anew|^No file that the compiler reads has changed|^Since the turn began/,
  );
});

it("refuses what does not go together, and a call outside of any turn", async () => {
  const [both] = await ask([], { since: "turn", path: "src/money.ts" });
  expect(both).toContain("leave out `path`");
  const { error } = await client.request("agentq/callTool", { name: "get_diagnostics", arguments: { since: "turn" } });
  expect(error).toContain("no turn has begun here");
});
