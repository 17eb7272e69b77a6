/** Conversations: who talks about what, which turn runs, what waits for its boundary. */
import type { TurnEnd } from "../agent/loop.ts";
import { given } from "../base/given.ts";
import type { ToolChoice } from "../model/model-port.ts";
import type { Model } from "../model/models.ts";
import { refuseBlank } from "../base/blank-text.ts";
import { AgentqError, InvalidParamsError } from "../base/errors.ts";
import type { CancelResult, PromptResult, RequestParams } from "../protocol/methods.ts";
import type { ModelChoice } from "../protocol/model-shapes.ts";
import type { QueuedPrompt } from "../protocol/queue-methods.ts";
import { activeIn, placeForPeople } from "../surroundings/where-the-person-is.ts";
import { askModel } from "./ask-model.ts";
import { compact, undoCompaction } from "./compaction/by-hand.ts";
import type { CommandAnswer, CommandOutcome, RunCommand } from "./commands/command-outcome.ts";
import { promptText, type ReadyRef } from "./context/prompt-text.ts";
import { KnownSessions } from "./known-sessions.ts";
import type { Mode } from "./plan-mode.ts";
import type { Prompt, PromptQueue } from "./prompt-queue.ts";
import { beginTurn, ELSEWHERE, type TurnWords } from "./session-turn.ts";
import type { Session, SessionPorts, Turn, Work } from "./session.ts";
import { stateOf, type TurnStart } from "./take-up-session.ts";

const QUEUE_ELSEWHERE = "The conversation runs in another server of this workspace: what waits there is changed there.";

/** What a client sends, with what was looked up already. */
export type PromptParams = Omit<RequestParams<"agentq/prompt">, "context"> & { readonly context?: readonly ReadyRef[] };

export class Sessions {
  readonly #ports: SessionPorts;
  readonly #known: KnownSessions;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
    this.#known = new KnownSessions(ports);
  }

  count(): number {
    return this.#known.count;
  }

  /** Throws when there is no such conversation. */
  check(sessionId: string): Promise<void> {
    return this.#known.check(sessionId);
  }

  /** The turns of a conversation, or of all that this server knows of, oldest first. */
  turns(sessionId?: string): ReturnType<KnownSessions["turns"]> {
    return this.#known.turns(sessionId);
  }

  /** The turn that runs. */
  turnOf(sessionId: string | undefined): TurnStart | undefined {
    const turn = sessionId === undefined ? undefined : this.#known.get(sessionId)?.turn;
    return turn && { id: turn.id, text: turn.text, at: turn.at };
  }

  /** Starts a turn and answers at once; while a turn of the session runs, the text waits for its next boundary. */
  async prompt(params: PromptParams): Promise<PromptResult> {
    const { sessionId, newSessionId, text, context = [], active, mode } = params;
    await this.#ports.storage();
    const known = sessionId === undefined ? undefined : await this.#known.open(sessionId);
    const model = this.#ports.models.model(known?.choice);
    if ("unavailable" in model) throw new AgentqError("modelUnavailable", model.unavailable);
    const toolChoice = await this.#toolChoice(params);
    const prompt = { ...(await this.#promptOf(text, context, active)), ...given({ toolChoice }) };
    const session = known ?? this.#known.create(text, newSessionId);
    const isChanged = mode !== undefined && (await this.setMode(session.id, mode));
    await session.sight.glimpsed(context.flatMap(({ uri }) => uri ?? []));
    const id = session.id;
    if (session.turn === undefined) {
      const turnId = this.#ask(session, [prompt], wordsOf([prompt]), model);
      if (isChanged) setImmediate(() => this.#known.get(id)?.turn?.events.emit({ kind: "modeChanged", mode }));
      return { sessionId: id, turnId };
    }
    return { sessionId: id, turnId: session.turn.id, queued: true, promptId: session.queue.add(prompt) };
  }

  /** Throws where no tool has the name. */
  async #toolChoice({ toolChoice: name, sessionId }: PromptParams): Promise<ToolChoice | undefined> {
    if (name === undefined || name === "auto" || name === "required" || name === "none") return name;
    const tools = await (await this.#ports.tools()).schemas(sessionId ?? "");
    if (tools.some((tool) => tool.name === name)) return { name };
    const expected = `"auto", "required", "none" or the name of a tool: ${tools.map((tool) => tool.name).join(", ")}`;
    throw new InvalidParamsError([{ path: "/toolChoice", expected, received: name }]);
  }

  /** Runs a command at once, whatever runs, and shows its outcome in the conversation. The model hears nothing of it. */
  async runCommand({ sessionId, newSessionId, text, active }: PromptParams, run: RunCommand): Promise<PromptResult> {
    await this.#ports.storage();
    const session =
      sessionId === undefined ? this.#known.create(text, newSessionId) : await this.#known.open(sessionId);
    const tell = async (outcome: CommandOutcome, { events }: Turn): Promise<TurnEnd> => {
      const told = await this.#answerOf(session, outcome, active);
      if (told !== undefined) {
        events.emit({ kind: "commandAnswer", asked: text, text: told.answer, ...given({ failed: told.failed }) });
      }
      return { reason: "endTurn" };
    };
    const begin = (work: Work): string => this.#begin(session, { text, isCommand: true }, work);
    const { turn } = session;
    if (turn === undefined) {
      const turnId = begin(async (own) => tell(await run(session.id, own.abort.signal), own));
      return { sessionId: session.id, turnId };
    }
    const outcome = run(session.id, turn.abort.signal);
    outcome
      .then(async (told) => {
        if (session.turn !== undefined) await tell(told, session.turn);
        else begin((own) => tell(told, own));
      })
      .catch(this.#ports.logBug);
    return { sessionId: session.id, turnId: turn.id };
  }

  /** Queues the prompt that a command becomes, or answers the command's text without asking the model. */
  async #answerOf(
    session: Session,
    outcome: CommandOutcome,
    active: PromptParams["active"],
  ): Promise<CommandAnswer | undefined> {
    if ("answer" in outcome) return outcome;
    const model = this.#ports.models.model(session.choice);
    if ("unavailable" in model) return { answer: model.unavailable, failed: true };
    session.queue.add(await this.#promptOf(outcome.prompt, outcome.context ?? [], active));
    return undefined;
  }

  /**
   * Stops the model's stream, running tools and open questions of the session. What was done stays, and what waited is
   * the person's again.
   */
  async cancel(sessionId: string): Promise<CancelResult> {
    await this.check(sessionId);
    const session = this.#known.get(sessionId);
    if (session?.turn === undefined) return { cancelled: false };
    const queued = session.queue.hold();
    session.turn.abort.abort();
    return { cancelled: true, ...(queued.length === 0 ? {} : { queued }) };
  }

  /** Lets the running tool calls finish, then ends the turn. */
  requestStop(sessionId: string): void {
    this.#known.get(sessionId)?.turn?.stop.abort();
  }

  /** What waits of what the person said. Throws when there is no such conversation. */
  async listQueue(sessionId: string): Promise<QueuedPrompt[]> {
    await this.check(sessionId);
    const items = this.#known.queue(sessionId).list();
    return this.#runsElsewhere(sessionId) ? items.map(({ held: _held, ...item }) => item) : items;
  }

  /** For who changes what waits. Throws when there is no such conversation, or when another server runs it. */
  async queueOf(sessionId: string): Promise<PromptQueue> {
    await this.check(sessionId);
    if (this.#runsElsewhere(sessionId)) throw new AgentqError("busy", QUEUE_ELSEWHERE);
    return this.#known.queue(sessionId);
  }

  async editQueued({ sessionId, promptId, text }: RequestParams<"agentq/editQueued">): Promise<QueuedPrompt> {
    refuseBlank(text);
    const queue = await this.queueOf(sessionId);
    return queue.edit(promptId, await this.#promptOf(text, queue.contextOf(promptId)));
  }

  /** What answers in a conversation, after the change. It is kept with the conversation, and holds from the next turn on. */
  async chooseModel(sessionId: string, change: (choice: ModelChoice) => ModelChoice): Promise<ModelChoice> {
    await this.#ports.storage();
    const session = await this.#known.open(sessionId);
    const choice = change(session.choice);
    if (choice === session.choice) return choice;
    if (this.#runsElsewhere(sessionId)) throw new AgentqError("busy", ELSEWHERE);
    session.choice = choice;
    session.record.state(stateOf(this.#ports.keptSessions, session));
    return choice;
  }

  /** Whether the mode was another one before. It is kept with the conversation. Throws when there is no such conversation. */
  async setMode(sessionId: string, mode: Mode): Promise<boolean> {
    await this.#ports.storage();
    const session = await this.#known.open(sessionId);
    if (session.mode === mode) return false;
    if (this.#runsElsewhere(sessionId)) throw new AgentqError("busy", ELSEWHERE);
    session.mode = mode;
    session.record.state(stateOf(this.#ports.keptSessions, session));
    session.turn?.events.emit({ kind: "modeChanged", mode });
    return true;
  }

  /** Answers what became of it, in the turn of a command. Throws a sentence for the person. */
  async compact(sessionId: string, wish: string | undefined, signal: AbortSignal): Promise<string> {
    const session = await this.#known.open(sessionId);
    return compact(session, { ports: this.#ports, wish }, signal);
  }

  /** Takes the last compaction back, likewise. */
  async undoCompaction(sessionId: string): Promise<string> {
    return undoCompaction(await this.#known.open(sessionId), this.#ports);
  }

  dispose(): void {
    for (const session of this.#known.all()) session.turn?.abort.abort();
  }

  async #promptOf(
    text: string,
    context: readonly ReadyRef[],
    active?: RequestParams<"agentq/prompt">["active"],
  ): Promise<Prompt> {
    const place = active && activeIn(this.#ports.paths, active);
    const said = await promptText(text, context, this.#ports);
    const where = place && { place: placeForPeople(place) };
    return { text, context: context.map(({ ready: _ready, ...ref }) => ref), active: place, ...where, ...said };
  }

  #runsElsewhere(sessionId: string): boolean {
    return this.#ports.keptSessions.try((rows) => rows.session(sessionId)?.runs) === "elsewhere";
  }

  #ask(session: Session, prompts: readonly Prompt[], words: TurnWords, model: Model): string {
    const asking = { session, model, ports: this.#ports };
    return this.#begin(session, words, (turn) => askModel(asking, turn, prompts));
  }

  #begin(session: Session, words: TurnWords, work: Work): string {
    const { turn, ended } = beginTurn(session, words, work, this.#ports);
    void ended.then((end) => {
      if (words.isCommand !== true) this.#ports.onTurnEnded?.(session, end);
      this.#askQueued(session);
    });
    return turn.id;
  }

  /** What the person said after the last boundary becomes the next turn. */
  #askQueued(session: Session): void {
    if (session.turn !== undefined) return;
    const prompts = session.queue.take();
    if (prompts.length === 0) return;
    try {
      const model = this.#ports.models.model(session.choice);
      if ("unavailable" in model) throw new AgentqError("modelUnavailable", model.unavailable);
      const promptIds = prompts.map(({ promptId }) => promptId);
      this.#ask(session, prompts, { ...wordsOf(prompts), promptIds }, model);
    } catch (error) {
      session.queue.giveBack(prompts);
      this.#ports.logBug(error);
    }
  }
}

function wordsOf(prompts: readonly Prompt[]): TurnWords {
  const attached = prompts.flatMap((prompt) => prompt.attached ?? []);
  // Prompts of one turn were said one after the other: the last place is where the person is.
  const place = prompts.at(-1)?.place;
  const text = prompts.map((prompt) => prompt.text).join("\n\n");
  return { text, ...(attached.length === 0 ? {} : { attached }), ...given({ place }) };
}
