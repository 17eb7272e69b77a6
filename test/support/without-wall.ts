/** A machine on which no program can be walled in. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll } from "vitest";

/** A search path on which bubblewrap is found first, and makes no wall, after so many seconds. Called where tests are described. */
export function pathWithoutWall(seconds = 0): string {
  const programs = realpathSync(mkdtempSync(join(tmpdir(), "agentq-programs-")));
  writeFileSync(join(programs, "bwrap"), `#!/bin/sh\nsleep ${seconds}\necho no wall today >&2\nexit 1\n`, {
    mode: 0o755,
  });
  afterAll(() => rmSync(programs, { recursive: true, force: true }));
  return [programs, process.env["PATH"] ?? ""].join(delimiter);
}
