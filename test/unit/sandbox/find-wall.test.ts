import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findWall } from "../../../server/src/sandbox/find-wall.ts";
import { Sandbox } from "../../../server/src/sandbox/sandbox.ts";
import { describeWalled } from "../../support/wall.ts";

it.each([
  ["win32", "this is win32.", "in WSL 2"],
  ["darwin", "this is darwin.", "in a Linux container or virtual machine"],
] as const)("says that %s has no wall, and where there is one", async (platform, reason, remedy) => {
  expect(await findWall({ env: {}, folder: tmpdir(), platform })).toEqual({
    kind: "none",
    reason: expect.stringContaining(reason) as string,
    remedy: expect.stringContaining(remedy) as string,
  });
});

it("finds no wall where a program of the set-up fails, and says which part could not be made", async () => {
  // Not in the temporary folder, which programs behind a wall may write to.
  const folder = mkdtempSync("/var/tmp/agentq-programs-");
  for (const name of ["pivot_root", "bwrap"]) {
    writeFileSync(join(folder, name), "#!/bin/sh\nexit 1\n");
    chmodSync(join(folder, name), 0o755);
  }
  const env = { PATH: [folder, process.env["PATH"] ?? ""].join(":") };
  const found = await findWall({ env, folder: tmpdir(), only: "namespaces" });
  expect(found).toMatchObject({ kind: "none", reason: expect.stringContaining("its root") as string });
  expect(await findWall({ env, folder: tmpdir() })).toMatchObject({ kind: "none" });
  rmSync(folder, { recursive: true });
});

describeWalled("a folder on PATH", () => {
  it("is not taken for the program of the same name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "agentq-programs-"));
    mkdirSync(join(folder, "bwrap"));
    const env = { PATH: [folder, process.env["PATH"] ?? ""].join(":") };
    expect(await findWall({ env, folder: tmpdir() })).toMatchObject({ kind: "walled" });
    rmSync(folder, { recursive: true });
  });
});

it("looks for no wall where the person wants none", async () => {
  const unwanted = "The setting says so.";
  const sandbox = new Sandbox({
    folders: () => [],
    env: {},
    unwanted,
    listFiles: async () => ({ files: [], unread: [] }),
  });
  expect(sandbox.whyNot()).toBe(unwanted);
  expect(await sandbox.wall()).toEqual({ kind: "none", reason: unwanted });
  expect(await sandbox.findWhyNot()).toBe(unwanted);
});
