import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "agentq-bin-"));
  mkdirSync(join(checkout, "bin"));
  copyFileSync(join(import.meta.dirname, "../../../bin/agentq.js"), join(checkout, "bin/agentq.js"));
  writeFileSync(join(checkout, "package.json"), JSON.stringify({ type: "module" }));
});

afterEach(() => {
  rmSync(checkout, { recursive: true });
});

function start(...nodeOptions: string[]) {
  return spawnSync(process.execPath, [...nodeOptions, join(checkout, "bin/agentq.js"), "--stdio"], {
    encoding: "utf8",
  });
}

describe("the agentq program", () => {
  it("asks for a build when there is none", () => {
    const { status, stdout, stderr } = start();
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^agentq is not built yet: run "npm run build" in [^\n]*\n$/);
  });

  it("says in one sentence what it needs when an older Node starts it", () => {
    const older = join(checkout, "older.cjs");
    writeFileSync(older, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");
    mkdirSync(join(checkout, "node_modules/node/bin"), { recursive: true });
    const newer = join(checkout, "node_modules/node/bin/node");
    writeFileSync(newer, "");
    const { status, stdout, stderr } = start("--require", older);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^agentq needs Node 22\.15 or newer, but this is Node 20\.20\.2 [^\n]*\n$/);
    expect(stderr).toContain(newer);
  });

  it("runs the built server with the arguments it was given", () => {
    mkdirSync(join(checkout, "dist"));
    writeFileSync(join(checkout, "dist/main.js"), "process.stdout.write(process.argv.slice(2).join());");
    expect(start()).toMatchObject({ status: 0, stdout: "--stdio" });
  });
});
