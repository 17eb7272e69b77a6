/**
 * One server, one model and one project for all tests of a file: a start costs as much as fifty turns. A test finds the
 * project as it is written, nothing that was said or heard before, and nobody waiting for an answer.
 */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { RequestBody } from "../../examples/demo/model/request-body.ts";
import { reply, type Script, type Step } from "../../examples/demo/model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import { given } from "../../server/src/base/given.ts";
import { restoreFolder } from "./restore-folder.ts";
import { ServerClient } from "./server-client.ts";
import { example, HeardModel, KEY } from "./session-stage.ts";

export interface StageOptions {
  /** A folder that is copied, or the files by their paths; by default the example project. */
  readonly project?: string | URL | Readonly<Record<string, string>>;
  /** Files beside or in place of those, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
  /** The folder in which the project's folder is made; by default that for temporary files. */
  readonly below?: string;
  /** The server is a process of its own: the test ends it, or looks at what it starts and writes. */
  readonly isProgram?: boolean;
  /** No server is started: the test has another client of one, which starts it on this ground. */
  readonly isBare?: boolean;
  readonly settings?: object | ((stage: ServerStage) => Promise<object>);
  /** What the client announces of `agentq/*`. */
  readonly agentq?: object | null;
  readonly capabilities?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** The list of models that the provider has. */
  readonly models?: readonly object[];
  /** In tokens, as the model counts them: longer requests are refused. */
  readonly contextWindow?: number;
  /** Each test finds a REPL in which nothing was evaluated. */
  readonly freshRepl?: boolean;
  /** What the client listens for, before it says anything. */
  readonly listen?: (client: ServerClient) => void;
}

/** Registers its own hooks for the file, or for the `describe` in which it is called. */
export function serverStage(options: StageOptions = {}): ServerStage {
  const stage = new ServerStage(options);
  beforeAll(() => stage.open());
  beforeEach(() => stage.begin());
  afterEach(() => stage.settle());
  afterAll(() => stage.close());
  return stage;
}

export class ServerStage extends HeardModel {
  readonly #options: StageOptions;
  #top = "";
  #hasEvaluated = false;
  /** The newest form of earlier tests; told where the REPL is fresh for each. */
  lastEvaluation: string | undefined;
  readonly #others: ServerClient[] = [];
  client!: ServerClient;
  model!: ScriptedModel;
  /** What the model answers next; after them it only says that it is done. */
  readonly steps: Step[] = [];
  /** What the model plays in this test in place of the steps. */
  script: Script | undefined;

  constructor(options: StageOptions) {
    super();
    this.#options = options;
  }

  get folder(): string {
    return path.join(this.#top, "project");
  }

  /** The project as it is written. */
  get #original(): string {
    return path.join(this.#top, "original");
  }

  get state(): string {
    return path.join(this.#top, "state");
  }

  /** The person's configuration folder, which does not exist at first. */
  get config(): string {
    return path.join(this.#top, "config");
  }

  async open(): Promise<void> {
    const { project = example, files = {}, below = tmpdir(), settings, agentq, capabilities, listen } = this.#options;
    this.#top = realpathSync(mkdtempSync(path.join(below, "agentq-stage-")));
    mkdirSync(this.folder);
    if (typeof project === "string" || project instanceof URL) cpSync(project, this.folder, { recursive: true });
    else for (const [file, text] of Object.entries(project)) put(path.join(this.folder, file), text);
    for (const [file, text] of Object.entries(files)) put(path.join(this.folder, file), text);
    cpSync(this.folder, this.#original, { recursive: true, verbatimSymlinks: true });
    this.model = await startScriptedModel(this.#played(), { project: this.folder });
    if (this.#options.isBare === true) return;
    const initializationOptions = typeof settings === "function" ? await settings(this) : settings;
    const told = given({ agentq, capabilities, initializationOptions });
    this.client = new ServerClient({ env: this.environment(), ...given({ isProgram: this.#options.isProgram }) });
    listen?.(this.client);
    await this.client.initialize([this.folder], told);
  }

  /** Another server on the same project and the same state, which ends with the test. */
  async start(
    settings: object = {},
    more: Omit<StageOptions, "project" | "settings" | "models" | "freshRepl"> = {},
  ): Promise<ServerClient> {
    const { env, agentq = this.#options.agentq, capabilities = this.#options.capabilities, listen, isProgram } = more;
    const client = new ServerClient({ env: { ...this.environment(), ...env }, ...given({ isProgram }) });
    this.#others.push(client);
    listen?.(client);
    await client.initialize([this.folder], given({ agentq, capabilities, initializationOptions: settings }));
    return client;
  }

  environment(): Record<string, string> {
    return {
      ANTHROPIC_BASE_URL: this.model.url,
      ANTHROPIC_API_KEY: KEY,
      XDG_STATE_HOME: this.state,
      XDG_CONFIG_HOME: this.config,
      ...this.#options.env,
    };
  }

  /** Before a test: the project as it is written, and nothing heard. */
  async begin(): Promise<void> {
    await this.#restore();
    rmSync(this.config, { recursive: true, force: true });
    if (this.#hasEvaluated) await this.client.request("agentq/restartRepl", {});
    this.#hasEvaluated = false;
    this.steps.length = 0;
    this.script = undefined;
    (this.model.requests as RequestBody[]).length = 0;
    (this.model.mismatches as string[]).length = 0;
    if (this.#options.isBare !== true) this.client.forget();
  }

  /** After a test: nothing runs, nothing waits for a person, and no other server takes up what another one left. */
  async settle(): Promise<void> {
    for (const other of this.#others.splice(0)) {
      if (!other.hasEnded()) await settleClient(other);
      await other.close();
    }
    if (this.#options.isBare === true) return;
    if (this.#options.freshRepl === true) this.#hasEvaluated = await this.#evaluatedAnew();
    await settleClient(this.client);
  }

  /** Whether the history of the REPL, which begins with the newest form, has grown since this was asked. */
  async #evaluatedAnew(): Promise<boolean> {
    const { items } = await this.client.request("agentq/replHistory", {});
    const before = this.lastEvaluation;
    this.lastEvaluation = items[0]?.evalId;
    return this.lastEvaluation !== before;
  }

  async close(): Promise<void> {
    if (this.#options.isBare !== true) await this.client.close();
    await this.model.dispose();
    rmSync(this.#top, { recursive: true, force: true });
  }

  #played(): Script {
    const steps = (): Step => this.steps.shift() ?? reply("Done.");
    const current = (): Script | undefined => this.script;
    return {
      name: "steps",
      description: "what the test says",
      reply: (turn) => {
        const script = current();
        if (script !== undefined) return script.reply(turn);
        const step = steps();
        return typeof step === "function" ? step(turn) : step;
      },
      get faults() {
        return current()?.faults ?? [];
      },
      ...given({ models: this.#options.models, contextWindow: this.#options.contextWindow }),
    };
  }

  /** Only what differs is written, and the server is told of it as by an editor that watches files. */
  async #restore(): Promise<void> {
    const changes = restoreFolder(this.#original, this.folder).map(([changed, type]) => {
      return { uri: pathToFileURL(changed).href, type };
    });
    if (changes.length > 0 && this.#options.isBare !== true)
      await this.client.connection.sendNotification("workspace/didChangeWatchedFiles", { changes });
  }
}

async function settleClient(client: ServerClient): Promise<void> {
  await client.closeDocuments();
  for (const [sessionId, turnId] of client.running()) {
    await client.request("agentq/cancel", { sessionId });
    await client.turn(turnId);
  }
  const asked = client.received.flatMap((note) => (note.method === "agentq/approval" ? [note.params] : []));
  for (const { approvalId } of asked) await client.request("agentq/answerApproval", { approvalId, decision: "denied" });
  if (asked.length > 0) await client.request("agentq/forgetRemembered", {});
  const { items } = await client.request("agentq/listProposals", { state: "pending" });
  for (const { proposalId, hunks } of items) {
    const left = hunks.filter(({ state }) => state === "pending" || state === "conflict");
    const decisions = left.map(({ id }) => ({ id, decision: "reject" as const }));
    await client.request("agentq/decide", { proposalId, hunks: decisions });
  }
  while (client.unanswered.size > 0) {
    await client.request("agentq/interrupt", {});
    await Promise.race([Promise.allSettled(client.unanswered), new Promise((resolve) => setTimeout(resolve, 50))]);
  }
}

function put(place: string, content: string): void {
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, content);
}
