/** A folder on the disk, and the listing tools over it, for tests; as a program it lists the folder of its argument. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import { createListDirectory, type DirectoryPorts } from "../../server/src/tools/files/list-directory.ts";
import type { Tool, ToolAnswer } from "../../server/src/tools/tool.ts";
import { Documents } from "../../server/src/workspace/documents.ts";
import { WorkspacePaths } from "../../server/src/workspace/workspace-paths.ts";
import { aliasOf } from "../support/alias-of.ts";

export interface ListedFolder {
  readonly root: string;
  readonly documents: Documents;
  readonly ports: DirectoryPorts;
  readonly write: (path: string, text?: string) => void;
  readonly git: (...args: readonly string[]) => void;
  readonly answer: (args?: object, tool?: Tool) => Promise<ToolAnswer>;
  readonly list: (args?: object) => Promise<string>;
  readonly tree: (args?: object) => Promise<string>;
  readonly dispose: () => void;
}

export function listedFolder(): ListedFolder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-listing-")));
  const documents = new Documents();
  const ports = portsOf([root], documents);
  const answer: ListedFolder["answer"] = async (args = {}, tool = createListDirectory(ports)) => {
    const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
    return Promise.resolve(tool.run(args as never, context)).then(
      (given) => given as ToolAnswer,
      (error: Error) => ({ content: `FAILED: ${error.message}` }),
    );
  };
  return {
    root,
    documents,
    ports,
    answer,
    list: async (args) => withoutMargin((await answer(args)).content),
    tree: async (args) =>
      withoutMargin((await answer(args, aliasOf("directory_tree", createListDirectory(ports)))).content),
    write: (path, text = "") => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    git: (...args) => void execFileSync("git", args, { cwd: root, stdio: "ignore" }),
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Every row of a listing is indented, so that no name stands where the server's own words begin. */
function withoutMargin(listing: string): string {
  return listing.replace(/^ {2}/gm, "");
}

export function portsOf(folders: readonly string[], documents: Documents): DirectoryPorts {
  const paths = new WorkspacePaths(folders);
  return {
    resolvePath: (path) => paths.resolve(path),
    show: (absolute) => paths.relative(absolute),
    folders: () => paths.folders(),
    openUris: () => documents.all().map(({ uri }) => uri),
  };
}
