/** Where a person's own state is kept: beside their other programs' state, never in a project. */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import path from "node:path";
import { realPathOf } from "../workspace/real-path.ts";
import type { Variables } from "../base/variables.ts";

export interface Machine {
  readonly platform: NodeJS.Platform;
  /** The person's home folder. */
  readonly home: string;
  readonly variables: Variables;
  /** Where a path leads, also one that does not exist yet. Contract: never throws. */
  readonly realPath: (path: string) => string;
}

/** `variables` are those of the environment. */
export function thisMachine(variables: Machine["variables"]): Machine {
  const realPath = (named: string): string => realPathOf(named)?.path ?? named;
  return { platform: process.platform, home: homedir(), variables, realPath };
}

/** `$XDG_STATE_HOME/agentq`, else the place that the platform has for such files. A relative variable is ignored. */
export function stateFolder({ platform, home, variables, realPath }: Machine): string {
  const own = variables["XDG_STATE_HOME"];
  const parent =
    own !== undefined && path.isAbsolute(own)
      ? own
      : PLACES[platform === "darwin" || platform === "win32" ? platform : "other"](home, variables);
  return realPath(path.join(parent, "agentq"));
}

const PLACES = {
  darwin: (home: string) => path.join(home, "Library", "Application Support"),
  win32: (home: string, variables: Machine["variables"]) =>
    variables["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local"),
  other: (home: string) => path.join(home, ".local", "state"),
};

/** The database of the workspace that consists of `folders`, in whatever order an editor names them. */
export function workspaceDatabase(state: string, folders: readonly string[]): string {
  const [first = "none"] = folders;
  const identity = createHash("sha256").update(JSON.stringify(folders.toSorted())).digest("hex").slice(0, 16);
  const shown = path
    .basename(first)
    .replaceAll(/[^\w.-]/g, "_")
    .slice(0, 40);
  return path.join(state, "workspaces", `${shown}-${identity}.sqlite`);
}
