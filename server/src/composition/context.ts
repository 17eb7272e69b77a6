/** The part of the composition that looks up what a person attaches to a prompt or mentions in it. */
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import type { ContextPorts, FoundPlace, Refused } from "../conversation/context/context-ports.ts";
import { pictureAt } from "../conversation/context/picture.ts";
import { errorText } from "../base/errors.ts";
import type { DecisionRecord } from "../tools/consent/decision-record.ts";
import type { ToolExecutor } from "../tools/run/executor.ts";
import type { TypeScriptService } from "../typescript/typescript-service.ts";
import type { Documents } from "../workspace/documents.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";

export interface ContextParts {
  readonly documents: Documents;
  readonly paths: WorkspacePaths;
  readonly typescript: () => Promise<TypeScriptService>;
  readonly tools: () => Promise<{ readonly executor: ToolExecutor }>;
  readonly decisions: Pick<DecisionRecord, "note">;
}

const LOOK_LIMIT_MS = 30_000;

export function contextPorts(parts: ContextParts): ContextPorts {
  const { documents, paths } = parts;
  return {
    readForContext: async (name) => {
      const resolution = resolved(parts, name);
      return resolution.ok ? readForContext(parts, resolution.path) : resolution;
    },
    readPicture: async (name) => {
      const resolution = resolved(parts, name);
      return resolution.ok ? pictureAt(resolution.path) : resolution;
    },
    look: async (name, args) => {
      const { executor } = await parts.tools();
      const call = { id: randomUUID(), name, arguments: args };
      return executor.execute(call, { caller: "person", signal: AbortSignal.timeout(LOOK_LIMIT_MS) });
    },
    placeAt: async (name) => {
      const resolution = paths.resolve(name);
      if (!resolution.ok) return resolution;
      const { absolute, uri, relative } = resolution.path;
      const place = (kind: FoundPlace["kind"]): FoundPlace => ({ kind, uri, path: relative });
      if (documents.get(uri) !== undefined) return place("file");
      const stats = await stat(absolute).catch(() => undefined);
      return stats && place(stats.isDirectory() ? "folder" : "file");
    },
    diff: () => diffOf(paths),
    isSymbol: async (address) => {
      const signal = AbortSignal.timeout(LOOK_LIMIT_MS);
      const names = await symbolNames(parts);
      // What cannot be looked up is told by whoever reads the symbol.
      return names.isKnown(address, signal).catch(() => true);
    },
  };
}

export async function symbolNames({ typescript }: Pick<ContextParts, "typescript">) {
  const [service, { createSymbolNames }] = await Promise.all([
    typescript(),
    import("../tools/introspection/symbol-names.ts"),
  ]);
  return createSymbolNames(service);
}

/** What nobody may read leaves an entry in the audit log. */
function resolved({ paths, decisions }: ContextParts, name: string) {
  const resolution = paths.resolve(name);
  if (!resolution.ok) {
    decisions.note("agentq/prompt", { uri: name }, { outcome: "denied", detail: resolution.reason });
  }
  return resolution;
}

type Place = Extract<ReturnType<WorkspacePaths["resolve"]>, { ok: true }>["path"];

async function readForContext({ documents }: ContextParts, { uri, relative }: Place) {
  try {
    const document = await documents.read(uri, relative);
    if (document === undefined) return { reason: `${relative} does not exist.` };
    const isOpen = documents.get(document.uri) !== undefined;
    const isUnsaved = isOpen && (await documents.readDisk(document.uri)) !== document.text;
    return { path: relative, text: document.text, isUnsaved };
  } catch (error) {
    return { reason: errorText(error) };
  }
}

async function diffOf(paths: WorkspacePaths): Promise<{ readonly text: string } | Refused> {
  const { describeDiff, gitDiff } = await import("../surroundings/git-diff.ts");
  const signal = AbortSignal.timeout(LOOK_LIMIT_MS);
  const folders = paths.folders();
  const texts = await Promise.all(
    folders.map(async (folder) => {
      const diff = await gitDiff(folder, (path) => paths.resolve(`${folder}/${path}`).ok, signal);
      if (diff === undefined) return undefined;
      return folders.length === 1 ? describeDiff(diff) : `In ${folder}:\n${describeDiff(diff)}`;
    }),
  );
  const known = texts.filter((text) => text !== undefined);
  if (known.length === 0)
    return { reason: "git does not answer here: the folder is in no repository, or has no commit." };
  return { text: known.join("\n\n") };
}
