/** A folder of files, an editor with buffers over them, and the searching tools as a model asks them. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { rgPath } from "@vscode/ripgrep";
import { resultText } from "../../server/src/agent/result-text.ts";
import { changedDocuments } from "../../server/src/search/changed-documents.ts";
import { installedRipgrep } from "../../server/src/search/ripgrep.ts";
import { ToolExecutor } from "../../server/src/tools/run/executor.ts";
import { ToolRegistry } from "../../server/src/tools/run/registry.ts";
import { createSearchFiles } from "../../server/src/tools/search/search-files.ts";
import { createSearchText } from "../../server/src/tools/search/search-text.ts";
import type { SearchToolPorts } from "../../server/src/tools/search/search-ports.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { Documents } from "../../server/src/workspace/documents.ts";
import { WorkspacePaths } from "../../server/src/workspace/workspace-paths.ts";

export interface SearchWorkspace {
  /** Absolute path of the first folder. */
  readonly root: string;
  readonly folders: readonly string[];
  readonly write: (files: Readonly<Record<string, string | Buffer>>) => void;
  /** Opens a buffer of that text, or changes its text. */
  readonly type: (path: string, text: string) => void;
  readonly call: (name: string, args: Record<string, unknown>, signal?: AbortSignal) => Promise<ToolResult>;
  /** What a model reads. */
  readonly ask: (args: Record<string, unknown>) => Promise<string>;
  readonly askFiles: (args: Record<string, unknown>) => Promise<string>;
  readonly dispose: () => void;
}

export function openSearchWorkspace(
  files: Readonly<Record<string, string | Buffer>> = {},
  {
    folders: names = ["project"],
    ...ports
  }: Partial<Omit<SearchToolPorts, "folders">> & { readonly folders?: readonly string[] } = {},
): SearchWorkspace {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "agentq-search-")));
  const folders = names.map((name) => join(top, name));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const root = folders[0] ?? top;
  const documents = new Documents();
  const paths = new WorkspacePaths(folders);
  const registry = new ToolRegistry();
  const all: SearchToolPorts = {
    locate: installedRipgrep,
    unsaved: () => changedDocuments(documents, paths),
    folders: () => folders,
    resolvePath: (name) => paths.resolve(name),
    ...ports,
  };
  registry.register(createSearchText(all));
  registry.register(createSearchFiles(all));
  const bugs: unknown[] = [];
  const executor = new ToolExecutor({
    registry,
    askApproval: async () => ({ decision: "denied" }),
    audit: () => undefined,
    logBug: (error) => bugs.push(error),
  });
  const call: SearchWorkspace["call"] = async (name, args, signal = AbortSignal.timeout(60_000)) => {
    const result = await executor.execute({ id: "1", name, arguments: args }, { caller: "model", signal });
    if (bugs.length > 0) throw bugs[0];
    return result;
  };
  const read = async (result: ToolResult): Promise<string> => {
    const [shown] = await executor.upToDate([{ call: { id: "1", name: "" }, result }], async () => undefined);
    return shown === undefined ? "" : resultText(shown, new Set());
  };
  const write: SearchWorkspace["write"] = (texts) => {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  };
  write(files);
  let version = 0;
  return {
    root,
    folders,
    write,
    call,
    type: (path, text) => {
      const uri = pathToFileURL(join(root, path)).href;
      documents.open({ uri, languageId: "typescript", version: (version += 1), text });
    },
    ask: async (args) => read(await call("search_text", args)),
    askFiles: async (args) => read(await call("search_files", args)),
    dispose: () => rmSync(top, { recursive: true, force: true }),
  };
}

/** `path:line` of each line that plain ripgrep finds, sorted. */
export function plainRipgrep(folder: string, args: readonly string[]): string[] {
  const run = spawnSync(rgPath, ["--no-config", "-n", "--no-heading", "--null", ...args, "./"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  return run.stdout
    .split("\n")
    .flatMap((line) => {
      const [path, rest] = line.split("\0");
      return rest === undefined ? [] : [`${path?.replace(/^\.\//, "")}:${/^\d+/.exec(rest)?.[0] ?? ""}`];
    })
    .toSorted();
}

/** `path:line` of each line that the tool tells, over all pages, with the counts of the first page. */
export async function allFound(
  workspace: SearchWorkspace,
  args: Record<string, unknown>,
): Promise<{ readonly places: string[]; readonly lines: number; readonly files: number; readonly pages: number }> {
  const places: string[] = [];
  let [lines, files, pages] = [0, 0, 0];
  for (let cursor: string | undefined; ;) {
    const result = await workspace.call("search_text", { ...args, ...(cursor === undefined ? {} : { cursor }) });
    if (!result.success) throw new Error(result.error);
    const [head = "", ...rest] = result.content.split("\n");
    const counts = /^(\d+) lines? in (\d+) files?/.exec(head);
    if (pages === 0) [lines, files] = [Number(counts?.[1] ?? 0), Number(counts?.[2] ?? 0)];
    places.push(...placesIn(rest));
    pages += 1;
    cursor = result.metadata.nextCursor;
    if (cursor === undefined) return { places: places.toSorted(), lines, files, pages };
  }
}

function placesIn(lines: readonly string[]): string[] {
  let file = "";
  return lines.flatMap((line) => {
    const inFile = /^ {2}(\d+): ?/.exec(line);
    if (inFile !== null) return [`${file}:${inFile[1] ?? ""}`];
    if (/^Not shown: /.test(line)) return [];
    const single = /^(.+?):(\d+): /.exec(line);
    if (single !== null && !line.startsWith(" ")) return [`${single[1] ?? ""}:${single[2] ?? ""}`];
    file = line.replace(/ \(unsaved\)$/, "");
    return [];
  });
}
