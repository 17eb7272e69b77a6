/** What rules, and closed names, say of the paths that a call names or an edit changes. */
import { statSync } from "node:fs";
import { posix } from "node:path";
import type { ProposeRequest } from "../../proposals/proposal.ts";
import type { ToolCall } from "../../protocol/tool-shapes.ts";
import type { PathResolution, WorkspacePaths } from "../../workspace/workspace-paths.ts";
import { ToolFailure } from "../tool.ts";
import type { Policy } from "./policy.ts";
import { leavesOf, LONGEST_PATH, type NamedTool } from "./rules.ts";

/** Why the tools must not change one of the files. */
export function fileRules(
  policy: Policy,
  paths: WorkspacePaths,
): (tools: readonly NamedTool[], changed: readonly string[]) => string | undefined {
  return (tools, changed) => {
    const [denied] = tools.flatMap((tool) => policy.deniedFile(tool, changed) ?? []);
    if (denied !== undefined) return `${denied.path} must not change: ${denied.because}.`;
    const [some] = tools.flatMap((tool) => policy.deniesSome(tool) ?? []);
    const linked = some && changed.find((path) => isLinked(paths.resolve(path)));
    return linked && `${linked} must not change: the file has another name (a hard link), and ${some.because}.`;
  };
}

/** The failure of a proposal by these tools that a rule forbids. */
export function whyNotProposed(
  whyNotChanged: ReturnType<typeof fileRules>,
  tools: readonly NamedTool[],
  { documents }: Pick<ProposeRequest, "documents">,
): ToolFailure | undefined {
  const changed = documents.flatMap(({ path, movedTo }) => [path, ...(movedTo ? [movedTo.path] : [])]);
  const why = whyNotChanged(tools, changed);
  return why === undefined ? undefined : new ToolFailure(`NOT PROPOSED: ${why} Nothing happened.`);
}

function isLinked(resolution: PathResolution): boolean {
  const stats = resolution.ok ? statSync(resolution.path.absolute, { throwIfNoEntry: false }) : undefined;
  return stats?.isFile() === true && stats.nlink > 1;
}

/** The spellings by which a rule may know a path: as it is written, and where it leads. */
export function placesOf(paths: WorkspacePaths, text: string): string[] {
  const resolution = paths.resolve(text);
  const written = posix.normalize(text.replaceAll("\\", "/"));
  return resolution.ok ? [written, resolution.path.relative] : [written];
}

/** Arguments that are texts and name nothing. */
const TEXTS: ReadonlySet<string> = new Set(["modified", "original", "content", "old", "new", "form", "description"]);

/** Why nobody may read the first path in the arguments that leads where no tool goes; `src/a.ts#Outer` names a file too. */
export function whyClosed(paths: WorkspacePaths, args: ToolCall["arguments"]): string | undefined {
  for (const { name, value } of leavesOf(args)) {
    if (typeof value !== "string" || value.length > LONGEST_PATH || TEXTS.has(name)) continue;
    const [file = ""] = value.split("#");
    const resolution = /^\.|\//.test(file) ? paths.resolve(file) : undefined;
    if (resolution?.ok === false) return resolution.reason;
  }
  return undefined;
}
