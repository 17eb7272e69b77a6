import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { runInForeground } from "../../../scripts/foreground.mjs";

const module = pathToFileURL(join(import.meta.dirname, "../../../scripts/foreground.mjs")).href;

describe("a program run in the foreground", () => {
  it("hands back its exit code", async () => {
    expect(await runInForeground(process.execPath, ["-e", "process.exit(7)"])).toBe(7);
  });

  it("hands back 128 and the signal's number when a signal ended it", async () => {
    const code = await runInForeground(process.execPath, ["-e", "process.kill(process.pid, 'SIGKILL')"]);
    expect(code).toBe(137);
  });

  it("gets the request to end that its starter receives, and may end in its own way", async () => {
    const inner = "process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('ready');";
    const outer = `
      import { runInForeground } from ${JSON.stringify(module)};
      process.exitCode = await runInForeground(process.execPath, ["-e", ${JSON.stringify(inner)}]);`;
    const starter = spawn(process.execPath, ["--input-type=module", "-e", outer], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(starter.stdout, "data");
    starter.kill("SIGTERM");
    expect(await once(starter, "exit")).toEqual([3, null]);
  });
});
