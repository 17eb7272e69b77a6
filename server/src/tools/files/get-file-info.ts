/** `get_file_info`: size, state in the editor, in git and among the projects. */
import { isAbsolute, join } from "node:path";
import type { DocumentText } from "../../workspace/documents.ts";
import { FileError } from "../../workspace/regular-file.ts";
import type { WorkspacePath } from "../../workspace/workspace-paths.ts";
import { TypeScriptUnavailable } from "../../typescript/typescript-unavailable.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { didYouMean, filesNamedLike } from "../answers/near-miss.ts";
import { defineTool, ToolFailure, type Tool } from "../tool.ts";
import { factsOnDisk, gitState, isLink, openState } from "./file-facts.ts";
import { isCode, keptFiles } from "./kept-files.ts";
import type { DirectoryPorts } from "./list-directory.ts";
import { countText } from "./listing-text.ts";
import { shownName } from "./shown-name.ts";

export interface FileInfoPorts extends DirectoryPorts {
  readonly typescript: Pick<TypeScriptService, "query">;
  /** Undefined for a document that is not open. */
  readonly openDocument: (uri: string) => DocumentText | undefined;
}

/** For callers who know the name: a model reads the file, or asks git. */
export function createGetFileInfo(ports: FileInfoPorts): Tool {
  return defineTool({
    name: "get_file_info",
    description: "Size, lines, encoding, git, tsconfig and editor state of a file or folder.",
    categories: ["filesystem"],
    isOffered: false,
    input: {
      type: "object",
      properties: { path: { type: "string", minLength: 1 } },
      required: ["path"],
      additionalProperties: false,
    },
    run: async ({ path: named }, { signal }) => {
      const resolution = ports.resolvePath(named);
      if (!resolution.ok) throw new ToolFailure(resolution.reason);
      const { path } = resolution;
      try {
        return { content: await aboutFile(ports, path, named, signal) };
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        if (error.trouble !== "folder") throw new ToolFailure(error.message);
        const kept = await keptFiles(path.absolute, 1, signal);
        const ignored = kept.by === "ignored" ? ", ignored by git" : "";
        return { content: `${nameOf(path)}/: folder, ${countText(kept.below(""), kept.isComplete)}${ignored}` };
      }
    },
  });
}

async function aboutFile(
  ports: FileInfoPorts,
  path: WorkspacePath,
  named: string,
  signal: AbortSignal,
): Promise<string> {
  const { absolute, relative, uri } = path;
  const open = ports.openDocument(uri);
  const { size, unusual, diskText } = await factsOnDisk(absolute, nameOf(path));
  if (size === undefined && open === undefined) {
    const top = absolute.slice(0, -relative.length - 1);
    throw new ToolFailure(`${nameOf(path)} does not exist.${didYouMean(await filesNamedLike(top, relative))}`);
  }
  const link = isAbsolute(named) ? named : join(absolute.slice(0, -relative.length - 1), named);
  const [git, projects, isLinked] = await Promise.all([
    size === undefined ? undefined : gitState(absolute, signal),
    projectsOf(ports, absolute, signal),
    isLink(link),
  ]);
  const states = [...(git === undefined ? [] : [git]), ...(projects === undefined ? [] : [projects])];
  const lines = [
    `${isLinked ? `${shownName(named)} is a link to ` : ""}${nameOf(path)}: ${size ?? "not on disk"}`,
    unusual.join(", "),
    ...openState(open, diskText),
    states.join("; "),
  ];
  return lines.filter((line) => line !== "").join("\n");
}

async function projectsOf(
  { typescript }: FileInfoPorts,
  file: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!isCode(file)) return undefined;
  try {
    const names = await typescript.query(async ({ programs }) => {
      return programs.filter(({ files, configFile }) => configFile !== undefined && files.has(file));
    }, signal);
    return names.length === 0 ? "in no tsconfig" : `in ${names.map(({ name }) => name).join(", ")}`;
  } catch (error) {
    if (error instanceof TypeScriptUnavailable) return undefined;
    throw error;
  }
}

function nameOf({ relative }: WorkspacePath): string {
  return relative === "" ? "." : shownName(relative);
}
