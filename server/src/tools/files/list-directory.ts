/** `list_directory`: what is in a folder, level by level. */
import { basename } from "node:path";
import { FileError } from "../../workspace/regular-file.ts";
import type { PathResolution } from "../../workspace/workspace-paths.ts";
import { didYouMean, filesNamedLike } from "../answers/near-miss.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer, type ToolContext } from "../tool.ts";
import { listFolder, type ListingPorts } from "./folder-listing.ts";
import { listingAnswer } from "./listing-text.ts";

export interface DirectoryPorts extends ListingPorts {
  readonly resolvePath: (path: string) => PathResolution;
  /** Absolute paths of the workspace folders. */
  readonly folders: () => readonly string[];
}

interface Wanted {
  /** Relative to the workspace folder, as it is shown. */
  readonly path: string;
  readonly absolute: string;
  readonly depth?: number | undefined;
  readonly cursor?: string | undefined;
}

const MAX_DEPTH = 20;

const input = {
  type: "object",
  properties: {
    path: { type: "string", description: "A folder; the workspace folder by default." },
    depth: { type: "integer", minimum: 1, maximum: MAX_DEPTH, description: "Levels; 1, or all of a small folder." },
    cursor: { type: "string", minLength: 1 },
  },
  additionalProperties: false,
} as const;

export function createListDirectory(ports: DirectoryPorts): Tool {
  return defineTool({
    name: "list_directory",
    description:
      "What stands in a folder, files of all kinds, and how many below each folder; what git ignores is only named.",
    categories: ["filesystem"],
    input,
    told: { path: { type: "string" }, depth: { type: "integer" } },
    run: (args, context) => listDirectory(ports, args, context),
  });
}

type Args = { readonly path?: string; readonly depth?: number; readonly cursor?: string };

async function listDirectory(ports: DirectoryPorts, args: Args, { signal }: ToolContext): Promise<ToolAnswer> {
  const { path = ".", depth, cursor } = args;
  const folders = ports.folders();
  if (folders.length > 1 && [".", "", "./"].includes(path.trim())) return listWorkspace(ports, folders, signal);
  const resolution = ports.resolvePath(path.trim() === "" ? "." : path);
  if (!resolution.ok) throw new ToolFailure(resolution.reason);
  const { relative, absolute } = resolution.path;
  return folderAnswer(ports, { path: relative, absolute, depth, cursor }, signal);
}

/** A `ToolFailure` for what is no folder, or may not be read. */
export async function folderAnswer(
  ports: ListingPorts,
  { path, absolute, depth, cursor }: Wanted,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  try {
    const listing = await listFolder(ports, absolute, depth, signal);
    return await listingAnswer(ports, path, listing, cursor);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const top = path === "" ? absolute : absolute.slice(0, -path.length - 1);
    const alike = error.trouble === "missing" ? await filesNamedLike(top, path, "folders") : [];
    throw new ToolFailure(`${path || "The workspace folder"} ${error.finding}.${didYouMean(alike)}`);
  }
}

/** A line for each folder: their names are what tells files of the same path apart. */
async function listWorkspace(
  ports: ListingPorts,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const parts: string[] = [];
  for (const absolute of folders) {
    const { content } = await folderAnswer(ports, { path: "", absolute, depth: 1 }, signal);
    parts.push(content.replace("./", `${basename(absolute)}/ (${absolute})`));
  }
  return { content: parts.join("\n\n") };
}
