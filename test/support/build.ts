/** Builds dist/ before the tests: the server, the editors and the demo run what users run. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { prepareServer } from "../../scripts/bootstrap.mjs";

/** What tests write, and nothing that was there before: `each-file.ts` gives each worker a folder of its own in it. */
let folder: string;
/** A folder among the machine's own programs, for a test that makes it. */
let opt: string;

export function setup(): void {
  prepareServer(process.execPath);
  // A short name: sockets lie below, and their paths may have 107 characters.
  folder = mkdtempSync(path.join(tmpdir(), "aq-"));
  process.env["TMPDIR"] = folder;
  opt = process.env["AGENTQ_TEST_OPT"] = path.join("/opt", `agentq-test-${path.basename(folder)}`);
  // What servers keep for a person is not kept in the tester's own folder.
  process.env["XDG_STATE_HOME"] = path.join(folder, "state");
  // Nor do they read what a tester has there: skills, settings of git and of editors.
  process.env["HOME"] = path.join(folder, "home");
  mkdirSync(process.env["HOME"]);
  // Each start reads there what an earlier one compiled: a cold start is dear.
  process.env["XDG_CACHE_HOME"] = path.join(folder, "cache");
}

export function teardown(): void {
  for (const own of [folder, opt]) rmSync(own, { recursive: true, force: true });
}
