/** The part of the composition that builds the tools: the server's own, and those that the settings name. */
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { composeMcp, type ComposedMcp, type McpParts } from "./mcp.ts";
import { composeCommands, composeTestRooms } from "./sandbox.ts";
import { composeTestRunner, composeTrial } from "./repl.ts";
import { given } from "../base/given.ts";
import type { Delegations } from "../conversation/delegate.ts";
import type { Sessions } from "../conversation/sessions.ts";
import type { ClientPort } from "../services.ts";
import type { ServerSetup } from "../handlers/stdio-server.ts";
import type { TurnBaselines } from "../tools/introspection/turn-baselines.ts";
import type { ProposalTestPorts, ProposalTests } from "../tools/edit/proposal-tests.ts";
import type { ProposalStore } from "../proposals/proposal-store.ts";
import type { ProposeRequest } from "../proposals/proposal.ts";
import type { Programs } from "../repl/attached/programs.ts";
import type { Repl } from "../repl/repl.ts";
import type { ToolPorts } from "../tools/all-tools.ts";
import type { Approvals } from "../tools/consent/approvals.ts";
import type { AuditLog } from "../tools/consent/audit-log.ts";
import type { Changes } from "../tools/run/changes.ts";
import type { ToolExecutor } from "../tools/run/executor.ts";
import type { ToolMetricsHook } from "../tools/run/metrics.ts";
import type { OwnToolPorts } from "../tools/own/own-tools.ts";
import type { Policy } from "../tools/policy/policy.ts";
import { fileRules, placesOf, whyClosed } from "../tools/policy/paths-of-rules.ts";
import type { NamedTool } from "../tools/policy/rules.ts";
import type { ToolRegistry } from "../tools/run/registry.ts";
import type { BackgroundCommand } from "../protocol/status.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { SearchToolPorts } from "../tools/search/search-ports.ts";
import type { LateTelemetry } from "../telemetry/late-telemetry.ts";
import type { TypeScriptService } from "../typescript/typescript-service.ts";
import type { Documents } from "../workspace/documents.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";

export interface ComposedTools extends ComposedMcp {
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly tests: ProposalTests;
  readonly baselines: TurnBaselines;
  /** Brings the tools that the settings name up to date. Never rejects. */
  readonly refreshOwn: () => Promise<void>;
  readonly metrics: ToolMetricsHook;
  readonly policy: Policy;
  /** Commands that run in the background now; undefined for none. */
  readonly inBackground: () => readonly BackgroundCommand[] | undefined;
  readonly dispose: () => Promise<void>;
}

export interface ToolParts extends Pick<McpParts, "mcpPlans" | "version"> {
  /** Called when a command in the background begins or ends. */
  readonly onChange: () => void;
  readonly setup: ServerSetup;
  readonly client: ClientPort;
  readonly documents: Documents;
  readonly paths: WorkspacePaths;
  readonly audit: AuditLog;
  readonly approvals: Approvals;
  readonly changes: Changes;
  readonly proposals: ProposalStore;
  readonly sessions: Sessions;
  readonly delegations: Pick<Delegations, "delegate">;
  readonly typescript: () => Promise<TypeScriptService>;
  /** The REPL before anybody knows what holds it, and after. */
  readonly early: () => Promise<Repl>;
  readonly repl: () => Promise<Repl>;
  readonly programs: () => Promise<Programs>;
  readonly sandbox: () => Promise<Sandbox>;
  readonly telemetry: LateTelemetry;
  /** Resolves when the audit log is where it belongs. */
  readonly storage: () => Promise<unknown>;
  readonly logBug: (error: unknown) => void;
}

/** What a call is that only tries edits, for rules about edits. */
const EDITING: NamedTool = { name: "try_edit", categories: ["edit"] };

/** Everything that the model and the person may call. */
export async function composeTools(parts: ToolParts): Promise<ComposedTools> {
  const { client, paths } = parts;
  const service = await parts.typescript();
  // The compiler first: while it loads the projects, this process reads the rest of itself from disk.
  await service.busyLoading();
  const [{ ToolRegistry }, { ToolExecutor }, { ToolMetricsHook }, repl, programs] = await Promise.all([
    import("../tools/run/registry.ts"),
    import("../tools/run/executor.ts"),
    import("../tools/run/metrics.ts"),
    parts.early(),
    parts.programs(),
    Promise.all([parts.storage(), parts.telemetry.load()]),
  ]);
  const [{ createTools }, { TurnBaselines }, { replSafety }, { Policy }, { ToolFailure }] = await Promise.all([
    import("../tools/all-tools.ts"),
    import("../tools/introspection/turn-baselines.ts"),
    import("../tools/execution/execution-safety.ts"),
    import("../tools/policy/policy.ts"),
    import("../tools/tool.ts"),
  ]);
  const policy = new Policy(parts.setup.settings.policy, (text) => placesOf(paths, text));
  const metrics = new ToolMetricsHook();
  const offersAll = parts.setup.settings.offeredTools === "all";
  const registry = new ToolRegistry({ offersAll, settled: () => whatHolds(parts) });
  const showUri = (uri: string): string => (uri.startsWith("file:") ? paths.relative(fileURLToPath(uri)) : uri);
  const files = filePorts(parts, showUri);
  const whyNotChanged = fileRules(policy, paths);
  const baselines = new TurnBaselines(service);
  const runner = composeTestRunner(parts, repl, () => composeTestRooms(parts));
  const commands = await composeCommands(parts);
  const tests = await proposalTests(parts, { typescript: service, runner, ...files, showUri });
  const created = createTools({
    typescript: service,
    repl,
    programs,
    runTests: runner.run,
    delegate: parts.delegations.delegate,
    commands,
    baselines,
    evaluateWith: composeTrial(parts, repl),
    files,
    buffers: bufferPorts(parts),
    search: await searchPorts(parts),
    mayShow: (path) => paths.mayShow(path),
    showUri,
    proposals: proposalPorts(
      parts,
      { ...files, tests, whyNotChanged: (path) => whyNotChanged([EDITING], [path]) },
      (request) => {
        const changed = request.documents.flatMap(({ path, movedTo }) => [path, ...(movedTo ? [movedTo.path] : [])]);
        const why = whyNotChanged(executor.runningTools(request.toolCallId), changed);
        return why === undefined ? undefined : new ToolFailure(`NOT PROPOSED: ${why} Nothing happened.`);
      },
    ),
  });
  registry.registerAll(created);
  const mcp = await composeMcp(parts, registry);
  const refreshOwn = await ownTools(parts.setup.settings.tools, {
    typescript: service,
    registry,
    repl,
    safety: replSafety(repl),
    ...files,
    showUri,
    warn: (message) => client.warn(message),
  });
  const executor: ToolExecutor = new ToolExecutor({
    registry,
    policy,
    hooks: [metrics, ...parts.telemetry.hooks()],
    changes: parts.changes,
    refresh: refreshOwn,
    ...given({ offered: mcp.offered }),
    whyClosed: (args) => whyClosed(paths, args),
    askApproval: (...asked) => parts.approvals.ask(...asked),
    audit: (entry) => noteCall(parts, entry),
    logBug: parts.logBug,
  });
  // Tools of the person's own and of MCP servers can be named by a rule too.
  const rules = Promise.all([refreshOwn(), mcp.offered?.(undefined)]);
  rules.then(() => policy.problems(registry.getTools()).forEach((problem) => client.warn(problem)), parts.logBug);
  const [{ inBackground }, dispose] = [commands, () => end(commands, mcp)] as const;
  return { registry, executor, refreshOwn, metrics, policy, tests, baselines, inBackground, ...mcp, dispose };
}

/** Settles when it is known what holds evaluations, tests and commands. */
function whatHolds({ repl, sandbox }: ToolParts): Promise<unknown> {
  return Promise.all([repl(), sandbox().then((walls) => walls.wall())]);
}

async function end(commands: { readonly dispose: () => Promise<unknown> }, { endMcp }: ComposedMcp): Promise<void> {
  await Promise.all([commands.dispose(), endMcp?.()]);
}

/** The program itself is looked for at the first search. */
async function searchPorts({ documents, paths }: ToolParts): Promise<SearchToolPorts> {
  const [{ installedRipgrep }, { changedDocuments }] = await Promise.all([
    import("../search/ripgrep.ts"),
    import("../search/changed-documents.ts"),
  ]);
  return {
    locate: installedRipgrep,
    unsaved: () => changedDocuments(documents, paths),
    folders: () => paths.folders(),
    resolvePath: (name) => paths.resolve(name),
  };
}

function filePorts({ documents, paths }: ToolParts, showUri: ToolPorts["showUri"]): ToolPorts["files"] {
  return {
    resolvePath: (name) => paths.resolve(name),
    readDocument: (uri) => documents.read(uri, showUri(uri)),
    show: (absolute) => paths.relative(absolute),
    folders: () => paths.folders(),
    openDocument: (uri) => documents.readOpen(uri),
    isUnsaved: async (uri) => {
      const open = documents.get(uri);
      return open !== undefined && open.text !== (await documents.readDisk(uri));
    },
    openUris: () => documents.all().map(({ uri }) => uri),
  };
}

function bufferPorts({ client, paths, documents }: ToolParts): ToolPorts["buffers"] {
  return {
    ...client.buffers,
    resolvePath: (name) => paths.resolve(name),
    isFile: ({ absolute, uri }) =>
      documents.get(uri) !== undefined || statSync(absolute, { throwIfNoEntry: false })?.isFile() === true,
    unavailable: () =>
      client.announced().buffers
        ? undefined
        : "This editor did not announce that it tells of its buffers (capabilities.experimental.agentq.buffers).",
  };
}

function noteCall({ audit, client }: ToolParts, entry: Parameters<AuditLog["record"]>[0]): void {
  audit.record(entry);
  const { tool, safety = "no such tool", outcome } = entry;
  if (outcome === "running") return;
  const detail = outcome === "run" && entry.detail !== undefined ? `, ${entry.detail}` : "";
  client.log("log", `${tool} (${safety}): ${outcome}${detail}`);
}

async function proposalTests(
  { proposals, setup }: ToolParts,
  ports: Omit<ProposalTestPorts, "subset" | "runsUnasked">,
): Promise<ProposalTests> {
  const { ProposalTests } = await import("../tools/edit/proposal-tests.ts");
  return new ProposalTests({
    ...ports,
    subset: async (proposalId, hunks) => proposals.review(proposalId).subset(hunks),
    runsUnasked: setup.settings.proposals.tests === "related",
  });
}

/** `whyNot` is the failure of a proposal that a rule forbids. */
function proposalPorts(
  { client, proposals, sessions }: ToolParts,
  files: Pick<ToolPorts["proposals"], "resolvePath" | "readDocument" | "tests" | "whyNotChanged">,
  whyNot: (request: ProposeRequest) => Error | undefined,
): ToolPorts["proposals"] {
  return {
    ...files,
    propose: async (request, signal) => {
      const failure = whyNot(request);
      if (failure !== undefined) throw failure;
      const asked = { ...request, ...given({ turn: sessions.turnOf(request.sessionId) }) };
      return client.editsAs === "patch" ? proposals.proposeAsPatch(asked, signal) : proposals.propose(asked, signal);
    },
    unavailable: () =>
      client.announced().proposals || client.editsAs === "patch"
        ? undefined
        : "This editor did not announce that it shows proposals (capabilities.experimental.agentq.proposals), so no edit can be reviewed.",
    onStopRequested: ({ sessionId }) => {
      if (sessionId !== undefined) sessions.requestStop(sessionId);
    },
  };
}

/** What reads the functions is loaded only where the settings name some. */
async function ownTools(addresses: readonly string[], ports: OwnToolPorts): Promise<() => Promise<void>> {
  if (addresses.length === 0) return async () => undefined;
  const { OwnTools } = await import("../tools/own/own-tools.ts");
  const own = new OwnTools(addresses, ports);
  return () => own.refresh();
}
