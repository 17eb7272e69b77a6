/** What the server's child processes are given of its environment: an allow-list, whatever starts them. */
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { descendantsOf, readProcess } from "../support/descendants.ts";
import { ServerClient } from "../support/server-client.ts";

const example = fileURLToPath(new URL("../../examples/invoices", import.meta.url));
const secrets = {
  ANTHROPIC_API_KEY: "sk-test-not-a-key",
  ANTHROPIC_AUTH_TOKEN: "bearer-secret",
  AWS_SESSION_TOKEN: "cloud-secret",
  MY_TOKEN: "own-secret",
  NODE_OPTIONS: "--no-deprecation",
};

let folder: string;
let client: ServerClient;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-children-")));
  cpSync(example, folder, { recursive: true });
  client = new ServerClient({ isProgram: true, env: { ...secrets, LC_ALL: "C.UTF-8" } });
  await client.initialize([folder]);
});

afterEach(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.runIf(process.platform === "linux")("the processes that a server starts", () => {
  it("get the names of an allow-list, and no key, token or option of Node's", async () => {
    const seen = new Map<string, ReadonlySet<string>>();
    const isOver = new AbortController();
    const watching = watch(client.child.pid ?? 0, seen, isOver.signal);
    const tool = (name: string, args: Record<string, unknown>) =>
      client.request("agentq/callTool", { name, arguments: args });
    expect((await tool("macroexpand_form", { form: "Partial<{ a: 1 }>" })).content).toContain("a?: 1");
    expect((await tool("eval_form", { form: "1 + 1" })).content).toContain("2");
    expect((await tool("run_tests", { path: "test/money.test.ts" })).content).toContain("passed");
    isOver.abort();
    await watching;
    const programs = [...seen.keys()];
    expect(programs.some((program) => program.includes("tsc --lsp"))).toBe(true);
    const images = programs.filter((program) => program.includes("boot.cjs")).length;
    expect(images).toBeGreaterThan(0);
    // The test run: behind a wall as Node's own, else in an image.
    expect(images > 1 || programs.some((program) => program.includes("--test-reporter="))).toBe(true);
    const passed = new Set([...seen.values()].flatMap((names) => [...names]));
    expect([...passed].filter((name) => name in secrets)).toEqual([]);
    expect(passed).toContain("LC_ALL");
  });
});

/** Collects what every descendant has in its start environment, by command line, until the signal. */
async function watch(server: number, seen: Map<string, ReadonlySet<string>>, over: AbortSignal): Promise<void> {
  const own = commandOf(server);
  while (!over.aborted) {
    for (const pid of descendantsOf(server)) {
      const command = commandOf(pid);
      // Between fork and exec a child is still a copy of the server.
      if (command === undefined || command === own) continue;
      const names = readProcess(pid, "environ")
        ?.split("\0")
        .map((entry) => entry.split("=")[0] ?? "");
      if (names !== undefined) seen.set(command, new Set([...(seen.get(command) ?? []), ...names]));
    }
    await pause(2);
  }
}

function commandOf(pid: number): string | undefined {
  return readProcess(pid, "cmdline")?.replaceAll("\0", " ");
}
