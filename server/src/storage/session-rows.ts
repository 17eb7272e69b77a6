/** The rows of conversations in a workspace's database: who runs which, the model's history, and what editors were shown. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { ServerLocks } from "./server-locks.ts";
import { searchItems, type FoundItem } from "./session-search.ts";

export interface SessionRow {
  readonly id: string;
  /** Empty where nobody gave one. */
  readonly name: string;
  /** The first words that the person said. */
  readonly words: string;
  readonly made: string;
  readonly used: string;
  readonly turns: number;
  /** Who runs a turn of it. */
  readonly runs: "here" | "elsewhere" | undefined;
}

/** `turn` is the event with which a turn begins. */
export type ItemKind = "message" | "turn" | "event";

export interface ItemRow {
  readonly seq: number;
  readonly kind: ItemKind;
  readonly turn: string;
  readonly at: string;
  readonly body: string;
}

export interface NewItem extends Omit<ItemRow, "seq" | "at"> {
  readonly session: string;
  /** What a search finds the item by. */
  readonly words?: string | undefined;
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

/** In characters: reading it takes a few milliseconds. */
const LONGEST_PAGE = 300_000;
const COLUMNS = "id, name, words, made, used, turns, server";

/**
 * Contract: all methods throw what SQLite throws. A conversation belongs to the server that runs a turn of it, until the
 * turn ends or the server does.
 */
export class SessionRows {
  readonly #database: DatabaseSync;
  readonly #locks: ServerLocks;

  constructor(database: DatabaseSync, locks: ServerLocks) {
    this.#database = database;
    this.#locks = locks;
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
    if (this.last(id) !== last) return "changed";
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

  setState(id: string, state: string): void {
    this.#run("UPDATE sessions SET state = ? WHERE id = ?", state, id);
  }

  rename(id: string, name: string): void {
    this.#run("UPDATE sessions SET name = ? WHERE id = ?", name, id);
  }

  append({ session, kind, turn, body, words }: NewItem, at: string): number {
    return this.atOnce(() => {
      const { lastInsertRowid } = this.#database
        .prepare("INSERT INTO session_items (session, kind, turn, at, body) VALUES (?, ?, ?, ?, ?)")
        .run(session, kind, turn, at, body);
      const seq = Number(lastInsertRowid);
      if (words !== undefined) this.#index(seq, words);
      if (kind === "turn") this.#run("UPDATE sessions SET turns = turns + 1, used = ? WHERE id = ?", at, session);
      return seq;
    });
  }

  /** One event in the place of those from `first` to `last`, which are pieces of one text. */
  join(session: string, { first, last }: { readonly first: number; readonly last: number }, item: NewItem): void {
    this.atOnce(() => {
      const rest = "DELETE FROM session_items WHERE session = ? AND kind = 'event' AND seq > ? AND seq <= ?";
      if (last > first) this.#run(rest, session, first, last);
      this.#run("UPDATE session_items SET body = ? WHERE seq = ?", item.body, first);
      if (item.words !== undefined) this.#index(first, item.words);
    });
  }

  last(id: string): number {
    return Number(this.#get("SELECT max(seq) AS last FROM session_items WHERE session = ?", id)?.["last"] ?? 0);
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
      last: this.last(id),
    };
  }

  /** Newest first. */
  list(limit: number, offset: number): { readonly rows: readonly SessionRow[]; readonly total: number } {
    const rows = this.#database
      .prepare(`SELECT ${COLUMNS} FROM sessions ORDER BY used DESC, id LIMIT ? OFFSET ?`)
      .all(limit, offset);
    const total = Number(this.#get("SELECT count(*) AS total FROM sessions")?.["total"]);
    return { rows: rows.map((row) => this.#toRow(row)), total };
  }

  /** Messages, or events, behind `after`, in their order; less than `limit` of them when they are long. */
  items(id: string, what: "messages" | "events", { after, limit }: Page): ItemRow[] {
    const kinds = what === "messages" ? "kind = 'message'" : "kind <> 'message'";
    const sql = `SELECT seq, kind, turn, at, body FROM session_items WHERE session = ? AND ${kinds} AND seq > ? ORDER BY seq LIMIT ?`;
    const items: ItemRow[] = [];
    let size = 0;
    for (const row of this.#database.prepare(sql).iterate(id, after, limit)) {
      const item = toItem(row);
      items.push(item);
      size += item.body.length;
      if (size > LONGEST_PAGE) break;
    }
    return items;
  }

  /** Everything of the turn that began last. */
  lastTurn(id: string): ItemRow[] {
    const began = this.turns(id, 1)[0]?.seq;
    if (began === undefined) return [];
    const sql = "SELECT seq, kind, turn, at, body FROM session_items WHERE session = ? AND seq >= ? ORDER BY seq";
    return this.#database.prepare(sql).all(id, began).map(toItem);
  }

  /** The events with which turns began, oldest first: all, or the last ones. */
  turns(id: string, limit = -1): ItemRow[] {
    const sql =
      "SELECT seq, kind, turn, at, body FROM session_items WHERE session = ? AND kind = 'turn' ORDER BY seq DESC LIMIT ?";
    return this.#database.prepare(sql).all(id, limit).map(toItem).toReversed();
  }

  search(query: string, limit: number): { readonly found: readonly FoundItem[]; readonly total: number } {
    return searchItems(this.#database, query, limit);
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

  /** The next items behind `after` up to `last`. Answers the last one that was copied; undefined when there is none. */
  copyItems(from: string, id: string, { after, last, limit }: Page & { readonly last: number }): number | undefined {
    return this.atOnce(() => {
      const page = `FROM session_items WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`;
      const of = [from, after, last, limit];
      const copied = this.#get(`SELECT count(*) AS count, max(seq) AS last FROM (SELECT seq ${page})`, ...of);
      const count = Number(copied?.["count"]);
      if (count === 0) return undefined;
      const into = "INSERT INTO session_items (session, kind, turn, at, body)";
      this.#run(`${into} SELECT ?, kind, turn, at, body ${page}`, id, ...of);
      // The new numbers follow each other: nobody else writes meanwhile.
      this.#run(
        `INSERT INTO session_words (rowid, text)
         SELECT ? + own.place, w.text FROM (SELECT seq, row_number() OVER (ORDER BY seq) AS place ${page}) AS own
         JOIN session_words AS w ON w.rowid = own.seq`,
        this.last(id) - count,
        ...of,
      );
      const turns = "(SELECT count(*) FROM session_items WHERE session = sessions.id AND kind = 'turn')";
      this.#run(`UPDATE sessions SET turns = ${turns} WHERE id = ?`, id);
      return Number(copied?.["last"]);
    });
  }

  count(id: string): number {
    const sql = "SELECT count(*) AS total FROM session_items WHERE session = ? AND kind <> 'message'";
    return Number(this.#get(sql, id)?.["total"]);
  }

  /** Deletes a conversation from its end on, so many items at most, and answers whether that was all of it. */
  delete(id: string, limit = -1): boolean {
    return this.atOnce(() => {
      const items = "SELECT seq FROM session_items WHERE session = ? ORDER BY seq DESC LIMIT ?";
      this.#run(`DELETE FROM session_words WHERE rowid IN (${items})`, id, limit);
      this.#run(`DELETE FROM session_items WHERE seq IN (${items})`, id, limit);
      if (this.last(id) > 0) return false;
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
    if (this.#database.isTransaction) return write();
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const value = write();
      this.#database.exec("COMMIT");
      return value;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #index(seq: number, words: string): void {
    this.#run("INSERT OR REPLACE INTO session_words (rowid, text) VALUES (?, ?)", seq, words);
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
    };
  }

  #runs(server: SQLOutputValue): SessionRow["runs"] {
    if (server === null) return undefined;
    if (server === this.server) return "here";
    return this.#locks.isRunning(String(server)) ? "elsewhere" : undefined;
  }

  #get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#database.prepare(sql).get(...values);
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }
}

interface Page {
  readonly after: number;
  readonly limit: number;
}

function toItem(row: Row): ItemRow {
  const text = (name: string): string => String(row[name]);
  return {
    seq: Number(row["seq"]),
    kind: text("kind") as ItemKind,
    turn: text("turn"),
    at: text("at"),
    body: text("body"),
  };
}
