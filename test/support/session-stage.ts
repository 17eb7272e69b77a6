/** A project, a scripted model, and servers that come and go: what the tests of kept conversations hold in their hands. */
import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { reply, type Script, type Step } from "../../examples/demo/model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import { given } from "../../server/src/base/given.ts";
import { ServerClient, type ServerClientOptions } from "./server-client.ts";

export const example = fileURLToPath(new URL("../../examples/invoices", import.meta.url));

export const KEY = "sk-test-not-a-key-of-anybody";

/** What a program of ours is started with. */
export type Ground = Pick<SessionStage, "folder" | "environment">;

/** What a model was sent. */
export abstract class HeardModel {
  abstract readonly model: ScriptedModel;

  /** What a request of the model consisted of, without the marks for the provider's cache. */
  sent(index: number): { readonly system: string; readonly messages: readonly string[] } {
    const body = this.model.requests.at(index);
    const plain = (value: unknown): string =>
      JSON.stringify(value, (name, each: unknown) => (name === "cache_control" ? undefined : each));
    return { system: plain(body?.system), messages: (body?.messages ?? []).map(plain) };
  }

  lastWords(): string {
    return textOf(this.model.requests.at(-1)?.messages.at(-1)?.content);
  }
}

export class SessionStage extends HeardModel {
  readonly folder: string;
  readonly state: string;
  /** The person's configuration folder, which does not exist at first. */
  readonly config: string;
  /** Where the person's servers find each other; nowhere without it. */
  runtime: string | undefined;
  /** What the model answers next; after them it only says that it is done. */
  readonly steps: Step[] = [];
  model!: ScriptedModel;
  readonly #clients: ServerClient[] = [];

  constructor() {
    super();
    const top = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-sessions-")));
    [this.folder, this.state] = [path.join(top, "project"), path.join(top, "state")];
    this.config = path.join(top, "config");
    cpSync(example, this.folder, { recursive: true });
  }

  async open(paceMs = 0, models?: readonly object[], faults?: Script["faults"], contextWindow?: number): Promise<void> {
    const next: Step = (turn) => {
      const step = this.steps.shift() ?? reply("Done.");
      return typeof step === "function" ? step(turn) : step;
    };
    const script = {
      name: "steps",
      description: "these replies",
      reply: next,
      ...given({ models, faults, contextWindow }),
    };
    this.model = await startScriptedModel(script, { project: this.folder, paceMs });
  }

  async start(initializationOptions: object = {}, place: ServerClientOptions = {}): Promise<ServerClient> {
    const client = new ServerClient({ ...place, env: this.environment() });
    this.#clients.push(client);
    await client.initialize([this.folder], { initializationOptions });
    return client;
  }

  environment(): Record<string, string> {
    const folders = {
      XDG_STATE_HOME: this.state,
      XDG_CONFIG_HOME: this.config,
      ...given({ XDG_RUNTIME_DIR: this.runtime }),
    };
    return { ANTHROPIC_BASE_URL: this.model.url, ANTHROPIC_API_KEY: KEY, ...folders };
  }

  async kill(client: ServerClient): Promise<void> {
    this.#clients.splice(this.#clients.indexOf(client), 1);
    await client.kill();
  }

  async close(client: ServerClient): Promise<void> {
    this.#clients.splice(this.#clients.indexOf(client), 1);
    await client.close();
  }

  async dispose(): Promise<void> {
    for (const client of this.#clients.splice(0)) await client.close();
    await this.model.dispose();
    rmSync(path.dirname(this.folder), { recursive: true, force: true });
  }
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

export async function say(client: ServerClient, text: string, sessionId?: string) {
  const answer = await client.request("agentq/prompt", { text, ...(sessionId === undefined ? {} : { sessionId }) });
  return { ...answer, events: await client.turn(answer.turnId) };
}
