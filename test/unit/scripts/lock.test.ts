import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withLock } from "../../../scripts/lock.mjs";

const lockModule = pathToFileURL(join(import.meta.dirname, "../../../scripts/lock.mjs")).href;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agentq-lock-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("the lock between two runs", () => {
  it("lets only one process in at a time", async () => {
    const lock = join(folder, "lock");
    const log = join(folder, "log");
    const program = `
      import { appendFileSync } from "node:fs";
      import { withLock } from ${JSON.stringify(lockModule)};
      for (let turn = 0; turn < 20; turn += 1) {
        withLock(${JSON.stringify(lock)}, () => {
          appendFileSync(${JSON.stringify(log)}, "in ");
          appendFileSync(${JSON.stringify(log)}, "out ");
        });
      }`;
    const children = [1, 2, 3].map(() => spawn(process.execPath, ["--input-type=module", "-e", program]));
    await Promise.all(children.map((child) => once(child, "exit")));
    expect(readFileSync(log, "utf8")).toBe("in out ".repeat(60));
  });

  it("takes over the lock of a process that died", () => {
    const lock = join(folder, "lock");
    const dead = spawnSync(process.execPath, ["-e", "process.stdout.write(String(process.pid))"], { encoding: "utf8" });
    writeFileSync(lock, dead.stdout);
    expect(withLock(lock, () => "done")).toBe("done");
    expect(existsSync(lock)).toBe(false);
  });

  it("is released when the work throws", () => {
    const lock = join(folder, "lock");
    const failing = () =>
      withLock(lock, () => {
        throw new Error("broken");
      });
    expect(failing).toThrow("broken");
    expect(existsSync(lock)).toBe(false);
  });
});
