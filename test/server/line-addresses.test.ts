/** A line of a file names the symbol that is declared on it, or around it, in every tool that takes a symbol. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerClient } from "../support/server-client.ts";

const FILES = {
  "tsconfig.json": '{ "compilerOptions": { "module": "nodenext", "types": [] }, "include": ["src"] }',
  "package.json": '{ "type": "module" }',
  "src/cart.ts":
    "export class Cart {\n  lines: number[] = [];\n  total(): number {\n    let sum = 0;\n    for (const line of this.lines) sum += line;\n    return sum;\n  }\n}\n",
  "src/rates.ts":
    "const hidden = 7;\nexport const rates = { full: 19 };\nexport function rateOf(): number {\n  return rates.full + hidden;\n}\n",
  "src/user.ts":
    'import { Cart } from "./cart.ts";\nimport { rateOf } from "./rates.ts";\nexport const sum = new Cart().total() + rateOf();\n',
};

let folder: string;
let client: ServerClient;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-lines-")));
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  client = new ServerClient();
  await client.initialize([folder]);
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const { content, error } = await client.request("agentq/callTool", { name, arguments: args });
  return content + (error ?? "");
}

const decided: string[] = [];

describe("a line is an address", () => {
  it.each([
    "src/cart.ts:4",
    "src/cart.ts:4:5",
    "src/cart.ts:4-6",
    "src/cart.ts#L4",
    "src/cart.ts#L4-L6",
    "src/cart.ts(4,5)",
  ])("in the form %s", async (symbol) => {
    expect(await ask("describe_symbol", { symbol })).toMatch(/^src\/cart\.ts#Cart\.total — method/);
  });

  it.each([
    ["src/cart.ts:4:9", "sum"],
    ["src/cart.ts(4,11)", "sum"],
    ["src/cart.ts#L4C9", "sum"],
    ["src/cart.ts:5:16", "line"],
  ])("means the local variable that %s points at", async (symbol, name) => {
    expect(await ask("describe_symbol", { symbol })).toMatch(new RegExp(`\\.${name} — (?:let|const)`));
    const refused = await ask("rename_symbol", { symbol: "src/cart.ts:6:12", new_name: "other" });
    expect(refused).toContain("src/cart.ts:6:12 is a use of sum inside of src/cart.ts#Cart.total");
  });

  it.each(["src/rates.ts:2:24", "src/rates.ts#L2C24", "src/rates.ts(2,24)", "`src/rates.ts:2:24`"])(
    "tells what is declared beside each other apart by the column in %s",
    async (symbol) => expect(await ask("describe_symbol", { symbol })).toMatch(/^src\/rates\.ts#rates\.full — /),
  );

  it.each([
    ["describe_symbol", { symbol: "src/cart.ts:1" }, /^src\/cart\.ts#Cart — /],
    ["read_symbol", { symbol: "src/cart.ts:5" }, /^src\/cart\.ts#Cart\.total — method\n3 {2}/],
    ["function_arglist", { symbol: "src/cart.ts:5" }, /Cart\.total/],
    ["who_calls", { symbol: "src/cart.ts:5" }, /^src\/cart\.ts#Cart\.total .*\n1 call site/],
    ["who_references", { symbol: "src/rates.ts:2" }, /^src\/rates\.ts#rates .*\n1 mention/],
    ["find_implementations", { symbol: "src/cart.ts:1" }, /src\/cart\.ts#Cart /],
    ["method_specializers", { symbol: "src/cart.ts:5" }, /^src\/cart\.ts#Cart\.total/],
    ["class_slots", { symbol: "src/cart.ts:1" }, /lines: number\[\]/],
    ["class_hierarchy", { symbol: "src/cart.ts:1" }, /^src\/cart\.ts#Cart \(class/],
    ["macroexpand_form", { form: "src/cart.ts:1", as: "type" }, /^Type, because src\/cart\.ts#Cart is a class/],
    ["get_diagnostics", { symbol: "src/cart.ts:5" }, /in src\/cart\.ts#Cart\.total/],
    ["document_outline", { path: "src/cart.ts:5" }, /^src\/cart\.ts — 8 lines/],
    ["list_package_symbols", { path: "src/cart.ts:5" }, /^src\/cart\.ts — 1 export/],
    ["apropos_search", { pattern: "total", path: "src/cart.ts:5" }, /^1 symbol matches total/],
    ["apply_code_action", { path: "src/cart.ts", symbol: "src/cart.ts:5" }, /^src\/cart\.ts lines 3–7: /],
    ["trace_function", { symbol: "src/rates.ts:4" }, /^src\/rates\.ts#rateOf is traced/],
    ["untrace_function", { symbol: "src/rates.ts:4" }, /rateOf/],
    ["eval_form", { form: "hidden + 1", path: "src/rates.ts:1" }, /^8\n/],
    [
      "compile_form",
      { form: "export function rateOf(): number { return 1; }", path: "src/rates.ts:3" },
      /redefined: function rateOf/,
    ],
    ["inspect_object", { value: "src/rates.ts:2" }, /rates: .*\n(?:.*\n)* {2}full: 19/],
  ])("for %s %j", async (tool, args, answer) => {
    expect(await ask(tool, args)).toMatch(answer);
  });

  it.each([
    ["rename_symbol", { symbol: "src/cart.ts:5", new_name: "sumUp" }, "sumUp(): number"],
    [
      "propose_edits",
      {
        edits: [
          {
            op: "replace_symbol",
            symbol: "src/rates.ts:4",
            modified: "export function rateOf(): number {\n  return 2;\n}",
          },
        ],
        description: "two",
      },
      "return 2;",
    ],
  ])("for %s, which proposes an edit", async (name, args, text) => {
    const called = client.request("agentq/callTool", { name, arguments: args });
    const { proposalId, hunks } = await client.nextProposal(decided);
    decided.push(proposalId);
    expect(hunks.map(({ newText }) => newText).join("")).toContain(text);
    const decisions = hunks.map(({ id }) => ({ id, decision: "reject" as const }));
    await client.request("agentq/decide", { proposalId, hunks: decisions });
    expect((await called).content).toContain("NOT APPLIED");
  });

  it("stands for what an import on it brings in", async () => {
    expect(await ask("describe_symbol", { symbol: "src/user.ts:1" })).toMatch(/^src\/cart\.ts#Cart — /);
  });

  it.each([
    ["src/user.ts:3:31#total", "src/cart.ts#Cart.total"],
    ["src/user.ts:3:24#Cart", "src/cart.ts#Cart"],
    ["src/user.ts:3:41#rateOf", "src/rates.ts#rateOf"],
    ["src/cart.ts:5:30#lines", "src/cart.ts#Cart.lines"],
    ["src/rates.ts:4:10#rates", "src/rates.ts#rates"],
  ])("with the name that is used there, %s, stands for what the name means", async (symbol, address) => {
    const [answered] = (await ask("describe_symbol", { symbol })).split(" — ");
    expect(answered).toBe(address);
  });

  it.each(["src/user.ts:3:31#Cart", "src/user.ts:3:1#export", "src/user.ts:90:1#Cart", "src/user.ts:3:400#Cart"])(
    "with a name that does not stand there, %s, means nothing",
    async (symbol) => {
      const [, place = "", name = ""] = symbol.split(/(.*)#/);
      expect(await ask("who_calls", { symbol })).toBe(`The compiler knows of no declaration of "${name}" at ${place}.`);
    },
  );

  it("is told what a line means where nothing is declared, or no such file is there", async () => {
    expect(await ask("who_calls", { symbol: "src/rates.ts:6" })).toContain(
      "Nothing is declared on line 6 of src/rates.ts.",
    );
    expect(await ask("describe_symbol", { symbol: "src/cort.ts:1" })).toContain('"src/cort.ts"');
    expect(await ask("describe_symbol", { symbol: "src/cort.ts:1" })).toContain("Nearest: src/cart.ts");
  });
});
