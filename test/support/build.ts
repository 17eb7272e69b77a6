/** Builds dist/ before the tests: the server, the editors and the demo run what users run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { prepareServer } from "../../scripts/bootstrap.mjs";

let state: string;

export function setup(): void {
  prepareServer(process.execPath);
  // What servers keep for a person is not kept in the tester's own folder.
  state = mkdtempSync(path.join(tmpdir(), "agentq-state-"));
  process.env["XDG_STATE_HOME"] = state;
}

export function teardown(): void {
  rmSync(state, { recursive: true, force: true });
}
