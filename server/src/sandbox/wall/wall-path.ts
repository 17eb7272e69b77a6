/** Where the programs are looked for that make a wall, apart from those that run behind the wall. */
import { searchFolders, SYSTEM_FOLDERS } from "../../process/search-path.ts";
import type { View } from "./view.ts";

type Variables = Readonly<Record<string, string>>;

export interface WallPath {
  /** For the programs that make the wall, inside and outside: in no folder that a walled program may have written to. */
  readonly env: Variables;
  /** Stands before the program and its arguments, which get the person's whole search path. */
  readonly before: readonly string[];
}

/** `projects` are folders of whose programs none makes the wall. */
export function wallPath(env: Variables, { mounts }: Pick<View, "mounts">, projects: readonly string[]): WallPath {
  const whole = env["PATH"] ?? "";
  const written = mounts.flatMap(({ kind, path }) => (kind === "write" ? [path] : []));
  const folders = new Set([...searchFolders(whole, [...written, ...projects]), ...SYSTEM_FOLDERS]);
  return { env: { ...env, PATH: [...folders].join(":") }, before: ["env", `PATH=${whole}`] };
}
