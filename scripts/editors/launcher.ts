import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes an executable shell script so that nobody ever sees it half written. */
export function writeLauncher(path: string, body: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `#!/bin/sh\n${body}`);
  chmodSync(temporary, 0o755);
  renameSync(temporary, path);
}

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
