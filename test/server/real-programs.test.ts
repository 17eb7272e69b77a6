/** Programs that projects use every day, as they are installed, behind the wall. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { ServerClient } from "../support/server-client.ts";
import { describeWalled, treeOf, walledPath } from "../support/wall.ts";

const installed = fileURLToPath(new URL("../../node_modules", import.meta.url));
/** With what belongs to this platform. */
const PACKAGES = ["typescript", "@typescript", "oxfmt", "@oxfmt", "tinypool"];
const UGLY = [
  "export const one = 1;",
  "export  const two=2",
  "",
  "export const three = 3;",
  "",
  "export const   four=4",
  "",
];

let folder: string;
let client: ServerClient;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-programs-")));
  const project = (references: string[]): string =>
    JSON.stringify({
      compilerOptions: { composite: true, strict: true, outDir: "dist", rootDir: "src" },
      include: ["src"],
      references: references.map((each) => ({ path: each })),
    });
  const files = {
    ".gitignore": "node_modules/\ndist/\n*.tsbuildinfo\n",
    "package.json": '{ "name": "acme", "private": true, "type": "module" }\n',
    "tsconfig.json": '{ "files": [], "references": [{ "path": "core" }, { "path": "web" }] }\n',
    "core/tsconfig.json": project([]),
    "core/src/index.ts": "export const cents = (euro: number): number => Math.round(euro * 100);\n",
    "web/tsconfig.json": project(["../core"]),
    "web/src/index.ts":
      'import { cents } from "../../core/src/index.js";\nexport const shown: string = `${cents(1.5)}`;\n',
    "src/numbers.ts": UGLY.join("\n"),
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  execFileSync("git", ["init", "-q"], { cwd: folder });
  for (const name of PACKAGES) {
    const from = path.join(installed, name);
    if (existsSync(from)) cpSync(from, path.join(folder, "node_modules", name), { recursive: true });
  }
  mkdirSync(path.join(folder, "node_modules/.bin"));
  for (const [bin, target] of [
    ["tsc", "../typescript/bin/tsc"],
    ["oxfmt", "../oxfmt/bin/oxfmt"],
  ] as const) {
    symlinkSync(target, path.join(folder, "node_modules/.bin", bin));
  }
  client = new ServerClient({ env: { PATH: walledPath() } });
  await client.initialize([folder]);
});
afterEach(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (command: string): Promise<ToolResult> =>
  client.request("agentq/callTool", { name: "run_command", arguments: { command } });

describeWalled("behind the wall", () => {
  it("a monorepo is built by tsc, of which nothing stays, and what does not compile is told as tsc tells it", async () => {
    const before = treeOf(folder);
    const built = await run("node_modules/.bin/tsc -b && ls core/dist web/dist");
    expect(built.content).toMatch(/^Exit code 0, /);
    expect(built.content).toContain("index.d.ts");
    expect(treeOf(folder)).toEqual(before);
    writeFileSync(
      path.join(folder, "core/src/index.ts"),
      "export const cents = (euro: number): number => `${euro}`;\n",
    );
    const failed = await run("node_modules/.bin/tsc -b");
    expect(failed.content).toMatch(/^Exit code [12], /);
    expect(failed.content).toContain("core/src/index.ts(1,48): error TS2322");
  });

  it("a formatter's changes are accepted in part", async () => {
    const answer = run("node_modules/.bin/oxfmt src/numbers.ts");
    const { proposalId, hunks } = await client.nextProposal();
    expect(hunks).toHaveLength(2);
    const [first, second] = hunks.map(({ id }) => id);
    const { edit } = await client.request("agentq/decide", {
      proposalId,
      hunks: [
        { id: first ?? "", decision: "reject", reason: "Leave that line." },
        { id: second ?? "", decision: "accept" },
      ],
    });
    applyOnDisk(edit);
    await client.request("agentq/didApply", { proposalId, documents: [] });
    expect((await answer).content).toContain("PARTIALLY APPLIED: 1 of 2 hunks.");
    const wanted = [...UGLY.slice(0, 5), "export const four = 4;", ""].join("\n");
    expect(readFileSync(path.join(folder, "src/numbers.ts"), "utf8")).toBe(wanted);
  });
});
