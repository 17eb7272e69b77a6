/**
 * The name of another server's tool in the registry: `mcp__files__read_file`. No tool of ours has two underscores in a row,
 * and no server's name has, so that two tools never share a name. A name that the model's API would refuse is changed, and
 * ends in six digits of the hash of what it was.
 */
import { createHash } from "node:crypto";

/** What the API takes at most. */
const LONGEST = 64;
const LONGEST_SERVER = 24;

/** The category of all tools of a server, for rules: `mcp__files`. */
export function serverCategory(server: string): string {
  return `mcp__${serverWord(server)}`;
}

export function toolName(server: string, tool: string): string {
  const start = `${serverCategory(server)}__`;
  return start + word(tool, tool.replace(/[^A-Za-z0-9_-]+/g, "_") || "_", LONGEST - start.length);
}

function serverWord(server: string): string {
  const plain = server.replace(/[^A-Za-z0-9-]+/g, "_").replace(/^_+|_+$/g, "") || "server";
  return word(server, plain, LONGEST_SERVER);
}

function word(original: string, changed: string, longest: number): string {
  if (changed === original && changed.length <= longest) return changed;
  const hash = createHash("sha256").update(original).digest("hex").slice(0, 6);
  return `${changed.slice(0, longest - hash.length - 1).replace(/_+$/, "")}_${hash}`;
}
