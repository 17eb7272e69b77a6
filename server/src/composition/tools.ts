/** The part of the composition that builds the tools: the server's own, and those that the settings name. */
import { fileURLToPath } from "node:url";
import type { Parts, Tools } from "./parts.ts";
import { composeSkills } from "./prompts.ts";
import { composeTests } from "./repl.ts";
import { composeCommands } from "./sandbox.ts";
import { given } from "../base/given.ts";
import type { ProposalTestPorts, ProposalTests } from "../tools/edit/proposal-tests.ts";
import type { ProposeRequest } from "../proposals/proposal.ts";
import type { ToolPorts } from "../tools/all-tools.ts";
import { noting } from "../tools/consent/audit-log.ts";
import type { McpServers } from "../tools/mcp/mcp-servers.ts";
import type { ToolRegistry } from "../tools/run/registry.ts";
import type { ToolExecutor } from "../tools/run/executor.ts";
import type { OwnToolPorts, OwnTools } from "../tools/own/own-tools.ts";
import type { SearchToolPorts } from "../tools/search/search-ports.ts";
import { statsOf } from "../workspace/file-names.ts";

type ToolParts = Omit<Parts, "tools" | "namer" | "texts">;

/** What a call is that only tries edits, for rules about edits. */
const EDITING = { name: "try_edit", categories: ["edit"] } as const;

/** Everything that the model and the person may call. */
export async function composeTools(parts: ToolParts): Promise<Tools> {
  const { client, paths, setup, telemetry, logBug } = parts;
  const { settings } = setup;
  const typescript = await parts.typescript();
  // The compiler first: while it loads the projects, this process reads the rest of itself from disk.
  await typescript.busyLoading();
  const [{ ToolRegistry }, { ToolExecutor }, { ToolMetricsHook }, repl, programs] = await Promise.all([
    import("../tools/run/registry.ts"),
    import("../tools/run/executor.ts"),
    import("../tools/run/metrics.ts"),
    parts.early(),
    parts.programs(),
    Promise.all([parts.storage(), telemetry.load()]),
  ]);
  const [{ createTools }, { TurnBaselines }, { replSafety }, { Policy }, rules] = await Promise.all([
    import("../tools/all-tools.ts"),
    import("../tools/introspection/turn-baselines.ts"),
    import("../tools/execution/execution-safety.ts"),
    import("../tools/policy/policy.ts"),
    import("../tools/policy/paths-of-rules.ts"),
  ]);
  const policy = new Policy(settings.policy, (text) => rules.placesOf(paths, text));
  const metrics = new ToolMetricsHook();
  const offersAll = settings.offeredTools === "all";
  const registry = new ToolRegistry({ offersAll, settled: () => whatHolds(parts) });
  const showUri = (uri: string): string => (uri.startsWith("file:") ? paths.relative(fileURLToPath(uri)) : uri);
  const files = filePorts(parts, showUri);
  const whyNotChanged = rules.fileRules(policy, paths);
  const baselines = new TurnBaselines(typescript);
  const runner = composeTests(parts, repl);
  const commands = await composeCommands(parts);
  const tests = await proposalTests(parts, { typescript, runner, ...files, showUri });
  const proposals = {
    ...files,
    tests,
    whyNotChanged: (path: string) => whyNotChanged([EDITING], [path]),
    ...proposalPorts(parts, (request) =>
      rules.whyNotProposed(whyNotChanged, executor.runningTools(request.toolCallId), request),
    ),
  };
  registry.registerAll(
    createTools({
      typescript,
      repl,
      programs,
      runner,
      delegate: parts.delegations.delegate,
      commands,
      baselines,
      files,
      buffers: bufferPorts(parts),
      search: await searchPorts(parts),
      mayShow: (path) => paths.mayShow(path),
      showUri,
      proposals,
    }),
  );
  const mcp = await mcpServers(parts, registry);
  const own = { typescript, registry, repl, safety: replSafety(repl), ...files, showUri, warn: client.warn };
  const refreshOwn = await changingTools(parts, own);
  const executor: ToolExecutor = new ToolExecutor({
    registry,
    policy,
    hooks: [metrics, ...telemetry.hooks()],
    changes: parts.changes,
    refresh: refreshOwn,
    ...given({ offered: mcp && ((sessionId) => mcp.offered(sessionId)) }),
    whyClosed: (args) => rules.whyClosed(paths, args),
    askApproval: (...asked) => parts.approvals.ask(...asked),
    audit: noting(parts.audit, (line) => client.log("log", line)),
    logBug,
  });
  // Tools of the person's own and of MCP servers can be named by a rule too.
  const offered = Promise.all([refreshOwn(), mcp?.offered(undefined)]);
  offered.then(() => policy.problems(registry.getTools()).forEach((problem) => client.warn(problem)), logBug);
  const { background } = commands;
  return { registry, executor, refreshOwn, metrics, policy, tests, baselines, background, mcp };
}

/** Settles when it is known what holds evaluations, tests and commands. */
function whatHolds({ repl, sandbox }: ToolParts): Promise<unknown> {
  return Promise.all([repl(), sandbox().then((walls) => walls.wall())]);
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
    isUnsaved: (uri) => documents.isUnsaved(uri),
    openUris: () => documents.all().map(({ uri }) => uri),
  };
}

function bufferPorts({ client, paths, documents }: ToolParts): ToolPorts["buffers"] {
  return {
    ...client.buffers,
    resolvePath: (name) => paths.resolve(name),
    isFile: ({ absolute, uri }) => documents.get(uri) !== undefined || statsOf(absolute)?.isFile() === true,
    unavailable: () =>
      client.announced().buffers
        ? undefined
        : "This editor did not announce that it tells of its buffers (capabilities.experimental.agentq.buffers).",
  };
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
  whyNot: (request: ProposeRequest) => Error | undefined,
): Pick<ToolPorts["proposals"], "propose" | "unavailable" | "onStopRequested"> {
  return {
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

/** What speaks to MCP servers is loaded, and they are started, only where the settings name some. */
async function mcpServers(parts: ToolParts, registry: ToolRegistry): Promise<McpServers | undefined> {
  const { mcpPlans, version, client, sessions, onChange } = parts;
  if (mcpPlans.size === 0) return undefined;
  const { McpServers } = await import("../tools/mcp/mcp-servers.ts");
  return new McpServers(mcpPlans, {
    registry,
    version,
    warn: client.warn,
    log: (message) => client.log("info", message),
    progress: client.progress,
    turnOf: (sessionId) => sessions.turnOf(sessionId)?.id,
    onChange,
  });
}

/** Tools that the person brings along: those that the settings name, and skills. Answers how to bring them up to date. */
async function changingTools(parts: ToolParts, ports: OwnToolPorts): Promise<() => Promise<void>> {
  const { tools: addresses } = parts.setup.settings;
  const { createUseSkill } = await import("../tools/files/use-skill.ts");
  const own = addresses.length === 0 ? undefined : await ownTools(addresses, ports);
  const skills = composeSkills(parts);
  ports.registry.register(createUseSkill(() => skills.known()));
  return async () => void (await Promise.all([own?.refresh(), skills.refresh()]));
}

/** What reads the functions is loaded only where the settings name some. */
async function ownTools(addresses: readonly string[], ports: OwnToolPorts): Promise<OwnTools> {
  const { OwnTools } = await import("../tools/own/own-tools.ts");
  return new OwnTools(addresses, ports);
}
