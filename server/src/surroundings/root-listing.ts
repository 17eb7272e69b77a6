/** What is in a workspace folder: its folders with the number of their files, and its files. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { nameList, plainName } from "../workspace/plain-text.ts";
import { FILLED_FOLDERS } from "../workspace/file-names.ts";

export interface RootListing {
  /** The names of the folder's files. */
  readonly files: ReadonlySet<string>;
  readonly hasModules: boolean;
  /** Ends soon after the signal aborts, with the counts of that moment. */
  readonly line: (signal: AbortSignal) => Promise<string>;
}

/** Past this many a folder's files are not counted. */
const COUNTED = 1_000;
const FOLDERS_ROOM = 320;
const FILES_ROOM = 260;
const TELLING =
  /^(?:package\.json|tsconfig[\w.-]*\.json|readme|contributing|architecture|changelog|dockerfile|makefile)/i;

/** Rejects where the folder cannot be read. */
export async function listRoot(folder: string): Promise<RootListing> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries
    .filter((entry) => entry.isDirectory() && !FILLED_FOLDERS.has(entry.name))
    .map(({ name }) => name);
  const others = entries.filter((entry) => !entry.isDirectory());
  const files = new Set(others.filter((entry) => entry.isFile()).map(({ name }) => name));
  const shown = others.map((entry) => `${plainName(entry.name)}${entry.isSymbolicLink() ? " (link)" : ""}`);
  const hasModules = entries.some(({ name }) => name === "node_modules");
  const line = async (signal: AbortSignal): Promise<string> => {
    // Folders that tools keep for themselves come after those that people look for.
    const counted = byInterest(folders).map(
      async (name) => `${plainName(name)}/ ${await count(join(folder, name), signal)}`,
    );
    const parts = [
      ...(counted.length === 0 ? [] : [nameList(await Promise.all(counted), FOLDERS_ROOM)]),
      ...(shown.length === 0 ? [] : [nameList(byInterest(shown), FILES_ROOM)]),
    ];
    return parts.length === 0 ? "(empty)" : parts.join("; ");
  };
  return { files, hasModules, line };
}

function byInterest(names: readonly string[]): string[] {
  const rank = (name: string): number => (TELLING.test(name) ? 0 : name.startsWith(".") ? 2 : 1);
  return names.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** How many files are below; `120+` where not all were counted. Links are not followed. */
async function count(folder: string, signal: AbortSignal): Promise<string> {
  const waiting = [folder];
  let found = 0;
  let isAll = true;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (signal.aborted || found >= COUNTED) return `${Math.min(found, COUNTED)}+`;
    const entries = await readdir(next, { withFileTypes: true }).catch(() => undefined);
    if (entries === undefined) isAll = false;
    for (const entry of entries ?? []) {
      if (!entry.isDirectory()) found += 1;
      else if (!FILLED_FOLDERS.has(entry.name)) waiting.push(join(next, entry.name));
    }
  }
  return isAll && found <= COUNTED ? String(found) : `${Math.min(found, COUNTED)}+`;
}
