/** What the searching tools need, and what the parameters that they share mean. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readGlobs } from "../../search/glob.ts";
import { placeOf, type Place } from "../../search/place.ts";
import { outermost } from "../../workspace/within.ts";
import { isAtOrBelow, type Reach } from "../../search/reach.ts";
import { RipgrepMissing } from "../../search/ripgrep.ts";
import type { SearchPorts } from "../../search/search-text.ts";
import type { PathResolution } from "../../workspace/workspace-paths.ts";
import { filesNamedLike } from "../answers/near-miss.ts";
import { ToolFailure } from "../tool.ts";

export interface SearchToolPorts extends SearchPorts {
  /** Absolute paths of the workspace folders. */
  readonly folders: () => readonly string[];
  readonly resolvePath: (path: string) => PathResolution;
}

export interface ReachArguments {
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
  readonly ignored?: boolean | undefined;
}

export const reachSchema = {
  path: { type: "string", minLength: 1, maxLength: 4_000, description: "Only in this file or folder." },
  ignored: { type: "boolean", description: "Also what .gitignore leaves out, and node_modules." },
} as const;

/** Throws a `ToolFailure` that says what is wrong with the arguments. */
export async function readReach(
  ports: SearchToolPorts,
  { path, glob, ignored = false }: ReachArguments,
): Promise<Reach> {
  const folders = outermost(ports.folders());
  if (folders.length === 0) throw new ToolFailure("No workspace folder is open.");
  const within = path === undefined ? undefined : await readPath(ports, folders, path);
  const reading = glob === undefined ? undefined : readGlobs(glob, (each) => withoutFolder(folders, each));
  if (reading?.ok === false) throw new ToolFailure(`The glob ${glob} cannot be used: ${reading.problem}.`);
  return { folders, within, glob: reading, ignored };
}

/** Runs a search and words the failures that the person or the model can mend. */
export async function searching<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RipgrepMissing) throw new ToolFailure(error.message);
    throw error;
  }
}

/** The path as other tools take it. */
export function shownPlace({
  folders,
  resolvePath,
}: Pick<SearchToolPorts, "folders" | "resolvePath">): (place: Place) => string {
  const outer = outermost(folders());
  return ({ folder, relative }) => {
    const absolute = join(outer[folder] ?? "", relative);
    const resolution = outer.length > 1 ? resolvePath(relative) : undefined;
    const isOther = resolution?.ok === true && resolution.path.absolute !== absolute;
    const name = isOther ? absolute : relative;
    // A name with a line break in it must not look like a line of the answer.
    return /\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
  };
}

async function readPath(ports: SearchToolPorts, folders: readonly string[], path: string): Promise<Place> {
  const resolution = ports.resolvePath(path);
  if (!resolution.ok) throw new ToolFailure(resolution.reason);
  const { absolute, relative } = resolution.path;
  const place = placeOf(folders, absolute);
  if (place === undefined) throw new ToolFailure(`${path} is in no workspace folder.`);
  const isThere = await stat(absolute).then(
    () => true,
    () => false,
  );
  const isBuffer = async (): Promise<boolean> =>
    (await ports.unsaved()).some((each) => each.folder === place.folder && isAtOrBelow(each.relative, place.relative));
  if (isThere || (await isBuffer())) return place;
  const alike = await filesNamedLike(folders[place.folder] ?? "", relative);
  throw new ToolFailure(
    `${relative} does not exist.${alike.length === 0 ? "" : ` Did you mean ${alike.join(" or ")}?`}`,
  );
}

/** Models write globs with the absolute path of the workspace in front. */
function withoutFolder(folders: readonly string[], glob: string): string {
  const folder = folders.find((each) => glob.startsWith(`${each}/`));
  return folder === undefined ? glob : glob.slice(folder.length);
}
