import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { imageElsewhere } from "../../../../server/src/repl/confinement/limited/elsewhere.ts";
import { startTestImage, until, type TestImage } from "../with-image.ts";

let t: TestImage | undefined;
afterEach(async () => {
  await t?.dispose();
  t = undefined;
});

/** `env` runs what follows it, as `docker exec` does, and brings an environment of its own. */
const place = (root: string): readonly [string, ...string[]] => ["env", "PLACE_TOKEN=secret", `PLACE=${root}`];

describe("an image that a command starts in another place", () => {
  it("evaluates, imports, prints, asks the server and is interrupted over standard input and output", async () => {
    t = startTestImage({ command: place("x"), nodePath: process.execPath });
    expect(await t.value("import { rate } from './src/money.ts'; rate + 1")).toBe("3");
    const printed = await t.evaluate("console.log('said'); require('node:fs').writeSync(1, 'raw\\n'); 1");
    expect(printed).toMatchObject({ outcome: "value", stdout: "said\n" });
    await until(() => t?.outputs.some(({ stream, text }) => stream === "stderr" && text.includes("raw")) ?? false);
    expect(await t.evaluate("for (;;) {}", { timeoutMs: 300 })).toMatchObject({ outcome: "timeout", stateKept: true });
    expect(await t.value("rate")).toBe("2");
  });

  it("is confined all the same, and sees nothing of that place's environment", async () => {
    t = startTestImage({ command: place("x"), nodePath: process.execPath });
    expect((await t.evaluate("require('node:fs').writeFileSync('a.txt', '')")).error?.name).toContain("ACCESS_DENIED");
    expect(await t.value("Object.keys(process.env).filter((name) => /PLACE|TOKEN/.test(name)).length")).toBe("0");
    const scratch = "const f = require('node:os').tmpdir() + '/a.txt'; require('node:fs').writeFileSync(f, 'x'); f";
    expect(existsSync(JSON.parse(await t.value(scratch)) as string)).toBe(true);
    expect(t.image.status().confinementDetail).toContain("the network is what env gives it");
    expect(t.image.status().confinementDetail).toMatch(/Started by the command env \(repl\.command\)\.$/);
  });

  it("is ended with the channel, and starts again", async () => {
    t = startTestImage({ command: place("x"), nodePath: process.execPath });
    await t.value("let kept = 1; kept");
    await t.image.restart();
    expect((await t.evaluate("kept")).outcome).toBe("error");
    expect(await t.value("1 + 1")).toBe("2");
  });

  it("passes every argument through ssh, which makes one line of them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "agentq-ssh-"));
    const ssh = join(folder, "ssh");
    writeFileSync(ssh, '#!/bin/sh\nshift\nexec sh -c "$*"\n', { mode: 0o755 });
    t = startTestImage({ command: [ssh, "host"], nodePath: process.execPath });
    expect(await t.value('"it\'s " + 1')).toBe('"it\'s 1"');
    rmSync(folder, { recursive: true });
    expect(imageElsewhere(["ssh", "host"], "/t", ["node", "it's"]).slice(-2)).toEqual(["'node'", "'it'\\''s'"]);
    expect(imageElsewhere(["docker", "exec", "-i", "c"], "/t", ["node", "it's"]).slice(-2)).toEqual(["node", "it's"]);
  });

  it("says in one sentence when the command does not run a Node", async () => {
    t = startTestImage({ command: ["false"], nodePath: "node" });
    const { outcome, error } = await t.evaluate("1");
    expect({ outcome, message: error?.message }).toEqual({
      outcome: "error",
      message: "The REPL cannot start: node is not a Node that runs here.",
    });
    expect(readdirSync(t.root)).toContain("src");
  });
});
