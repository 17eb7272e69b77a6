/** Builds every object and hands it over: the only place that constructs a service. */
import { setTimeout as sleep } from "node:timers/promises";
import { composeModels } from "./models.ts";
import { composeChanges, diskChanged } from "./changes.ts";
import { plannedMcp } from "./mcp.ts";
import { completionPorts } from "./completion.ts";
import { contextPorts } from "./context.ts";
import { composePrompts } from "./commands.ts";
import { ownCommandPorts } from "./own-commands.ts";
import { composeProposals, keptReviews } from "./proposals.ts";
import { composePrograms } from "./programs.ts";
import { composeRepl } from "./repl.ts";
import { composeSpending } from "./spending.ts";
import { composeRecords, type Records } from "./storage.ts";
import { composeNamer } from "./conversation.ts";
import { composeSessions } from "./sessions.ts";
import { composeSandbox, whyNotCommands } from "./sandbox.ts";
import { composeTools, type ComposedTools, type ToolParts } from "./tools.ts";
import { ModelChoices } from "../conversation/model-choices.ts";
import { Delegations } from "../conversation/delegate.ts";
import type { SessionNamer } from "../conversation/session-namer.ts";
import type { Sessions } from "../conversation/sessions.ts";
import type { ClientPort, Services } from "../services.ts";
import type { ServerSetup } from "../handlers/stdio-server.ts";
import { lazy, type Lazy } from "../base/lazy.ts";
import { startNothingOf } from "../process/search-path.ts";
import type { ProposalStore } from "../proposals/proposal-store.ts";
import type { Proposal } from "../protocol/proposal-shapes.ts";
import type { Status, TypeScriptStatus } from "../protocol/status.ts";
import type { Programs } from "../repl/attached/programs.ts";
import type { Repl } from "../repl/repl.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { LateTelemetry } from "../telemetry/late-telemetry.ts";
import { toldWall } from "../sandbox/wall/told-wall.ts";
import type { Changes } from "../tools/run/changes.ts";
import { Approvals } from "../tools/consent/approvals.ts";
import type { RememberedCalls } from "../tools/consent/remembered-calls.ts";
import type { TypeScriptService } from "../typescript/typescript-service.ts";
import { Documents } from "../workspace/documents.ts";
import { projectFolders } from "../workspace/project-folders.ts";
import { useWebProxy } from "../base/web-proxy.ts";
import { WorkspacePaths } from "../workspace/workspace-paths.ts";
import { given } from "../base/given.ts";

/** A compiler that is slower than this to start must not hold up what does not need it. */
const WARM_UP_LIMIT_MS = 500;

export interface Environment {
  readonly version: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export function composeServices({ version, variables }: Environment, client: ClientPort, asked: ServerSetup): Services {
  const setup = { ...asked, workspaceFolders: foldersOf(asked.workspaceFolders, client) };
  const logBug = (error: unknown): void =>
    client.log("error", error instanceof Error ? (error.stack ?? error.message) : String(error));
  const noProxy = useWebProxy(variables);
  if (noProxy !== undefined) client.warn(noProxy);
  const [documents, paths] = [new Documents(), new WorkspacePaths(setup.workspaceFolders)];
  startNothingOf(setup.workspaceFolders);
  const { models, modelPorts, secrets } = composeModels(variables, setup.settings);
  const onDecided = (proposal: Proposal): void => noteDecision(tools.peek(), changes, proposal);
  const ground = { client, setup, documents, paths, ...plannedMcp({ version, variables }, setup.settings) };
  const onFiles: Services["didChangeWatchedFiles"] = (files) => services.didChangeWatchedFiles(files);
  const proposals = composeProposals({ ...ground, typescript: async () => typescript(), onDecided, onFiles });
  const changes: Changes = composeChanges({ documents, known: proposals.known, typescript: () => typescript.peek() });
  const telemetry = new LateTelemetry(version, logBug);
  const later = { approvals: () => approvals, delegations: () => delegations, sessions: () => sessions };
  const spending = composeSpending({ settings: setup.settings, ...later, telemetry, logBug });
  const { remembered, ...kept } = composeRecords({ ...ground, variables, secrets, proposals, spending });
  const approvals = tellingApprovals(client, remembered, (sessionId) => sessions.requestStop(sessionId));
  // The engines are loaded when first needed, so that `initialize` is answered before any of them is read from disk.
  const typescript = lazy(() => loadTypeScript({ client, setup, documents, changes }, () => onChange()));
  const sandbox = lazy(() => composeSandbox(paths, variables));
  const { early, repl } = composeRepl({ ...ground, typescript, approvals, sandbox, onChange });
  const programs = composePrograms({ ...ground, typescript, approvals, onChange, variables });
  const delegations = new Delegations({ ...kept, sessions: () => sessions, notify: client.notify, logBug });
  const records = {
    ...kept,
    spending,
    remembered,
    approvals,
    proposals,
    changes,
    delegations,
    typescript,
    early,
    repl,
    programs,
    sandbox,
    telemetry,
  };
  const tools = lazy(() => composeTools({ ...ground, ...records, sessions, logBug, onChange }));

  const status = async (): Promise<Status> => ({
    version,
    node: process.versions.node,
    workspaceFolders: paths.folders(),
    typescript: (await typescript()).status(),
    repl: (await repl()).status(),
    wall: toldWall({ repl: (await repl()).status(), whyNotCommands: await whyNotCommands(setup, sandbox) }),
    model: models.status(),
    sessions: sessions.count(),
    pendingProposals: proposals.known.pendingCount(),
    ...given({ background: tools.peek()?.inBackground(), mcp: tools.peek()?.mcpServers?.() }),
  });

  /** Once everything that has a state is loaded; a client that connects asks for the first status itself. */
  function onChange(): void {
    if (typescript.peek() === undefined || repl.peek() === undefined) return;
    status().then((params) => client.notify("agentq/statusChanged", params), logBug);
  }

  const context = contextPorts({ ...ground, ...kept, typescript, tools });
  const mode = setup.settings.instructions ?? "ask";
  const own = ownCommandPorts({ documents, paths, variables, approvals, remembered, mode });
  const completion = completionPorts({ ...ground, typescript, repl });
  const namer = composeNamer(client, modelPorts, records, setup.settings.sessions.nameByModel);
  const sessions: Sessions = composeSessions({ ...ground, ...records, modelPorts, context, tools, namer, logBug });
  const modelChoices = new ModelChoices({ models, sessions, onChange });
  const said = { ...records, own, context, completion, kept, sessions, variables, modelChoices };
  const services: Services = {
    documents,
    paths,
    sessions,
    ...composePrompts({ ...said, tools: refreshed(tools) }),
    modelChoices,
    ...records,
    repl: async (process) => (process === undefined ? repl() : (await programs()).repl(process)),
    programs: {
      list: async () => (await programs()).list(),
      lock: (isLocked) => void programs().then((each) => each.lock(isLocked), logBug),
    },
    keptReviews: keptReviews(client, proposals, kept.storage, logBug),
    tools: refreshed(tools),
    languageRelay: async () => (setup.languageClient === undefined ? undefined : (await typescript()).relay),
    status,
    warmUp: () => warmUp({ tools, typescript, programs, logBug }, services),
    setWorkspaceFolders: (folders) => setFolders(foldersOf(folders, client), { paths, typescript, logBug }),
    didChangeWatchedFiles: tellingFiles(proposals, () => typescript.peek()),
    dispose: () => disposeAll({ ...records, sessions, tools, namer }),
  };
  return services;
}

function foldersOf(folders: readonly string[], client: ClientPort): readonly string[] {
  const { kept, why } = projectFolders(folders);
  if (why !== undefined) client.warn(why);
  return kept;
}

async function warmUp(
  {
    tools,
    typescript,
    programs,
    logBug,
  }: Pick<Disposed, "tools" | "typescript" | "programs"> & Pick<ToolParts, "logBug">,
  { keptReviews: takeUpReviews }: Pick<Services, "keptReviews">,
): Promise<void> {
  tools().then(({ refreshOwn }) => refreshOwn(), logBug);
  programs().then((each) => each.start(), logBug);
  const busy = typescript().then((service) => service.busyLoading(), logBug);
  void busy.then(takeUpReviews);
  await Promise.race([busy, sleep(WARM_UP_LIMIT_MS, undefined, { ref: false })]);
}

/** What the end of the turns would withdraw waits for the next server. */
async function disposeAll(parts: Disposed): Promise<void> {
  const { proposals, sessions, tools, typescript, early, sandbox, storage } = parts;
  proposals.end();
  parts.namer.dispose();
  sessions.dispose();
  await tools.peek()?.dispose();
  await Promise.all([typescript.peek()?.dispose(), early.peek()?.dispose(), parts.programs.peek()?.dispose()]);
  await sandbox.peek()?.dispose();
  storage.peek()?.();
}

function setFolders(folders: readonly string[], parts: Pick<ToolParts, "paths" | "typescript" | "logBug">): void {
  startNothingOf(folders);
  parts.paths.setFolders(folders);
  parts.typescript().then((service) => service.setWorkspaceFolders(folders), parts.logBug);
}

function refreshed(tools: () => Promise<ComposedTools>): Services["tools"] {
  return async () => {
    const loaded = await tools();
    await loaded.refreshOwn();
    return loaded;
  };
}

function tellingApprovals(
  client: ClientPort,
  remembered: RememberedCalls,
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

function noteDecision(tools: ComposedTools | undefined, changes: Changes, proposal: Proposal): void {
  tools?.tests.end(proposal.proposalId);
  changes.happened({ callId: proposal.toolCallId, what: "a decision" });
}

interface Disposed extends Pick<ToolParts, "proposals" | "sessions"> {
  readonly namer: Pick<SessionNamer, "dispose">;
  readonly tools: Lazy<ComposedTools>;
  readonly typescript: Lazy<TypeScriptService>;
  readonly early: Lazy<Repl>;
  readonly programs: Lazy<Programs>;
  readonly sandbox: Lazy<Sandbox>;
  readonly storage: Records["storage"];
}

interface TypeScriptParts {
  readonly client: ClientPort;
  readonly setup: ServerSetup;
  readonly documents: Documents;
  readonly changes: Changes;
}

function tellingFiles(
  proposals: ProposalStore,
  typescript: () => TypeScriptService | undefined,
): Services["didChangeWatchedFiles"] {
  return (changes) => {
    proposals.didChangeFiles(changes);
    typescript()?.documents.didChangeWatchedFiles(changes);
  };
}

async function loadTypeScript(
  { client, setup, documents, changes }: TypeScriptParts,
  onChange: () => void,
): Promise<TypeScriptService> {
  const { createTypeScript } = await import("../typescript/typescript-service.ts");
  let loaded: ReturnType<ClientPort["progress"]> | undefined;
  const showLoading = ({ state }: TypeScriptStatus): void => {
    const isLoading = state === "starting" || state === "restarting";
    if (isLoading) loaded ??= client.progress("Loading TypeScript projects");
    else {
      loaded?.end();
      loaded = undefined;
    }
  };
  const service = createTypeScript({
    workspaceFolders: setup.workspaceFolders,
    onState: (status: TypeScriptStatus) => {
      client.log(
        "info",
        `TypeScript ${status.version}: ${status.state}${status.reason === undefined ? "" : ` (${status.reason})`}`,
      );
      // With language features the compiler tells the editor of its progress itself.
      if (setup.languageClient === undefined) showLoading(status);
      onChange();
    },
    log: (message) => client.log("log", message),
    onDiskChange: (file) => diskChanged(documents, changes, file),
    ...given({ editor: setup.languageClient }),
  });
  documents.subscribe({
    didOpen: (document) => service.documents.didOpen(document),
    didChange: (document) => service.documents.didChange(document),
    didClose: (uri) => service.documents.didClose({ uri }),
  });
  return service;
}
