/**
 * The image may read in some folders that it cannot list by their own name, because they hold something that is kept
 * from the image. They are listed by an alias: every function of `node:fs` that looks at a folder itself takes the
 * alias.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

type Look = (path: unknown, ...rest: unknown[]) => unknown;

/**
 * The functions that look at a folder, and the functions called in their place. An alias is a link, so `lstat` must
 * follow it.
 */
const LOOKS = { stat: "stat", lstat: "stat", access: "access", opendir: "opendir", exists: "exists" } as const;

const later = setImmediate;

export function listFolders(aliases: Readonly<Record<string, string>>): void {
  if (Object.keys(aliases).length === 0) return;
  const aliasOf = (path: unknown): string | undefined => {
    const text = path instanceof URL ? fileURLToPath(path) : Buffer.isBuffer(path) ? path.toString() : path;
    return typeof text === "string" ? aliases[resolve(text)] : undefined;
  };
  const originals = new Map<string, Look>();
  const owners = { callback: fs, promises: fs.promises } as unknown as Record<string, Record<string, Look | undefined>>;
  const replace = (owner: Record<string, Look | undefined>, name: string, look: Look): void => {
    const original = owner[name];
    if (original === undefined) return;
    const value: Look = (path, ...rest) => {
      const alias = aliasOf(path);
      return alias === undefined ? original(path, ...rest) : look(alias, path, ...rest);
    };
    Object.defineProperty(value, "name", { value: name });
    owner[name] = value;
  };
  for (const [kind, owner] of Object.entries(owners)) {
    for (const name of Object.keys(owner)) {
      const original = owner[name];
      if (typeof original === "function") originals.set(`${kind}.${name}`, original);
    }
    for (const [name, follows] of Object.entries(LOOKS)) {
      for (const suffix of kind === "callback" ? ["", "Sync"] : [""]) {
        const look = originals.get(`${kind}.${follows}${suffix}`);
        if (look !== undefined) replace(owner, name + suffix, (alias, _path, ...rest) => look(alias, ...rest));
      }
    }
  }
  replace(process as unknown as Record<string, Look | undefined>, "chdir", (alias) => process.chdir(String(alias)));

  const { readdirSync } = fs;
  const list = (alias: unknown, path: unknown, options?: unknown): unknown[] => {
    const folder = resolve(String(path instanceof URL ? fileURLToPath(path) : path));
    const wanted = (typeof options === "string" ? { encoding: options } : (options ?? {})) as Record<string, unknown>;
    const entries = readdirSync(String(alias), { ...wanted, recursive: false } as object) as unknown as unknown[];
    const named = entries.map((entry) => withParent(entry, folder));
    if (wanted["recursive"] !== true) return named;
    const deeper = readdirSync(String(alias), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => {
        const below = insideOf(join(folder, name), wanted);
        return below.map((entry) => (typeof entry === "string" ? join(name, entry) : entry));
      });
    return [...named, ...deeper];
  };
  /** A folder that is kept from the image gives no entries. */
  const insideOf = (folder: string, wanted: object): unknown[] => {
    try {
      return fs.readdirSync(folder, wanted);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_ACCESS_DENIED") return [];
      throw error;
    }
  };
  replace(owners["callback"] ?? {}, "readdirSync", list);
  replace(owners["promises"] ?? {}, "readdir", async (...args) => list(args[0], args[1], args[2]));
  replace(owners["callback"] ?? {}, "readdir", (alias, path, ...rest) => {
    const done = rest.at(-1) as (error: unknown, entries?: unknown) => void;
    const options = rest.length > 1 ? rest[0] : undefined;
    let answer: readonly [unknown, unknown?];
    try {
      answer = [null, list(alias, path, options)];
    } catch (error) {
      answer = [error];
    }
    later(() => done(...answer));
  });
  syncBuiltinESMExports();
}

function withParent(entry: unknown, folder: string): unknown {
  if (typeof entry === "object" && entry !== null && "parentPath" in entry)
    Object.assign(entry, { parentPath: folder });
  return entry;
}
