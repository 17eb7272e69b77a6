/** Work that needs the compiler's process, and the process ends. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { safeSearchPath } from "../../../../server/src/process/search-path.ts";
import { startNative, untilGone } from "../../../../server/src/typescript/session/native-process.ts";

const NEVER = new Promise<never>(() => undefined);
const WHY = "the TypeScript compiler process ended with signal SIGKILL";

async function later<T>(milliseconds: number, value: T): Promise<T> {
  await new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
  return value;
}

it("gives what was asked for while the process runs", async () => {
  expect(await untilGone(later(1, "the answer"), NEVER)).toBe("the answer");
});

it("says why the process ended under it", async () => {
  await expect(untilGone(NEVER, later(1, WHY))).rejects.toThrow(WHY);
});

it("says why the process ended although a failed write was the first sign", async () => {
  await expect(untilGone(Promise.reject(new Error("write EPIPE")), later(20, WHY))).rejects.toThrow(WHY);
});

it("hands on what has nothing to do with the process at once", async () => {
  await expect(untilGone(Promise.reject(new Error("no such folder")), NEVER)).rejects.toThrow("no such folder");
});

it.runIf(process.platform === "linux")(
  "tells the compiler to collect later, or when it is asked to, and none of the server's keys",
  async () => {
    process.env["SOME_KEY"] = "secret";
    const native = await startNative({ cwd: tmpdir(), workspaceFolders: [], log: () => undefined });
    try {
      const environment = readFileSync(`/proc/${native.pid}/environ`, "utf8").split("\0");
      expect(environment).toContain("GOGC=200");
      expect(environment).toContain(`PATH=${safeSearchPath(process.env["PATH"] ?? "")}`);
      expect(environment).not.toContain("SOME_KEY=secret");
      await native.collectGarbage();
    } finally {
      delete process.env["SOME_KEY"];
      await native.dispose();
    }
  },
);
