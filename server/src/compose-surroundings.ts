/** The part of the composition that tells a conversation of the project around it. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { InstructionTrust, type InstructionMode } from "./conversation/instruction-trust.ts";
import type { SessionPorts } from "./conversation/sessions.ts";
import type { Lazy } from "./lazy.ts";
import type { RequestParams } from "./protocol/methods.ts";
import type { Repl } from "./repl/repl.ts";
import type { ProjectPorts } from "./surroundings/describe-project.ts";
import type { ActivePlace } from "./surroundings/where-the-person-is.ts";
import type { FindInstructions } from "./surroundings/instruction-files.ts";
import type { Approvals } from "./tools/approvals.ts";
import type { RememberedCalls } from "./tools/remembered-calls.ts";
import type { Documents } from "./workspace/documents.ts";
import { FileError } from "./workspace/regular-file.ts";
import type { WorkspacePaths } from "./workspace/workspace-paths.ts";

/** Contract: none of them rejects, and none takes much longer than a second once the tools are loaded. */
export interface SurroundingsPorts {
  /** The lines above a conversation's first prompt. */
  readonly describeSurroundings: (active: ActivePlace | undefined) => Promise<string>;
  /** Undefined where the first workspace folder is in no repository. */
  readonly gitBranch: () => Promise<string | undefined>;
  /** The place that a client named, as it is told; undefined outside of the workspace. */
  readonly activePlace: (active: RequestParams<"agentq/prompt">["active"]) => ActivePlace | undefined;
}

interface SurroundingsParts {
  readonly documents: Documents;
  readonly paths: WorkspacePaths;
  readonly repl: Pick<Lazy<Repl>, "peek">;
  /** Resolves when the engines are loaded, whose versions are told. */
  readonly tools: () => Promise<unknown>;
}

const BRANCH_LIMIT_MS = 200;
/** Whose files tell the agent what to do, and whether it may follow them. */
export function instructionPorts(
  parts: InstructionParts,
): Pick<SessionPorts, "trust" | "workspaceFolders" | "instructionsIn"> {
  const { paths, documents, approvals, remembered, mode } = parts;
  const find: FindInstructions = async (folder, name) => {
    const resolution = paths.resolve(join(folder, name));
    const path = paths.relative(folder) === "" ? name : `${paths.relative(folder)}/${name}`;
    if (!resolution.ok)
      return { absolute: join(folder, name), path, reason: "is not read: it leads to where no tool goes" };
    const { uri, absolute } = resolution.path;
    try {
      const document = await documents.read(uri);
      return document && { absolute, path, text: document.text, sha256: document.sha256 };
    } catch (error) {
      return { absolute, path, reason: error instanceof FileError ? error.finding : "cannot be read" };
    }
  };
  return {
    trust: new InstructionTrust({
      mode,
      remembered,
      canAsk: () => approvals.canAsk(),
      put: (...asked) => approvals.put(...asked),
    }),
    workspaceFolders: () => paths.folders(),
    instructionsIn: async (folder) => {
      const { instructionsIn } = await import("./surroundings/instruction-files.ts");
      return instructionsIn(folder, paths.relative(folder), find);
    },
  };
}

interface InstructionParts {
  readonly documents: Documents;
  readonly paths: WorkspacePaths;
  readonly approvals: Approvals;
  readonly remembered: RememberedCalls;
  readonly mode: InstructionMode;
}

/** Each is compared with its file. */
const COMPARED = 40;

export function surroundingsPorts(parts: SurroundingsParts): SurroundingsPorts {
  const { paths, repl } = parts;
  return {
    describeSurroundings: async (active) => {
      const [{ describeProject }, { firstMessage }, { compilerVersion }] = await Promise.all([
        import("./surroundings/describe-project.ts"),
        import("./surroundings/first-message.ts"),
        import("./typescript/compiler-version.ts"),
      ]);
      const [project, open] = await Promise.all([
        describeProject(paths.folders(), projectPorts(parts)),
        openDocuments(parts),
        parts.tools().catch(() => undefined),
      ]);
      return firstMessage({
        today: new Date(),
        platform: `${process.platform} ${process.arch}`,
        project,
        typescriptVersion: compilerVersion,
        confinement: repl.peek()?.status().confinementDetail,
        open,
        active,
      });
    },
    gitBranch: async () => {
      const [folder] = paths.folders();
      if (folder === undefined) return undefined;
      const { currentBranch } = await import("./surroundings/git-state.ts");
      return currentBranch(folder, AbortSignal.timeout(BRANCH_LIMIT_MS));
    },
    activePlace: (active) => {
      const resolution = active === undefined ? undefined : paths.resolve(active.uri);
      return resolution?.ok === true ? { path: resolution.path.relative, range: active?.range } : undefined;
    },
  };
}

function projectPorts({ documents, paths }: SurroundingsParts): ProjectPorts {
  const read = async (path: string): Promise<string | undefined> => {
    const resolution = paths.resolve(path);
    const document = resolution.ok ? await documents.read(resolution.path.uri).catch(() => undefined) : undefined;
    return document?.text;
  };
  return {
    readText: (folder, name) => read(join(folder, name)),
    testRunner: async (folder, signal) => {
      const { runnerOf } = await import("./repl/testing/test-files.ts");
      return runnerOf(folder, read, signal).catch(() => undefined);
    },
  };
}

/** The open documents of the workspace that a tool may read. */
async function openDocuments({ documents, paths }: SurroundingsParts): Promise<{ path: string; isUnsaved: boolean }[]> {
  const open = documents.all().flatMap(({ uri, text }) => {
    const resolution = uri.startsWith("file:") ? paths.resolve(fileURLToPath(uri)) : undefined;
    return resolution?.ok === true ? [{ uri, text, path: resolution.path.relative }] : [];
  });
  return Promise.all(
    open.slice(0, COMPARED).map(async ({ uri, text, path }) => ({
      path,
      isUnsaved: (await documents.readDisk(uri)) !== text,
    })),
  );
}
