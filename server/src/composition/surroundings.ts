/** The part of the composition that tells a conversation of the project around it. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { whyNotCommands } from "./sandbox.ts";
import { InstructionTrust, type InstructionMode } from "../conversation/instruction-trust.ts";
import type { SessionPorts } from "../conversation/session.ts";
import type { ServerSetup } from "../handlers/stdio-server.ts";
import type { Lazy } from "../base/lazy.ts";
import type { RequestParams } from "../protocol/methods.ts";
import type { Repl } from "../repl/repl.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { ProjectPorts } from "../surroundings/describe-project.ts";
import type { ActivePlace } from "../surroundings/where-the-person-is.ts";
import { WorkspaceTexts } from "../surroundings/workspace-texts.ts";
import type { Approvals } from "../tools/consent/approvals.ts";
import type { RememberedCalls } from "../tools/consent/remembered-calls.ts";
import type { Documents } from "../workspace/documents.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";

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
  readonly setup: Pick<ServerSetup, "settings">;
  readonly repl: Lazy<Repl>;
  /** Resolves when the engines are loaded, whose versions are told. */
  readonly sandbox: () => Promise<Pick<Sandbox, "wall" | "whyNot">>;
}

const BRANCH_LIMIT_MS = 200;
/** Whose files tell the agent what to do, and whether it may follow them. */
export function instructionPorts(
  parts: InstructionParts,
): Pick<SessionPorts, "trust" | "workspaceFolders" | "instructionsIn"> {
  const { paths, documents, approvals, remembered, mode } = parts;
  const texts = new WorkspaceTexts(documents, paths);
  return {
    trust: new InstructionTrust({
      mode,
      remembered,
      canAsk: () => approvals.canAsk(),
      put: (...asked) => approvals.put(...asked),
    }),
    workspaceFolders: () => paths.folders(),
    instructionsIn: async (folder) => {
      // A call may have touched a file without an ending, such as Makefile.
      const isFolder = await stat(folder).then(
        (stats) => stats.isDirectory(),
        () => false,
      );
      if (!isFolder) return [];
      const { instructionsIn } = await import("../surroundings/instruction-files.ts");
      return instructionsIn(folder, paths.relative(folder), texts.findInstructions);
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

export function surroundingsPorts(parts: SurroundingsParts): SurroundingsPorts {
  const { setup, paths, documents, repl, sandbox } = parts;
  const texts = new WorkspaceTexts(documents, paths);
  return {
    describeSurroundings: async (active) => {
      const [{ describeProject }, { firstMessage }, { commandSentence }, { compilerVersion }] = await Promise.all([
        import("../surroundings/describe-project.ts"),
        import("../surroundings/first-message.ts"),
        import("../sandbox/wall/told-wall.ts"),
        import("../typescript/compiler-version.ts"),
      ]);
      const [project, open] = await Promise.all([
        describeProject(paths.folders(), projectPorts(texts, parts)),
        texts.open(),
        repl().catch(() => undefined),
      ]);
      return firstMessage({
        today: new Date(),
        platform: `${process.platform} ${process.arch}`,
        project,
        typescriptVersion: compilerVersion,
        confinement: repl.peek()?.status().confinementDetail,
        commands: commandSentence(await whyNotCommands(setup, sandbox)),
        open,
        active,
      });
    },
    gitBranch: async () => {
      const [folder] = paths.folders();
      if (folder === undefined) return undefined;
      const { currentBranch } = await import("../surroundings/git-state.ts");
      return currentBranch(folder, AbortSignal.timeout(BRANCH_LIMIT_MS));
    },
    activePlace: (active) => {
      if (active === undefined) return undefined;
      const { uri, ...shown } = active;
      const resolution = paths.resolve(uri);
      return resolution.ok ? { path: resolution.path.relative, ...shown } : undefined;
    },
  };
}

function projectPorts(texts: WorkspaceTexts, { sandbox }: Pick<SurroundingsParts, "sandbox">): ProjectPorts {
  const read = async (path: string): Promise<string | undefined> => texts.read(path);
  return {
    readText: (folder, name) => read(join(folder, name)),
    testRunner: async (folder, signal) => {
      const { runnerOf, runsUnwalled } = await import("../repl/testing/test-files.ts");
      const name = await runnerOf(folder, read, signal).catch(() => undefined);
      if (name === undefined) return undefined;
      const isOurs = runsUnwalled(name) || (await (await sandbox()).wall()).kind === "walled";
      return { name: name === "script" ? "its script test" : name, isOurs };
    },
  };
}
