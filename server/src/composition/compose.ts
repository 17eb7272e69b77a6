/** Builds every object and hands it over: the only place that constructs a service. */
import { setTimeout as sleep } from "node:timers/promises";
import { composeModels } from "./models.ts";
import type { Parts, Tools } from "./parts.ts";
import { composePrompts, contextPorts } from "./prompts.ts";
import { composeProposals, keptReviews } from "./proposals.ts";
import { composePrograms } from "./programs.ts";
import { composeRepl } from "./repl.ts";
import { composeRecords } from "./storage.ts";
import { composeNamer, composeSessions, composeSpending } from "./sessions.ts";
import { composeSandbox } from "./sandbox.ts";
import { composeTools } from "./tools.ts";
import { composeChanges, composeTypeScript } from "./typescript.ts";
import { ModelChoices } from "../conversation/model-choices.ts";
import { Delegations } from "../conversation/delegate.ts";
import type { Sessions } from "../conversation/sessions.ts";
import type { ClientPort, Services } from "../services.ts";
import type { ServerSetup } from "../handlers/stdio-server.ts";
import { given } from "../base/given.ts";
import { lazy } from "../base/lazy.ts";
import { useWebProxy } from "../base/web-proxy.ts";
import { startNothingOf } from "../process/search-path.ts";
import type { Proposal } from "../protocol/proposal-shapes.ts";
import type { Status } from "../protocol/status.ts";
import { toldWall } from "../sandbox/wall/told-wall.ts";
import { WorkspaceTexts } from "../surroundings/workspace-texts.ts";
import { LateTelemetry } from "../telemetry/late-telemetry.ts";
import { Approvals } from "../tools/consent/approvals.ts";
import { plannedServers } from "../tools/mcp/planned-server.ts";
import { Documents } from "../workspace/documents.ts";
import { projectFolders } from "../workspace/project-folders.ts";
import { WorkspacePaths } from "../workspace/workspace-paths.ts";
import { stackOf } from "../base/errors.ts";

/** A compiler that is slower than this to start must not hold up what does not need it. */
const WARM_UP_LIMIT_MS = 500;

export type Environment = Pick<Parts, "version" | "variables">;

export function composeServices(environment: Environment, client: ClientPort, asked: ServerSetup): Services {
  const { version, variables } = environment;
  const setup = { ...asked, workspaceFolders: foldersOf(asked.workspaceFolders, client) };
  const logBug = (error: unknown): void => client.log("error", stackOf(error));
  const noProxy = useWebProxy(variables);
  if (noProxy !== undefined) client.warn(noProxy);
  const [documents, paths] = [new Documents(), new WorkspacePaths(setup.workspaceFolders)];
  startNothingOf(setup.workspaceFolders);
  const ground = {
    ...environment,
    ...composeModels({ variables, setup }),
    client,
    setup,
    documents,
    paths,
    texts: new WorkspaceTexts(documents, paths),
    mcpPlans: plannedServers(setup.settings.mcpServers, variables),
    telemetry: new LateTelemetry(version, logBug),
    logBug,
    onChange,
  };
  const proposals = composeProposals({
    ...ground,
    typescript: async () => typescript(),
    onDecided: (proposal) => noteDecision({ changes, tools }, proposal),
    onPut: (files) => services.didChangeWatchedFiles(files),
  });
  const changes = composeChanges({ documents, proposals }, () => typescript.peek());
  const later = { approvals: () => approvals, delegations: () => delegations, sessions: () => sessions };
  const spending = composeSpending({ ...ground, ...later });
  const kept = composeRecords({ ...ground, proposals, spending });
  const approvals = composeApprovals(client, kept, (sessionId) => sessions.requestStop(sessionId));
  // The engines are loaded when first needed, so that `initialize` is answered before any of them is read from disk.
  const typescript = lazy(() => composeTypeScript({ ...ground, changes }));
  const sandbox = lazy(() => composeSandbox(ground));
  const engines = { typescript, sandbox, ...composeRepl({ ...ground, typescript, approvals, sandbox }) };
  const programs = composePrograms({ ...ground, typescript, approvals });
  const delegations = new Delegations({ ...kept, sessions: () => sessions, notify: client.notify, logBug });
  const records = { ...ground, ...kept, ...engines, programs, spending, approvals, proposals, changes, delegations };
  const tools = lazy(() => composeTools({ ...records, sessions }));
  const context = contextPorts({ ...records, tools });
  const namer = composeNamer(records);
  const sessions: Sessions = composeSessions({ ...records, context, tools, namer });
  const parts: Parts = { ...records, sessions, namer, tools };
  const modelChoices = new ModelChoices(parts);
  const status = (): Promise<Status> => statusOf(parts);

  /** Once everything that has a state is loaded; a client that connects asks for the first status itself. */
  function onChange(): void {
    if (typescript.peek() === undefined || engines.repl.peek() === undefined) return;
    status().then((params) => client.notify("agentq/statusChanged", params), logBug);
  }

  const services: Services = {
    ...parts,
    ...composePrompts({ ...parts, modelChoices, tools: refreshed(tools), context }),
    modelChoices,
    repl: async (process) => (process === undefined ? engines.repl() : (await programs()).repl(process)),
    programs: {
      list: async () => (await programs()).list(),
      lock: (isLocked) => void programs().then((each) => each.lock(isLocked), logBug),
    },
    keptReviews: keptReviews(parts),
    tools: refreshed(tools),
    languageRelay: async () => (setup.languageClient === undefined ? undefined : (await typescript()).relay),
    status,
    warmUp: () => warmUp(parts, services.keptReviews),
    setWorkspaceFolders: (folders) => setFolders(foldersOf(folders, client), parts),
    didChangeWatchedFiles: (files) => {
      proposals.didChangeFiles(files);
      typescript.peek()?.documents.didChangeWatchedFiles(files);
    },
    dispose: () => disposeAll(parts),
  };
  return services;
}

async function statusOf(parts: Parts): Promise<Status> {
  const { version, paths, models, sessions, proposals, typescript, repl, sandbox, tools } = parts;
  const loaded = tools.peek();
  const background = loaded?.background.list() ?? [];
  return {
    version,
    node: process.versions.node,
    workspaceFolders: paths.folders(),
    typescript: (await typescript()).status(),
    repl: (await repl()).status(),
    wall: toldWall({ repl: (await repl()).status(), whyNotCommands: await (await sandbox()).findWhyNot() }),
    model: models.status(),
    sessions: sessions.count(),
    pendingProposals: proposals.known.pendingCount(),
    ...(background.length === 0 ? {} : { background }),
    ...given({ mcp: loaded?.mcp?.statuses() }),
  };
}

function foldersOf(folders: readonly string[], client: ClientPort): readonly string[] {
  const { kept, why } = projectFolders(folders);
  if (why !== undefined) client.warn(why);
  return kept;
}

async function warmUp(
  { tools, typescript, programs, logBug }: Parts,
  takeUpReviews: () => Promise<void>,
): Promise<void> {
  tools().then(({ refreshOwn }) => refreshOwn(), logBug);
  programs().then((each) => each.start(), logBug);
  const busy = typescript().then((service) => service.busyLoading(), logBug);
  void busy.then(takeUpReviews);
  await Promise.race([busy, sleep(WARM_UP_LIMIT_MS, undefined, { ref: false })]);
}

/** What the end of the turns would withdraw waits for the next server. */
async function disposeAll(parts: Parts): Promise<void> {
  const { proposals, sessions, tools, typescript, early, sandbox, storage } = parts;
  proposals.end();
  parts.namer.dispose();
  sessions.dispose();
  const loaded = tools.peek();
  await Promise.all([loaded?.background.dispose(), loaded?.mcp?.dispose()]);
  await Promise.all([typescript.peek()?.dispose(), early.peek()?.dispose(), parts.programs.peek()?.dispose()]);
  await sandbox.peek()?.dispose();
  storage.peek()?.();
}

function setFolders(folders: readonly string[], { paths, typescript, logBug }: Parts): void {
  startNothingOf(folders);
  paths.setFolders(folders);
  typescript().then((service) => service.setWorkspaceFolders(folders), logBug);
}

function refreshed(tools: Parts["tools"]): () => Promise<Tools> {
  return async () => {
    const loaded = await tools();
    await loaded.refreshOwn();
    return loaded;
  };
}

function composeApprovals(
  client: ClientPort,
  { remembered }: Pick<Parts, "remembered">,
  onStopRequested: (sessionId: string) => void,
): Approvals {
  return new Approvals({
    remembered,
    canAsk: () => client.announced().approvals,
    whyNobody: client.whyNobody,
    onApproval: (approval) => client.notify("agentq/approval", approval),
    onApprovalChanged: (approvalId, state) => client.notify("agentq/approvalChanged", { approvalId, state }),
    onStopRequested,
  });
}

function noteDecision({ tools, changes }: Pick<Parts, "tools" | "changes">, proposal: Proposal): void {
  tools.peek()?.tests.end(proposal.proposalId);
  changes.happened({ callId: proposal.toolCallId, what: "a decision" });
}
