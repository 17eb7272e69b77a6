/** A proposal as a patch that `git apply` takes. Pure: two texts a file, and the names of the files. */
import type { StructuredPatch } from "diff";
import { loadDiff } from "../texts/hunks.ts";

export interface PatchedFile {
  /** Relative to the workspace folder, with `/`. */
  readonly path: string;
  /** Null for a file that the patch creates. */
  readonly base: string | null;
  /** Null for a file that the patch deletes. */
  readonly target: string | null;
  /** The file's place after the patch, when the patch moves the file. */
  readonly movedTo?: string;
}

const DIFF_TIMEOUT_MS = 500;
const CONTEXT_LINES = 3;
/** The mode of a new file and of a deleted one; git ignores the latter's. */
const PLAIN_FILE = "100644";

/** Empty when no file changes. A text that is too large to be compared in time is replaced whole. */
export function gitPatch(files: readonly PatchedFile[]): string {
  const changed = files.filter(({ base, target, movedTo }) => base !== target || movedTo !== undefined);
  return changed.map((file) => loadDiff().formatPatch(patchOf(file))).join("");
}

function patchOf({ path, base, target, movedTo }: PatchedFile): StructuredPatch {
  const { structuredPatch } = loadDiff();
  const [from, to] = [`a/${path}`, `b/${movedTo ?? path}`];
  const [before, after] = [base ?? "", target ?? ""];
  const headers = [undefined, undefined] as const;
  const patch =
    structuredPatch(from, to, before, after, ...headers, { context: CONTEXT_LINES, timeout: DIFF_TIMEOUT_MS }) ??
    replaced(structuredPatch(from, to, before, "", ...headers), structuredPatch(from, to, "", after, ...headers));
  return {
    ...patch,
    isGit: true,
    ...(movedTo === undefined ? {} : { isRename: true }),
    ...(base === null ? { isCreate: true, newMode: PLAIN_FILE, oldFileName: "/dev/null" } : {}),
    ...(target === null ? { isDelete: true, oldMode: PLAIN_FILE, newFileName: "/dev/null" } : {}),
  };
}

/** All of the one text gone, all of the other one in its place. */
function replaced(removal: StructuredPatch, addition: StructuredPatch): StructuredPatch {
  const [gone] = removal.hunks;
  const [come] = addition.hunks;
  if (gone === undefined || come === undefined) return gone === undefined ? addition : removal;
  const lines = [...gone.lines, ...come.lines];
  return { ...removal, hunks: [{ ...gone, newStart: come.newStart, newLines: come.newLines, lines }] };
}
