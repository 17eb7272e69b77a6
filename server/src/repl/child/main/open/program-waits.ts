/**
 * Tells the control worker when the main thread waits for a program, as in `execSync`: the wait ends only when that
 * program ends.
 */
import { readdirSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { replaceFunction } from "../../shared/replace-function.ts";
import type { FromMain } from "../../wire/from-main.ts";

const processes = readdirSync;

export function tellProgramWaits(post: (message: FromMain) => void): void {
  // A confined process starts no programs, and may not see other processes.
  if (process.platform !== "linux" || process.permission !== undefined) return;
  const childProcess = process.getBuiltinModule("node:child_process");
  for (const name of ["spawnSync", "execSync", "execFileSync"]) {
    replaceFunction(childProcess, name, (original) => (self, args) => {
      post({ t: "awaits", before: processes("/proc") });
      try {
        return original(self, args);
      } finally {
        post({ t: "awaits", before: undefined });
      }
    });
  }
  syncBuiltinESMExports();
}
