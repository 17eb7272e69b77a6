/** What `npm start` does on a machine without a terminal, and what it leaves behind. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { itAtLength } from "../support/extent.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const main = join(root, "examples/demo/main.ts");

let temporary: string;
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), "agentq-demo-test-"));
});
afterEach(async () => await rm(temporary, { recursive: true, force: true }));

function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { ANTHROPIC_API_KEY: _key, ANTHROPIC_AUTH_TOKEN: _token, ANTHROPIC_BASE_URL: _url, ...rest } = process.env;
  return { ...rest, TMPDIR: temporary, ...more };
}

function leftovers(): Promise<string[]> {
  return readdir(temporary);
}

async function exampleState(): Promise<string> {
  return (await run("git", ["status", "--porcelain", "--", "examples/invoices"], { cwd: root })).stdout;
}

test("the demo shows the bug, applies the fix alone, shows that it works, and leaves nothing behind", async () => {
  const before = await exampleState();
  const { stdout } = await run(process.execPath, [main, "--yes"], { env: environment(), timeout: 60_000 });
  expect(stdout).toMatch(/A refund of 10\.00 EUR books -9\.99 EUR/);
  expect(stdout).toMatch(/before +-9\.99 EUR[^]*after +-10\.00 EUR[^]*applied +src\/allocate\.ts:\d+\n *rejected +src/);
  expect(stdout).not.toContain("\u001b[");
  expect(await leftovers()).toEqual([]);
  expect(await exampleState()).toBe(before);
}, 60_000);

test("the running service is mended without a restart, by a recorded call that is made again behind the wall", async () => {
  // A socket's path may have about a hundred characters.
  const place = await realpath(await mkdtemp(join(process.platform === "darwin" ? tmpdir() : "/tmp", "aq-")));
  // The processes of test runs are left alone.
  const { VITEST: _vitest, ...env } = environment({ XDG_RUNTIME_DIR: place });
  const { stdout } = await run(process.execPath, [main, "--app", "--yes"], { env, timeout: 170_000 });
  await rm(place, { recursive: true });
  expect(stdout).toMatch(/Evaluate in orders, your running program\? The demo\s+allows it/);
  expect(stdout).toMatch(/try_edit[^]*→ 6080/);
  expect(stdout).toMatch(/before +\{"cents":null,"answered":1\}\n +after +\{"cents":6080,"answered":\d+\}/);
  expect(await leftovers()).toEqual([]);
}, 180_000);

itAtLength("the demo fails with a reason when the model does not answer as the story needs it", async () => {
  const { startScriptedModel } = await import("../../examples/demo/scripted-model.ts");
  const { scriptNamed } = await import("../../examples/demo/scripts/all.ts");
  const model = await startScriptedModel(scriptNamed("hello"));
  try {
    const failure = run(process.execPath, [main, "--yes"], {
      env: environment({ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "scripted" }),
      timeout: 60_000,
    });
    await expect(failure).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining("does not show the fix"),
    });
    expect(await leftovers()).toEqual([]);
  } finally {
    await model.dispose();
  }
});
