/** A conversation as the page shows it: the events of its turns as items, and what has changed since the page was told. */
import { shortened } from "../../server/src/base/cut-text.ts";
import { given } from "../../server/src/base/given.ts";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { QueuedPrompt } from "../../server/src/protocol/queue-methods.ts";
import type { Mode, TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { type Call, callDetails, callItem } from "./calls.ts";
import { contextWords, endWords, MODE_WORDS, progressWords, thoughtWords } from "./words.ts";
import type { DetailPart, Item, NoticeItem, Patch, TextItem } from "./page-messages.ts";

type EventOf<Kind extends TurnEvent["kind"]> = Extract<TurnEvent, { readonly kind: Kind }>;

/** An event with what the server says about it. */
export interface Told {
  readonly turnId: string;
  readonly event: TurnEvent;
  /** Counted from 0 in each turn; absent of an event that was kept. */
  readonly seq?: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Of what the person said first, until the conversation has a name. */
const SHOWN_NAME = 40;

export class ConversationState {
  sessionId: string;
  /** The server knows the conversation. */
  isKnown = false;
  name: string | undefined;
  model: string | undefined;
  /** How full the model's context is, in words. */
  context: string | undefined;
  /** In dollars; undefined where a part has no price. */
  cost: number | undefined;
  mode: Mode = "default";
  queue: readonly QueuedPrompt[] = [];
  /** The turn that runs, and when it began. */
  turn: { readonly id: string; readonly since: number; readonly isCommand: boolean } | undefined;
  readonly #items: Item[] = [];
  readonly #places = new Map<string, number>();
  readonly #calls = new Map<string, Call>();
  /** The text or the thoughts that grow, and since when. */
  #open: { readonly id: string; readonly kind: TextItem["kind"]; readonly since: number } | undefined;
  /** What the model's present reply consists of: an attempt that fails makes all of it void. */
  #reply: string[] = [];
  #asked = "";
  #last: { readonly turnId: string; readonly seq: number } | undefined;
  #tokens = { input: 0, output: 0 };
  #count = 0;
  readonly #changed = new Set<string>();
  readonly #added = new Map<string, string>();

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  /** What the page does not know yet; from then on it does. */
  patch(): Patch {
    const items = [...this.#changed].flatMap((id) => this.#items[this.#places.get(id) ?? -1] ?? []);
    const added = [...this.#added].map(([id, text]) => ({ id, text }));
    this.#changed.clear();
    this.#added.clear();
    return { items, added };
  }

  detailsOf(callId: string): DetailPart[] {
    const call = this.#calls.get(callId);
    return call === undefined ? [] : callDetails(call);
  }

  isWaiting(): boolean {
    return [...this.#calls.values()].some(({ state }) => state === "waitingApproval");
  }

  take(told: Told): void {
    this.#checkSequence(told);
    this.isKnown = true;
    const { event, turnId, at } = told;
    switch (event.kind) {
      case "turnStarted":
        this.#tokens = { input: 0, output: 0 };
        this.turn = { id: turnId, since: at, isCommand: event.isCommand === true };
        this.#asked = event.text;
        this.name ??= shortened(event.text.replaceAll(/\s+/g, " "), SHOWN_NAME);
        return this.#said(event, at);
      case "queuedPrompt":
        return this.#said(event, at);
      case "commandAnswer":
        return this.#answer(event, at);
      case "text":
      case "thinking":
        return this.#grow(event, at);
      case "toolCall":
      case "toolResult":
        return this.#call(event, at);
      case "usage":
        return this.#usage(event, at);
      case "compacted":
        this.#fills(event.tokens, event.contextWindow, true);
        this.#close(at);
        return this.#put({
          id: this.#id(),
          kind: "compacted",
          text: event.message,
          ...given({ summary: event.summary }),
        });
      case "compactionUndone":
        return this.#fills(event.tokens, event.contextWindow, true);
      case "retrying":
        return this.#retry(event, at);
      case "notice":
        return this.note(event.level, event.message);
      case "modeChanged":
        this.mode = event.mode;
        return this.note("info", MODE_WORDS[event.mode]);
      case "turnEnded":
        return this.#end(event, at);
      default:
        // What a newer server tells besides.
        event satisfies never;
    }
  }

  note(level: NoticeItem["level"], text: string): void {
    this.#put({ id: this.#id(), kind: "notice", level, text });
  }

  /** The proposal that a call made, as it is now. */
  tellProposal(proposal: Proposal): void {
    const call = this.#calls.get(proposal.toolCallId ?? "");
    if (call === undefined) return;
    // All is decided; the answer comes when the compiler has looked at the files.
    const isDecided = proposal.state !== "pending" && call.state === "waitingApproval";
    this.#keep({ ...call, proposal, ...(isDecided ? { state: "running" } : {}) });
  }

  /** What the conversation does that answers a call. */
  tellProgress(callId: string, event: TurnEvent): void {
    const call = this.#calls.get(callId);
    const progress = progressWords(event);
    if (call !== undefined && progress !== undefined && progress !== call.progress) this.#keep({ ...call, progress });
  }

  /** Calls that wait for a result get none any more. */
  abandon(why: string): void {
    for (const call of this.#calls.values()) {
      if (call.result === undefined && call.state !== "void" && call.abandoned === undefined)
        this.#keep({ ...call, state: "failed", abandoned: why });
    }
  }

  /** Nothing of what was kept goes on any more. */
  settle(why: string): void {
    this.abandon(why);
    this.turn = undefined;
  }

  /** The server ended: what it did for the conversation has ended too. */
  lose(at: number): void {
    this.abandon("the server ended");
    this.queue = [];
    if (this.turn !== undefined) this.#end({ kind: "turnEnded", reason: "error", message: "The server ended." }, at);
  }

  /** The server does not know the conversation any more. */
  renew(sessionId: string): void {
    this.sessionId = sessionId;
    this.isKnown = false;
    this.note("warning", "The model knows nothing of what stands above: the server has not kept it.");
  }

  #checkSequence({ turnId, seq }: Told): void {
    if (seq === undefined) return;
    const expected = this.#last?.turnId === turnId ? this.#last.seq + 1 : 0;
    this.#last = { turnId, seq };
    if (seq > expected) this.note("warning", `${seq - expected} events of this turn were lost.`);
  }

  #said(event: Pick<EventOf<"queuedPrompt">, "text" | "attached" | "place">, at: number): void {
    this.#close(at);
    this.#reply = [];
    const { text, attached = [] } = event;
    let { place } = event;
    for (const name of attached) {
      // What is selected where the cursor is stands there once.
      if (place?.startsWith(`${name} · `) === true) place = place.slice(name.length + 3);
    }
    const all = place === undefined || attached.includes(place) ? attached : [...attached, place];
    this.#put({ id: this.#id(), kind: "you", text, attached: all });
  }

  #answer({ asked, text, failed }: EventOf<"commandAnswer">, at: number): void {
    // The question stands above the answer already, unless the command was given while another turn ran.
    if (asked !== this.#asked) this.#put({ id: this.#id(), kind: "you", text: asked, attached: [] });
    if (failed === true) return this.note("error", text);
    this.#close(at);
    this.#put({ id: this.#id(), kind: "text", text });
  }

  #grow(event: EventOf<"text" | "thinking">, at: number): void {
    const kind = event.kind === "text" ? "text" : "thoughts";
    if (this.#open?.kind !== kind) {
      this.#close(at);
      this.#open = { id: this.#id(), kind, since: at };
      this.#reply.push(this.#open.id);
      const words = kind === "thoughts" ? { words: "Thinking …" } : {};
      return this.#put({ id: this.#open.id, kind, text: event.text, ...words });
    }
    const { id } = this.#open;
    const place = this.#places.get(id) ?? -1;
    const item = this.#items[place] as TextItem;
    this.#items[place] = { ...item, text: item.text + event.text };
    if (!this.#changed.has(id)) this.#added.set(id, (this.#added.get(id) ?? "") + event.text);
  }

  #close(at: number): void {
    const open = this.#open;
    this.#open = undefined;
    if (open?.kind !== "thoughts") return;
    const item = this.#items[this.#places.get(open.id) ?? -1] as TextItem;
    this.#put({ ...item, words: thoughtWords(at - open.since) });
  }

  #call(event: EventOf<"toolCall" | "toolResult">, at: number): void {
    const { toolCallId: id, name } = event;
    let call = this.#calls.get(id);
    if (call === undefined) {
      this.#close(at);
      this.#reply.push(id);
      call = { id, name, state: "running" };
    }
    if (event.kind === "toolResult")
      return this.#keep({ ...call, result: event.result, state: event.result.success ? "done" : "failed" });
    // The result may have told already that the call failed; "done" does not soften that.
    const state = call.state === "failed" ? "failed" : event.state;
    const hasWaited = call.hasWaited === true || event.state === "waitingApproval";
    this.#keep({ ...call, state, hasWaited, ...given({ arguments: event.arguments }) });
  }

  #usage(event: EventOf<"usage">, at: number): void {
    this.cost = event.sessionCost;
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = event;
    const input = inputTokens + cacheReadTokens + cacheWriteTokens;
    this.#tokens = { input: this.#tokens.input + input, output: this.#tokens.output + outputTokens };
    // A summary is written in a context of its own.
    if (event.purpose !== undefined) return;
    this.#close(at);
    this.#reply = [];
    this.model = event.model ?? this.model;
    this.#fills(input + outputTokens, event.contextWindow, event.isEstimate === true);
  }

  #fills(tokens: number | undefined, window: number | undefined, isEstimate: boolean): void {
    if (tokens !== undefined) this.context = contextWords(tokens, window, isEstimate);
  }

  #retry({ attempt, reason, waitMs }: EventOf<"retrying">, at: number): void {
    this.#close(at);
    for (const id of this.#reply) {
      const call = this.#calls.get(id);
      const item = this.#items[this.#places.get(id) ?? -1];
      if (call?.state === "preparing") this.#keep({ ...call, state: "void" });
      else if (item?.kind === "text" || item?.kind === "thoughts") this.#put({ ...item, isVoid: true });
    }
    this.#reply = [];
    this.note("warning", `Attempt ${attempt} failed (${reason}); again in ${(waitMs / 1000).toFixed(1)} s.`);
  }

  #end({ reason, message = "" }: EventOf<"turnEnded">, at: number): void {
    this.#close(at);
    this.#reply = [];
    const { turn } = this;
    this.turn = undefined;
    if (message !== "") this.note("error", message);
    const isCalm = reason === "endTurn";
    if (isCalm && turn?.isCommand === true) return;
    const text = endWords(reason, turn === undefined ? undefined : at - turn.since, this.#tokens);
    this.#put({ id: this.#id(), kind: "end", text, isCalm });
  }

  #keep(call: Call): void {
    this.#calls.set(call.id, call);
    this.#put(callItem(call));
  }

  #put(item: Item): void {
    const place = this.#places.get(item.id) ?? this.#items.length;
    this.#places.set(item.id, place);
    this.#items[place] = item;
    this.#added.delete(item.id);
    this.#changed.add(item.id);
  }

  #id(): string {
    this.#count += 1;
    return `i${this.#count}`;
  }
}
