/** The rows of conversations in a workspace's database: their names, who runs which, and what continues them. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { ContextRows } from "./context-rows.ts";
import type { ServerLocks } from "./server-locks.ts";
import { prepared } from "./prepared.ts";
import { QueueRows } from "./queue-rows.ts";
import { SessionItems } from "./session-items.ts";
import { atOnce } from "./transactions.ts";

export interface SessionRow {
  readonly id: string;
  /** Empty where nobody gave one. */
  readonly name: string;
  /** The first words that the person said. */
  readonly words: string;
  readonly made: string;
  readonly used: string;
  readonly turns: number;
  /** The conversation that it answers, and the call; a person may have asked from none. */
  readonly parent?: { readonly sessionId?: string; readonly toolCallId: string };
  /** How full its model's context was last, as JSON of who counts; absent before the first count. */
  readonly context?: string;
  readonly isPlanning: boolean;
  /** Who runs a turn of it. */
  readonly runs: "here" | "elsewhere" | undefined;
}

/** What a server must know of a conversation to continue it. */
export interface Continued {
  readonly system: string | undefined;
  readonly state: string;
  /** The server that ran a turn of it to no end. */
  readonly cutBy: string | undefined;
  readonly last: number;
}

type Row = Record<string, SQLOutputValue>;

const COLUMNS =
  "id, name, words, made, used, turns, server, parent, parent_call, state -> '$.context' AS context, state ->> '$.mode' AS mode";
/** When the conversation, or the one that it answered, was used. */
const USED = "coalesce((SELECT above.used FROM sessions above WHERE above.id = sessions.parent), used)";

/**
 * Contract: all methods throw what SQLite throws. A conversation belongs to the server that runs a turn of it, until the
 * turn ends or the server does.
 */
export class SessionRows {
  readonly #database: DatabaseSync;
  readonly #locks: ServerLocks;
  readonly context: ContextRows;
  readonly log: SessionItems;
  readonly queue: QueueRows;

  constructor(database: DatabaseSync, locks: ServerLocks) {
    this.#database = database;
    this.#locks = locks;
    this.context = new ContextRows(database);
    this.log = new SessionItems(database);
    this.queue = new QueueRows(database);
  }

  get server(): string {
    return this.#locks.id;
  }

  create({ id, words }: Pick<SessionRow, "id" | "words">, at: string): void {
    this.#run("INSERT INTO sessions (id, words, made, used) VALUES (?, ?, ?, ?)", id, words, at, at);
  }

  /** Makes this server the one that runs the conversation. Answers why not; undefined when this server may go on. */
  hold(id: string, last: number): "unknown" | "elsewhere" | "changed" | undefined {
    this.#locks.hold();
    const row = this.#get("SELECT server FROM sessions WHERE id = ?", id);
    if (row === undefined) return "unknown";
    const before = row["server"] ?? null;
    if (this.#runs(before) === "elsewhere") return "elsewhere";
    if (this.log.last(id) !== last) return "changed";
    const taken = this.#run("UPDATE sessions SET server = ? WHERE id = ? AND server IS ?", this.server, id, before);
    return taken === 1 ? undefined : "elsewhere";
  }

  /** Whether the conversation was still that server's. */
  letGo(id: string, server: string): boolean {
    return this.#run("UPDATE sessions SET server = NULL WHERE id = ? AND server = ?", id, server) === 1;
  }

  setSystem(id: string, system: string): void {
    this.#run("UPDATE sessions SET system = ? WHERE id = ?", system, id);
  }

  setParent(id: string, { sessionId, toolCallId }: { sessionId: string | undefined; toolCallId: string }): void {
    this.#run("UPDATE sessions SET parent = ?, parent_call = ? WHERE id = ?", sessionId ?? null, toolCallId, id);
  }

  setState(id: string, state: string): void {
    this.#run("UPDATE sessions SET state = ? WHERE id = ?", state, id);
  }

  rename(id: string, name: string): void {
    this.#run("UPDATE sessions SET name = ? WHERE id = ?", name, id);
  }

  reword(id: string, words: string): void {
    this.#run("UPDATE sessions SET words = ? WHERE id = ?", words, id);
  }

  /** Whether the conversation had no name yet. */
  nameFirst(id: string, name: string): boolean {
    return this.#run("UPDATE sessions SET name = ? WHERE id = ? AND name = ''", name, id) === 1;
  }

  session(id: string): SessionRow | undefined {
    const row = this.#get(`SELECT ${COLUMNS} FROM sessions WHERE id = ?`, id);
    return row && this.#toRow(row);
  }

  continued(id: string): Continued | undefined {
    const row = this.#get("SELECT system, state, server FROM sessions WHERE id = ?", id);
    if (row === undefined) return undefined;
    const { system = null, state = null, server = null } = row;
    return {
      system: system === null ? undefined : String(system),
      state: String(state),
      cutBy: server === null || this.#runs(server) !== undefined ? undefined : String(server),
      last: this.log.last(id),
    };
  }

  /** Newest first, those that answered another one behind it. */
  list(limit: number, offset: number): { readonly rows: readonly SessionRow[]; readonly total: number } {
    const sql = `SELECT ${COLUMNS} FROM sessions
         ORDER BY ${USED} DESC, coalesce(parent, id), parent IS NOT NULL, used DESC, id LIMIT ? OFFSET ?`;
    const rows = prepared(this.#database, sql).all(limit, offset);
    const total = Number(this.#get("SELECT count(*) AS total FROM sessions")?.["total"]);
    return { rows: rows.map((row) => this.#toRow(row)), total };
  }

  /** A conversation that is going to hold what another one does: `copyItems` fills it, and this server lets it go then. */
  copy(from: string, { id, name }: Pick<SessionRow, "id" | "name">, at: string): void {
    this.#locks.hold();
    this.#run(
      `INSERT INTO sessions (id, name, made, used, server, system, state, words)
       SELECT ?, ?, ?, ?, ?, system, state, words FROM sessions WHERE id = ?`,
      id,
      name,
      at,
      at,
      this.server,
      from,
    );
  }

  /** Deletes a conversation from its end on, so many items at most, and answers whether that was all of it. */
  delete(id: string, limit = -1): boolean {
    return this.atOnce(() => {
      if (!this.log.delete(id, limit)) return false;
      this.queue.deleteOf(id);
      this.context.delete(id);
      this.#run("DELETE FROM sessions WHERE id = ?", id);
      return true;
    });
  }

  /** Deletes everything that is kept of conversations, but for those that run elsewhere. */
  clear(): void {
    const { rows } = this.list(-1, 0);
    for (const { id, runs } of rows) if (runs !== "elsewhere") this.delete(id);
  }

  /** All or nothing; within another one a part of that. */
  atOnce<Value>(write: () => Value): Value {
    return atOnce(this.#database, write);
  }

  #toRow(row: Row): SessionRow {
    const text = (name: string): string => String(row[name]);
    return {
      id: text("id"),
      name: text("name"),
      words: text("words"),
      made: text("made"),
      used: text("used"),
      turns: Number(row["turns"]),
      runs: this.#runs(row["server"] ?? null),
      isPlanning: row["mode"] === "plan",
      ...(typeof row["context"] === "string" ? { context: row["context"] } : {}),
      ...parentOf(row),
    };
  }

  #runs(server: SQLOutputValue): SessionRow["runs"] {
    if (server === null) return undefined;
    if (server === this.server) return "here";
    return this.#locks.isRunning(String(server)) ? "elsewhere" : undefined;
  }

  #get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return prepared(this.#database, sql).get(...values);
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(prepared(this.#database, sql).run(...values).changes);
  }
}

function parentOf({ parent = null, parent_call: call = null }: Row): Pick<SessionRow, "parent"> {
  if (call === null) return {};
  return { parent: { toolCallId: String(call), ...(parent === null ? {} : { sessionId: String(parent) }) } };
}
