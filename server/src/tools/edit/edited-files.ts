/** Which files a call proposes to change, read from its arguments as the model sent them. */
import type { PathResolution } from "../../workspace/workspace-paths.ts";
import type { Op } from "../edit-schema.ts";

/** Edits of the text at their path, and of nothing else. */
const OF_ONE_TEXT: ReadonlySet<unknown> = new Set<Op>([
  "replace",
  "replace_all",
  "insert_before",
  "insert_after",
  "insert_at_start",
  "insert_at_end",
  "write",
  "create",
]);

/** Absolute paths; undefined where an edit may reach further than its path says, or cannot be made. */
export function editedFiles(
  edits: unknown,
  resolvePath: (path: string) => PathResolution,
): readonly string[] | undefined {
  if (!Array.isArray(edits)) return undefined;
  const files: string[] = [];
  for (const edit of edits as readonly unknown[]) {
    const { op, path, symbol, to } = (typeof edit === "object" && edit !== null ? edit : {}) as Readonly<
      Record<string, unknown>
    >;
    const isOfOneText = OF_ONE_TEXT.has(op) || (op === undefined && symbol === undefined && to === undefined);
    const place = isOfOneText && typeof path === "string" ? resolvePath(path) : undefined;
    if (place?.ok !== true) return undefined;
    files.push(place.path.absolute);
  }
  return files;
}
