/** What can be done with conversations that are kept, without a model: to list, read, name, delete, find, export and fork them. */
import { randomUUID } from "node:crypto";
import { setImmediate as otherWork } from "node:timers/promises";
import { AgentqError, InvalidParamsError } from "../base/errors.ts";
import type { RequestParams } from "../protocol/methods.ts";
import type {
  ExportedSession,
  FoundInSession,
  SessionInfo,
  Transcript,
  TranscriptItem,
} from "../protocol/session-shapes.ts";
import type { Page } from "../protocol/shapes.ts";
import { shortened } from "../base/cut-text.ts";
import type { ItemRow } from "../storage/session-items.ts";
import type { SessionRow } from "../storage/session-rows.ts";
import { given } from "../base/given.ts";
import type { CountedContext } from "./compaction/context-meter.ts";
import { eventOf, type KeptSessions } from "./kept-sessions.ts";
import type { SessionPorts } from "./session.ts";
import { settleFork, settleKilled } from "./settle-session.ts";
import { wordsQuery } from "../storage/session-search.ts";
import { messagesOf } from "./take-up-session.ts";
import { headMarkdown, partMarkdown } from "./transcript-markdown.ts";

const LISTED = 50;
/** Small enough that no page takes the server's time. */
const PAGE = 100;
/** So many items are copied or deleted at once. */
const AT_ONCE = 50;
const FOUND = 50;
const NAME = 60;
const FIRST_WORDS = 200;

export class StoredSessions {
  readonly #kept: KeptSessions;
  readonly #storage: () => Promise<unknown>;

  constructor({ keptSessions, storage }: Pick<SessionPorts, "keptSessions" | "storage">) {
    this.#kept = keptSessions;
    this.#storage = storage;
  }

  /** Newest first. */
  async list({ limit = LISTED, cursor = "0" }: RequestParams<"agentq/listSessions">): Promise<Page<SessionInfo>> {
    await this.#storage();
    const offset = Number(cursor);
    const { rows, total } = this.#kept.rows.list(limit, offset);
    const next = offset + rows.length;
    return { items: rows.map(toInfo), total, ...(next < total ? { nextCursor: String(next) } : {}) };
  }

  async open(params: RequestParams<"agentq/openSession">): Promise<Transcript> {
    const { sessionId, lastTurns, limit = PAGE, cursor } = params;
    const session = await this.#session(sessionId);
    const { rows } = this.#kept;
    const begin = lastTurns === undefined ? undefined : rows.log.turns(sessionId, lastTurns)[0];
    const after = cursor === undefined ? (begin?.seq ?? 1) - 1 : Number(cursor);
    const page = rows.log.items(sessionId, "events", { after, limit });
    const last = page.at(-1)?.seq;
    const hasMore = last !== undefined && rows.log.items(sessionId, "events", { after: last, limit: 1 }).length > 0;
    return {
      session: toInfo(session),
      items: page.map(toItem),
      total: rows.log.count(sessionId),
      earlierTurns: lastTurns === undefined ? 0 : Math.max(0, session.turns - lastTurns),
      ...(hasMore ? { nextCursor: String(last) } : {}),
    };
  }

  /** An empty name gives back the one of the first words. */
  async rename(sessionId: string, name: string): Promise<SessionInfo> {
    await this.#session(sessionId);
    this.#kept.rows.rename(sessionId, this.#kept.withoutKeys(name.trim()));
    return toInfo(await this.#session(sessionId));
  }

  async delete(sessionId: string): Promise<{ readonly deleted: true }> {
    const { runs } = await this.#session(sessionId);
    if (runs !== undefined) {
      const where = runs === "here" ? "" : " in another server of this workspace";
      throw new AgentqError("busy", `A turn of the conversation runs${where}: cancel it first.`);
    }
    const { rows } = this.#kept;
    // Nobody begins a turn in what goes.
    if (rows.hold(sessionId, rows.log.last(sessionId)) !== undefined) {
      throw new AgentqError("busy", "A turn of the conversation has just begun in another server: cancel it first.");
    }
    while (!rows.delete(sessionId, AT_ONCE)) await otherWork();
    return { deleted: true };
  }

  /** The conversations that have all words of the text in one message, the best first. */
  async search(text: string, limit = FOUND): Promise<Page<FoundInSession>> {
    await this.#storage();
    const { rows } = this.#kept;
    const query = wordsQuery(text);
    if (query === undefined) {
      throw new InvalidParamsError([{ path: "/text", expected: "at least one word", received: text }]);
    }
    const { found, total } = rows.log.search(query, limit);
    const items = found.flatMap(({ seq, session, turn, at, body, snippet }): FoundInSession[] => {
      const row = rows.session(session);
      if (row === undefined) return [];
      const by = eventOf({ body }).kind === "text" ? "agent" : "person";
      return [{ session: toInfo(row), itemId: String(seq), turnId: turn, at, by, snippet }];
    });
    return { items, total };
  }

  async export(sessionId: string, format: "markdown" | "json" = "markdown"): Promise<ExportedSession> {
    const session = toInfo(await this.#session(sessionId));
    if (format === "json") return { content: await this.#json(session) };
    const parts = [headMarkdown(session)];
    const items: TranscriptItem[] = [];
    for await (const page of this.#pages(sessionId)) items.push(...page);
    // A turn is written at once: its calls are told with their results.
    for (const turn of Map.groupBy(items, ({ turnId }) => turnId).values()) {
      parts.push(partMarkdown(turn));
      await otherWork();
    }
    return { content: parts.join("") };
  }

  async #json(session: SessionInfo): Promise<string> {
    const { rows } = this.#kept;
    const items: string[] = [];
    for await (const page of this.#pages(session.sessionId)) items.push(...page.map((item) => JSON.stringify(item)));
    const messages = (await messagesOf(this.#kept, session.sessionId)).map((message) => JSON.stringify(message));
    const system = rows.continued(session.sessionId)?.system;
    return [
      `{"session":${JSON.stringify(session)},"system":${JSON.stringify(system ?? null)}`,
      `"items":[\n${items.join(",\n")}\n]`,
      `"messages":[\n${messages.join(",\n")}\n]}\n`,
    ].join(",\n");
  }

  async *#pages(sessionId: string): AsyncGenerator<TranscriptItem[]> {
    for (let after = 0; ;) {
      const page = this.#kept.rows.log.items(sessionId, "events", { after, limit: PAGE });
      yield page.map(toItem);
      after = page.at(-1)?.seq ?? after;
      if (page.length === 0) return;
      await otherWork();
    }
  }

  /** A new conversation with the history up to there. */
  async fork(params: RequestParams<"agentq/forkSession">): Promise<SessionInfo> {
    const { sessionId } = params;
    const { name, words } = await this.#session(sessionId);
    const { rows } = this.#kept;
    const last = this.#lastOfFork(params);
    const id = randomUUID();
    const own = shortened(name === "" ? words.trim().replaceAll(/\s+/g, " ") : name, NAME);
    rows.copy(sessionId, { id, name: `${own} (fork)` }, new Date().toISOString());
    for (let after: number | undefined = 0; after !== undefined; await otherWork()) {
      after = rows.log.copyItems(sessionId, id, { after, last, limit: AT_ONCE });
    }
    rows.atOnce(() => {
      settleFork(this.#kept, rows, id);
      rows.letGo(id, rows.server);
    });
    return toInfo(await this.#session(id));
  }

  #lastOfFork({ sessionId, turnId, itemId }: RequestParams<"agentq/forkSession">): number {
    const { rows } = this.#kept;
    if (itemId !== undefined) {
      const [item] = rows.log.items(sessionId, "events", { after: Number(itemId) - 1, limit: 1 });
      if (item?.seq === Number(itemId)) return item.seq;
      throw new InvalidParamsError([{ path: "/itemId", expected: "an event of that session", received: itemId }]);
    }
    if (turnId === undefined) return rows.log.last(sessionId);
    const turn = rows.log.turns(sessionId).find((each) => each.turn === turnId);
    if (turn !== undefined) return turn.seq - 1;
    throw new InvalidParamsError([{ path: "/turnId", expected: "a turn of that session", received: turnId }]);
  }

  async #session(sessionId: string): Promise<SessionRow> {
    await this.#storage();
    const { rows } = this.#kept;
    settleKilled(this.#kept, sessionId);
    const session = rows.session(sessionId);
    if (session === undefined) throw new AgentqError("unknownSession", `There is no session ${sessionId}.`);
    return session;
  }
}

export function toInfo({
  id,
  name,
  words,
  made,
  used,
  turns,
  runs,
  parent,
  context,
  isPlanning,
}: SessionRow): SessionInfo {
  const mode = isPlanning ? "plan" : undefined;
  const line = words.trim().replaceAll(/\s+/g, " ");
  return {
    sessionId: id,
    name: name === "" ? shortened(line, NAME) : name,
    firstWords: shortened(line, FIRST_WORDS),
    createdAt: made,
    usedAt: used,
    turns,
    ...given({ mode, parent, running: runs, context: context === undefined ? undefined : contextIn(context) }),
  };
}

function contextIn(json: string): NonNullable<SessionInfo["context"]> {
  const { tokens, isEstimate, window } = JSON.parse(json) as CountedContext;
  return { tokens, ...given({ isEstimate, contextWindow: window }) };
}

function toItem(row: ItemRow): TranscriptItem {
  return { itemId: String(row.seq), turnId: row.turn, at: row.at, event: eventOf(row) };
}
