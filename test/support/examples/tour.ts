/** A tour of the protocol: a client sends every request there is to the real server, which has the scripted model. */
import { cp, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { call, reply, think, type Reply } from "../../../examples/demo/model/script.ts";
import { startScriptedModel } from "../../../examples/demo/model/server.ts";
import type { Turn } from "../../../examples/demo/model/turn.ts";
import type { NotificationMethod, NotificationParams } from "../../../server/src/protocol/methods.ts";
import { findEditor } from "../../../server/src/doors/handover/find-editor.ts";
import { proposeFix } from "../propose-fix.ts";
import { RunningProgram } from "../running-program.ts";
import { RecordingClient, type Said } from "./recorder.ts";

export interface Tour {
  readonly all: readonly Said[];
  /** Of what the charts show: a turn, a review, a question, a restart. */
  readonly parts: Readonly<Record<"turn" | "review" | "approval" | "restart", readonly Said[]>>;
  /** The folder of the project. */
  readonly project: string;
}

const exampleProject = fileURLToPath(new URL("../../../examples/invoices", import.meta.url));
const mcpServer = fileURLToPath(new URL("../../fixtures/mcp/stdio.mjs", import.meta.url));
const WAITS = "await new Promise((resolve) => setTimeout(resolve, 4000, 42))";

/** The compiler takes longer for it than an answer waits: what it says of the form comes behind. */
const SLOW_TYPE = `type Row<N extends number, R extends 0[] = []> = R["length"] extends N ? R : Row<N, [0, ...R]>;
let row: Row<990> | Row<991>;
`;

const LIMITS = {
  path: "src/limits.ts",
  modified: "/** So many instalments a customer may ask for. */\nexport const MOST_INSTALMENTS = 24;\n",
  description: "Name the most instalments",
};

/** The second turn is tried again. */
const BUSY_LATER = [null, null, null, { kind: "status", status: 529, retryAfterSeconds: 0 }] as const;

function replyTo(turn: Turn): Reply {
  const { prompt, step, body } = turn;
  // Asked for a name of the conversation.
  if ((body.tools ?? []).length === 0) return reply("Equal shares");
  if (prompt.includes("Fix")) return proposeFix.reply(turn);
  if (prompt.includes("Write")) return step === 0 ? reply(call("propose_file_edit", LIMITS)) : reply("It is written.");
  if (prompt.includes("restart")) return step === 0 ? reply(call("restart_repl", {})) : reply("It is a fresh one.");
  if (prompt.includes("Wait")) return step === 0 ? reply(call("eval_form", { form: WAITS })) : reply("It is 42.");
  if (prompt.includes("terminal")) {
    return step === 0 ? reply(call("list_buffers", {}), call("read_buffer", { buffer: "make" })) : reply("It failed.");
  }
  if (prompt.includes("Let somebody")) {
    return step === 0 ? reply(call("delegate", { task: "Where is splitEvenly?" })) : reply("In src/allocate.ts.");
  }
  if (prompt.includes("Where is")) return reply("It is in src/allocate.ts.");
  if (prompt.includes("splitEvenly")) {
    return step === 0
      ? reply(think("I look at it."), call("describe_symbol", { symbol: "splitEvenly" }))
      : reply("It divides a total into equal shares.");
  }
  return reply("Yes.");
}

export async function takeTour(): Promise<Tour> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "agentq-tour-")));
  const project = join(folder, "invoices");
  await cp(exampleProject, project, { recursive: true, filter: (source) => !source.endsWith("node_modules") });
  const model = await startScriptedModel(
    { name: "tour", description: "shows all", reply: replyTo, faults: BUSY_LATER },
    { project },
  );
  const env = {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "scripted",
    XDG_STATE_HOME: join(folder, "state"),
    XDG_RUNTIME_DIR: folder,
  };
  const guide = new Guide(project, env);
  try {
    return await guide.tour();
  } finally {
    await guide.end();
    await model.dispose();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

class Guide {
  readonly #project: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #all: Said[] = [];
  #client: RecordingClient;

  constructor(project: string, env: Readonly<Record<string, string>>) {
    this.#project = project;
    this.#env = env;
    this.#client = new RecordingClient({ cwd: project, env, isProgram: true });
  }

  async tour(): Promise<Tour> {
    await this.#begin({ policy: { ask: ["restart_repl"] }, sessions: { nameByModel: "on" } });
    const sessionId = await this.#prompt("What does splitEvenly do?");
    const turn = this.#since(0);
    await this.#questions(sessionId);
    await this.#waiting(sessionId);
    await this.#replMethods();
    const before = this.#client.said().length;
    const approval = await this.#question(sessionId, before);
    const review = await this.#reviews(sessionId);
    await this.#records(sessionId);
    const restart = await this.#restart(sessionId);
    await this.#kept(sessionId);
    await this.#openRepl();
    return {
      all: [...this.#all, ...this.#client.said()],
      parts: { turn, review, approval, restart },
      project: this.#project,
    };
  }

  async end(): Promise<void> {
    await this.#client.close();
  }

  async #begin(initializationOptions: object, announced: object = {}): Promise<void> {
    const client = this.#client;
    const buffer = { id: "7", name: "make", kind: "terminal", lines: 2, isVisible: true };
    client.answers("agentq/listBuffers", () => ({ buffers: [buffer] }));
    client.answers("agentq/readBuffer", () => ({
      buffer,
      version: 3,
      lines: ["make", "error: no rule to make target"],
    }));
    client.answers("agentq/reloadBuffers", () => ({ reloaded: true }));
    const agentq = { version: 1, proposals: true, approvals: true, buffers: true, ...announced };
    await client.initialize([this.#project], { agentq, initializationOptions });
  }

  #since(index: number): Said[] {
    return this.#client.said().slice(index);
  }

  #uri(path: string): string {
    return pathToFileURL(join(this.#project, path)).href;
  }

  #told<Method extends NotificationMethod>(
    wanted: Method,
    fits: (params: NotificationParams[Method]) => boolean = () => true,
  ): Promise<NotificationParams[Method]> {
    return this.#client.waitFor(({ method, params }) =>
      method === wanted && fits(params as NotificationParams[Method])
        ? (params as NotificationParams[Method])
        : undefined,
    );
  }

  #count<Method extends NotificationMethod>(
    wanted: Method,
    fits: (params: NotificationParams[Method]) => boolean,
  ): number {
    return this.#client.received.filter(
      ({ method, params }) => method === wanted && fits(params as NotificationParams[Method]),
    ).length;
  }

  async #prompt(text: string, sessionId?: string): Promise<string> {
    const given = sessionId === undefined ? {} : { sessionId };
    const asked = await this.#client.request("agentq/prompt", { text, ...given });
    await this.#client.turn(asked.turnId);
    return asked.sessionId;
  }

  async #questions(sessionId: string): Promise<void> {
    const client = this.#client;
    await this.#told("agentq/sessionChanged");
    await this.#prompt("What does @src/nothing.ts do?", sessionId);
    await this.#prompt("/context", sessionId);
    await this.#prompt("Let somebody look where it is.", sessionId);
    await client.request("agentq/status", {});
    await client.request("agentq/listTools", { maxSafety: "safe", categories: ["xref"] });
    await client.request("agentq/callTool", { name: "who_calls", arguments: { symbol: "splitEvenly" } });
    const { items } = await client.request("agentq/addContext", {
      sessionId,
      items: [{ kind: "symbol", symbol: "splitEvenly" }],
    });
    await client.request("agentq/listContext", { sessionId });
    await client.request("agentq/removeContext", { sessionId, ids: items.map(({ id }) => id) });
    await client.request("agentq/clearContext", { sessionId });
    await client.request("agentq/listModels", {});
    await client.request("agentq/chooseModel", { sessionId, thinking: "high" });
  }

  /** What is said while a turn runs. */
  async #waiting(sessionId: string): Promise<void> {
    const client = this.#client;
    const { turnId } = await client.request("agentq/prompt", { sessionId, text: "Wait for it." });
    await this.#told("agentq/agentEvaluation");
    const { promptId = "" } = await client.request("agentq/prompt", { sessionId, text: "And be brief" });
    await client.request("agentq/listQueue", { sessionId });
    await client.request("agentq/editQueued", { sessionId, promptId, text: "And be very brief." });
    await client.request("agentq/takeBackQueued", { sessionId, promptIds: [promptId] });
    await client.request("agentq/cancel", { sessionId });
    await client.turn(turnId);
    const again = await client.request("agentq/prompt", { sessionId, text: "Wait once more." });
    await client.waitFor(
      () => this.#count("agentq/agentEvaluation", ({ result }) => result === undefined) > 1 || undefined,
    );
    await client.request("agentq/prompt", { sessionId, text: "And be brief." });
    await client.turn(again.turnId);
    const asked = await client.request("agentq/prompt", { sessionId, text: "What does the terminal say?" });
    const { approvalId } = await this.#told("agentq/approval");
    await client.request("agentq/answerApproval", { approvalId, decision: "approved" });
    await client.turn(asked.turnId);
  }

  async #replMethods(): Promise<void> {
    const client = this.#client;
    const module = this.#uri("src/allocate.ts");
    await client.request("agentq/formAt", { uri: module, position: { line: 12, character: 2 } });
    await client.request("agentq/evaluate", { code: 'console.log("two"); totalWeight([1, 1])', module });
    const { evalId, valueId = "" } = await client.request("agentq/evaluate", { code: "({ shares: [1, 2] })" });
    const late = await client.request("agentq/evaluate", { code: `${SLOW_TYPE}totalWeight([1])` });
    await this.#told("agentq/lateNotes", (told) => told.evalId === late.evalId);
    await client.request("agentq/evaluate", { code: "setInterval(() => {}, 1000)" });
    await client.request("agentq/inspectValue", { value: valueId, path: ["shares"] });
    await client.request("agentq/completeInRepl", { code: "totalW", position: { line: 0, character: 6 }, module });
    const { items } = await client.request("agentq/replHistory", { only: "stoppable" });
    await client.request("agentq/interrupt", { evalId: items[0]?.evalId ?? "" });
    await client.request("agentq/restartRepl", { replay: [evalId] });
    await client.request("agentq/lockRepl", { locked: true });
    await client.request("agentq/lockRepl", { locked: false });
    const code = 'import("./src/allocate.ts"); setInterval(() => {}, 1000)';
    const place = { folder: this.#project, runtime: this.#env["XDG_RUNTIME_DIR"] ?? "" };
    const program = new RunningProgram(place, [process.execPath, "-e", code]);
    await this.#told("agentq/processesChanged");
    await client.request("agentq/listProcesses", {});
    await program.kill();
    await this.#handedOver();
  }

  /** Another server of the person's hands a call over, while a document is open with a text that the disk does not hold. */
  async #handedOver(): Promise<void> {
    await this.#client.open(join(this.#project, "src/money.ts"), "export {};\n");
    const folders = [this.#project];
    const { editor } = await findEditor({ folders }, this.#env);
    const look = { id: "1", name: "get_repl_history", arguments: {} };
    await editor?.call(
      { folders, call: look, asData: false, host: "a test" },
      AbortSignal.timeout(20_000),
      () => undefined,
    );
    editor?.leave();
    await this.#client.closeDocuments();
  }

  async #question(sessionId: string, from: number): Promise<Said[]> {
    const client = this.#client;
    const { turnId } = await client.request("agentq/prompt", { sessionId, text: "Please restart the REPL." });
    const { approvalId } = await this.#told("agentq/approval", ({ tool }) => tool === "restart_repl");
    await client.request("agentq/answerApproval", { approvalId, decision: "approved", remember: "session" });
    await client.turn(turnId);
    const approval = this.#since(from);
    await client.request("agentq/listRemembered", {});
    await client.request("agentq/forgetRemembered", {});
    await client.request("agentq/explainDecision", { tool: "restart_repl", arguments: {} });
    return approval;
  }

  async #reviews(sessionId: string): Promise<Said[]> {
    const client = this.#client;
    const path = "src/allocate.ts";
    await client.open(join(this.#project, path), await readFile(join(this.#project, path), "utf8"));
    const from = client.said().length;
    const { turnId } = await client.request("agentq/prompt", { sessionId, text: "Fix the rounding." });
    const { proposalId, hunks } = await client.nextProposal();
    const [first, second] = hunks;
    const accepted = { id: first?.id ?? "", decision: "accept" as const };
    const rest = { id: second?.id ?? "", decision: "reject" as const, reason: "Not now." };
    await client.request("agentq/checkSubset", { proposalId, hunks: [accepted] });
    await client.request("agentq/testSubset", { proposalId, hunks: [accepted, { id: rest.id, decision: "accept" }] });
    const { edit } = await client.request("agentq/decide", { proposalId, hunks: [accepted, rest] });
    client.does("applies the edit to its buffers; textDocument/didChange");
    await client.apply(proposalId, edit);
    await client.turn(turnId);
    const review = this.#since(from);
    await client.request("agentq/listProposals", {});
    await client.request("agentq/openProposal", { proposalId });
    await client.request("agentq/exportProposal", { proposalId });
    const known = client.received.flatMap(({ method, params }) =>
      method === "agentq/proposal" ? [params.proposalId] : [],
    );
    await client.request("agentq/reopenProposal", { proposalId });
    const again = await client.nextProposal(known);
    await client.request("agentq/splitHunk", { proposalId: again.proposalId, hunkId: again.hunks[0]?.id ?? "" });
    await client.request("agentq/undoProposal", { proposalId });
    const { items } = await client.request("agentq/listTurns", { sessionId });
    await client.request("agentq/rewind", { sessionId, turnId: items.at(-1)?.turnId ?? "" });
    const pending = await client.request("agentq/listProposals", { state: "pending" });
    for (const left of pending.items) {
      const all = left.hunks.map(({ id }) => ({ id, decision: "reject" as const }));
      await client.request("agentq/decide", { proposalId: left.proposalId, hunks: all });
    }
    return review;
  }

  async #records(sessionId: string): Promise<void> {
    const client = this.#client;
    await client.request("agentq/auditLog", { sessionId });
    await client.request("agentq/metrics", {});
    await client.request("agentq/spending", { sessionId });
  }

  /** The server dies in the middle of a review; the next one has the conversation and the proposal. */
  async #restart(sessionId: string): Promise<Said[]> {
    const known = this.#client.received.flatMap(({ method, params }) =>
      method === "agentq/proposal" ? [params.proposalId] : [],
    );
    await this.#client.request("agentq/prompt", { sessionId, text: "Write the limits down." });
    await this.#client.nextProposal(known);
    this.#all.push(...this.#client.said());
    this.#client.child.kill("SIGKILL");
    this.#client = new RecordingClient({ cwd: this.#project, env: this.#env, isProgram: true });
    this.#client.does("the server is gone; the client starts another one: initialize, initialized");
    await this.#begin({});
    await this.#told("agentq/proposal");
    await this.#client.request("agentq/openSession", { sessionId, lastTurns: 1 });
    await this.#prompt("Where is it?", sessionId);
    return this.#since(0);
  }

  async #kept(sessionId: string): Promise<void> {
    const client = this.#client;
    await client.request("agentq/listSessions", {});
    await client.request("agentq/renameSession", { sessionId, name: "Shares" });
    await client.request("agentq/searchSessions", { text: "splitEvenly" });
    await client.request("agentq/exportSession", { sessionId });
    await this.#prompt("/compact", sessionId);
    await this.#prompt("/compact undo", sessionId);
    await this.#prompt("/plan", sessionId);
    await this.#prompt("/plan off", sessionId);
    const forked = await client.request("agentq/forkSession", { sessionId });
    await client.request("agentq/deleteSession", { sessionId: forked.sessionId });
  }

  /**
   * A client that keeps what it was told of proposals; a REPL with full rights, of which the person gets to keep or revert what
   * changed; and a server of other tools.
   */
  async #openRepl(): Promise<void> {
    this.#all.push(...this.#client.said());
    await this.#client.close();
    this.#client = new RecordingClient({ cwd: this.#project, env: this.#env });
    const client = this.#client;
    const files = { command: process.execPath, args: [mcpServer] };
    await this.#begin({ repl: { confinement: "openWithoutAsking" }, mcpServers: { files } }, { hunkChanges: true });
    const { proposalId, hunks } = await client.nextProposal();
    const all = hunks.map(({ id }) => ({ id, decision: "reject" as const }));
    await client.request("agentq/decide", { proposalId, hunks: all });
    await this.#told("agentq/hunksChanged");
    for (const method of ["agentq/keepEvaluationChanges", "agentq/revertEvaluationChanges"] as const) {
      const code = `require("node:fs").writeFileSync("note-${method.slice(7)}.txt", "x")`;
      const { evalId } = await client.request("agentq/evaluate", { code });
      await client.request(method, { evalId });
    }
    await client.request("agentq/restartMcpServer", { name: "files" });
  }
}
