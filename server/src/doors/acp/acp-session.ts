/** One session of an ACP client: a conversation of a server, with what the client is shown and asked. */
import {
  methods,
  RequestError,
  type AgentContext,
  type AvailableCommand,
  type ClientCapabilities,
  type ContentBlock,
  type PromptResponse,
  type SessionConfigOption,
  type SessionModeState,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { Conversation, type TurnEnd } from "../../client/conversation.ts";
import { given } from "../../base/given.ts";
import { isBlank } from "../../base/blank-text.ts";
import { AgentqErrorCodes, errorText } from "../../base/errors.ts";
import { THINKING } from "../../protocol/model-settings.ts";
import type { ModelList } from "../../protocol/model-shapes.ts";
import type { Mode, TurnEvent } from "../../protocol/turn-shapes.ts";
import type { RequestParams } from "../../protocol/methods.ts";
import type { SessionInfo } from "../../protocol/session-shapes.ts";
import { Permissions } from "./permissions.ts";
import { readPrompt } from "./read-prompt.ts";
import { stopReasonOf, textBlock, Updates } from "./updates.ts";
import type { Workspace } from "./workspaces.ts";

export interface AcpSessionParts {
  readonly id: string;
  readonly workspace: Workspace;
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  /** The conversation, where it is there already. */
  readonly kept: SessionInfo | undefined;
}

/** A list of models may have to be fetched: no client waits longer for it, and is told later. */
const MODELS_LIMIT_MS = 2_000;
const HINT = /^(?:\[.*\]|[A-Z]{2,}(?: [A-Z]{2,})*)/;

export class AcpSession {
  readonly id: string;
  readonly workspace: Workspace;
  readonly #parts: AcpSessionParts;
  readonly #updates: Updates;
  readonly #conversation: Conversation;
  #mode: Mode;
  /** What the person chose since the last prompt: the next one says so. */
  #chosenMode: Mode | undefined;
  /** From the last prompt to its answer. */
  #asked: AbortController | undefined;
  /** Settles when the prompts until now are answered. */
  #answered: Promise<unknown> = Promise.resolve();

  constructor(parts: AcpSessionParts) {
    const { id, workspace, client, capabilities } = parts;
    [this.id, this.workspace] = [id, workspace];
    this.#parts = parts;
    this.#mode = parts.kept?.mode ?? "default";
    this.#updates = new Updates({ ...workspace, capabilities });
    const permissions = new Permissions(client, id, capabilities, (...kept) => this.#updates.keepDiff(...kept));
    this.#conversation = new Conversation({
      client: workspace.client,
      folder: workspace.folder,
      show: (event) => void this.#show(event),
      review: permissions.review,
      approve: (approval, signal) => permissions.approve(approval, signal),
      // What belongs to no conversation is asked where something goes on.
      isOurs: (of) => (of === undefined ? this.isRunning : of === this.#conversation.sessionId),
    });
    if (parts.kept !== undefined) this.#conversation.sessionId = id;
    this.#editorFiles();
  }

  get isRunning(): boolean {
    return this.#conversation.isRunning;
  }

  /** Rejects with a `RequestError` where the turn does not come to an end that ACP has a word for. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const isBusy = this.#asked === undefined ? this.isRunning : !this.#asked.signal.aborted;
    if (isBusy) throw RequestError.invalidRequest(undefined, "A turn runs in this session: wait, or cancel it.");
    const { folder } = this.workspace;
    const said = readPrompt(blocks, folder);
    if (isBlank(said.text)) throw RequestError.invalidParams(undefined, "The prompt has no words.");
    const asked = (this.#asked = new AbortController());
    const stop = (): void => void this.cancel().catch(() => undefined);
    signal.addEventListener("abort", stop, { once: true });
    // Clients cancel a turn and say the next thing at once.
    const answer = this.#answered.then(() => this.#say(said, asked.signal));
    this.#answered = answer.catch(() => undefined);
    try {
      return await answer;
    } finally {
      if (this.#asked === asked) this.#asked = undefined;
      signal.removeEventListener("abort", stop);
    }
  }

  async #say(said: ReturnType<typeof readPrompt>, signal: AbortSignal): Promise<PromptResponse> {
    try {
      this.#editorFiles(signal);
      const { buffers } = this.workspace.client;
      for (const { uri } of said.context) if (uri !== undefined) await buffers.follow(uri);
      if (signal.aborted) return { stopReason: "cancelled" };
      const id = this.#conversation.sessionId === undefined ? this.#parts.id : undefined;
      const mode = this.#chosenMode;
      const { end } = await this.#conversation.say({ ...said, ...given({ newSessionId: id, mode }) }, () => {
        if (this.#chosenMode === mode) this.#chosenMode = undefined;
      });
      // A client hears of no other end of a turn that it has cancelled.
      return signal.aborted ? { stopReason: "cancelled" } : answerOf(end);
    } catch (error) {
      if (this.isRunning) {
        // Where a question failed, the turn would wait for a decision for good.
        await this.cancel().catch(() => undefined);
        await this.#conversation.over();
      }
      if (signal.aborted) return { stopReason: "cancelled" };
      if ((error as { readonly code?: unknown }).code === AgentqErrorCodes.unknownCommand) {
        await this.#send([{ sessionUpdate: "agent_message_chunk", content: textBlock(errorText(error)) }]);
        return { stopReason: "end_turn" };
      }
      throw error instanceof RequestError ? error : new RequestError(INTERNAL, errorText(error));
    }
  }

  async cancel(): Promise<void> {
    this.#asked?.abort();
    await this.#conversation.cancel();
  }

  /** Tells the client all that was said and done, oldest first. */
  async replay(): Promise<void> {
    const { id, workspace } = this.#parts;
    for (let cursor: string | undefined; ;) {
      const page = await workspace.client.request("agentq/openSession", { sessionId: id, ...given({ cursor }) });
      for (const { event } of page.items) await this.#show(event, true);
      cursor = page.nextCursor;
      if (cursor === undefined) return;
    }
  }

  get modes(): SessionModeState {
    return { currentModeId: this.#chosenMode ?? this.#mode, availableModes: [...MODES] };
  }

  /** Holds from the next prompt on. Throws a `RequestError` for a mode that does not exist. */
  setMode(modeId: string): void {
    const mode = MODES.find(({ id }) => id === modeId)?.id;
    if (mode === undefined) throw RequestError.invalidParams({ modeId }, `There is no mode "${modeId}".`);
    this.#chosenMode = mode;
  }

  async #show(event: TurnEvent, isReplay = false): Promise<void> {
    if (event.kind === "modeChanged") this.#mode = event.mode;
    await this.#send(this.#updates.of(event, isReplay));
    if (event.kind === "modeChanged" && !isReplay) await this.#tellOptions();
  }

  /** Tells the client which slash commands there are. Never rejects. */
  async tellCommands(): Promise<void> {
    const list = await this.workspace.client.completePrompt("/").catch(() => null);
    // A session of the client's stays one conversation.
    const offered = (list?.items ?? []).filter(({ label }) => !/^\/(?:new|fork)$/.test(label));
    const availableCommands = offered.map(({ label, detail = "" }): AvailableCommand => {
      const hint = HINT.exec(detail)?.[0];
      return {
        name: label.replace(/^\//, ""),
        description: detail,
        ...given({ input: hint === undefined ? hint : { hint } }),
      };
    });
    await this.#send([{ sessionUpdate: "available_commands_update", availableCommands }]);
  }

  /** The choice of the mode, of the model and of how much it thinks. Of what nobody knows in time the client is told later. */
  async options(): Promise<SessionConfigOption[]> {
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, MODELS_LIMIT_MS, undefined).unref());
    const asked = this.#models().then((models) => this.#optionsOf(models));
    const options = await Promise.race([asked.catch(() => this.#optionsOf()), late]);
    if (options !== undefined) return options;
    void asked.then(() => this.#tellOptions()).catch(() => undefined);
    return this.#optionsOf();
  }

  async #tellOptions(): Promise<void> {
    const configOptions = this.#optionsOf(await this.#models().catch(() => undefined));
    await this.#send([{ sessionUpdate: "config_option_update", configOptions }]);
  }

  /** Clients that know options offer no modes. */
  #optionsOf(models?: ModelList): SessionConfigOption[] {
    const { currentModeId, availableModes } = this.modes;
    const options = availableModes.map(({ id, name, ...more }) => ({ value: id, name, ...more }));
    const mode = {
      type: "select",
      id: "mode",
      name: "Mode",
      category: "mode",
      currentValue: currentModeId,
      options,
    } as const;
    return [...(models === undefined ? [] : optionsOf(models)), mode];
  }

  /** Rejects with a `RequestError` for what cannot be chosen. */
  async choose(option: string, value: string | boolean): Promise<SessionConfigOption[]> {
    if (option === "mode") {
      this.setMode(String(value));
      return this.#optionsOf(await this.#models());
    }
    const { client } = this.workspace;
    const models = option === "model" ? (await this.#models()).items : [];
    const found = models.find((each) => nameOf(each) === value);
    const level = option === "thinking" ? THINKING.find((each) => each === value) : undefined;
    if (found === undefined && level === undefined) {
      throw RequestError.invalidParams({ option, value }, `${option} has no value "${value}".`);
    }
    const change = found === undefined ? given({ thinking: level }) : { profile: found.profile, model: found.model };
    await client.request("agentq/chooseModel", { ...this.#own(), ...change });
    return this.#optionsOf(await this.#models());
  }

  dispose(): void {
    if (this.isRunning) void this.cancel().catch(() => undefined);
    this.#conversation.dispose();
  }

  #models(): Promise<ModelList> {
    return this.workspace.client.request("agentq/listModels", this.#own());
  }

  /** Nothing while the conversation is not there yet: what is chosen then is for new ones. */
  #own(): Pick<RequestParams<"agentq/listModels">, "sessionId"> {
    return given({ sessionId: this.#conversation.sessionId });
  }

  /** The editor has texts that nobody saved, and shows what is written by it at once. */
  #editorFiles(signal?: AbortSignal): void {
    const { client, id: sessionId, capabilities, workspace } = this.#parts;
    const { readTextFile = false, writeTextFile = false } = capabilities.fs ?? {};
    // An editor that does not answer holds up no turn that is cancelled.
    const waiting = (): object => given({ cancellationSignal: signal, stopWaitingOnCancel: true });
    workspace.client.buffers.editor = {
      ...(readTextFile && {
        read: async (path) =>
          (await client.request(methods.client.fs.readTextFile, { sessionId, path }, waiting())).content,
      }),
      ...(writeTextFile && {
        write: async (path, content) =>
          void (await client.request(methods.client.fs.writeTextFile, { sessionId, path, content }, waiting())),
      }),
    };
  }

  async #send(updates: readonly SessionUpdate[]): Promise<void> {
    const { client, id: sessionId } = this.#parts;
    for (const update of updates) {
      // A client that is gone ends the process.
      await client.notify(methods.client.session.update, { sessionId, update }).catch(() => undefined);
    }
  }
}

const INTERNAL = -32603;

const MODES = [
  { id: "default", name: "Default", description: "Proposes edits and runs code, and asks you where it must" },
  { id: "plan", name: "Plan", description: "Looks, and changes and runs nothing before you agree to the plan" },
] as const;

function optionsOf({ choice, items }: ModelList): SessionConfigOption[] {
  const current = nameOf(choice);
  const models = new Map(items.map((each) => [nameOf(each), each.name]));
  if (!models.has(current)) models.set(current, choice.model);
  const options = [...models].map(([value, name]) => ({ value, name }));
  const levels = THINKING.map((value) => ({ value, name: value }));
  return [
    { type: "select", id: "model", name: "Model", category: "model", currentValue: current, options },
    {
      type: "select",
      id: "thinking",
      name: "Thinking",
      category: "thought_level",
      currentValue: choice.thinking,
      options: levels,
    },
  ];
}

function nameOf({ profile, model }: { readonly profile: string; readonly model: string }): string {
  return `${profile} ${model}`;
}

function answerOf({ reason, message }: TurnEnd): PromptResponse {
  const stopReason = stopReasonOf(reason);
  if (stopReason === undefined) throw new RequestError(INTERNAL, message ?? `The turn ended with "${reason}".`);
  return { stopReason };
}
