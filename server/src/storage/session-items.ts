/** What is kept of conversations, in the order in which it happened: the model's history, and what editors were shown. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { prepared } from "./prepared.ts";
import { searchItems, type FoundItem } from "./session-search.ts";
import { atOnce } from "./transactions.ts";

/** `turn` is the event with which a turn begins, `view` what the model is sent of the messages from here on. */
export type ItemKind = "message" | "turn" | "event" | "view";

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

type Row = Record<string, SQLOutputValue>;

interface Page {
  readonly after: number;
  readonly limit: number;
}

/** In words that keep to the order of the log: a list of kinds would be sorted anew for each page. */
const EVENTS = "kind NOT IN ('message', 'view')";

/** In characters: reading it takes a few milliseconds. */
const LONGEST_PAGE = 300_000;

/** Contract: all methods throw what SQLite throws. */
export class SessionItems {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  append({ session, kind, turn, body, words }: NewItem, at: string): number {
    return atOnce(this.#database, () => {
      const sql = "INSERT INTO session_items (session, kind, turn, at, body) VALUES (?, ?, ?, ?, ?)";
      const { lastInsertRowid } = prepared(this.#database, sql).run(session, kind, turn, at, body);
      const seq = Number(lastInsertRowid);
      if (words !== undefined) this.#index(seq, words);
      if (kind === "turn") this.#run("UPDATE sessions SET turns = turns + 1, used = ? WHERE id = ?", at, session);
      return seq;
    });
  }

  /** One event in the place of those from `first` to `last`, which are pieces of one text. */
  join(session: string, { first, last }: { readonly first: number; readonly last: number }, item: NewItem): void {
    atOnce(this.#database, () => {
      const rest = "DELETE FROM session_items WHERE session = ? AND kind = 'event' AND seq > ? AND seq <= ?";
      if (last > first) this.#run(rest, session, first, last);
      this.#run("UPDATE session_items SET body = ? WHERE seq = ?", item.body, first);
      if (item.words !== undefined) this.#index(first, item.words);
    });
  }

  last(id: string): number {
    return Number(this.#get("SELECT max(seq) AS last FROM session_items WHERE session = ?", id)?.["last"] ?? 0);
  }

  /** Messages, or events, behind `after`, in their order; less than `limit` of them when they are long. */
  items(id: string, what: "messages" | "events", { after, limit }: Page): ItemRow[] {
    const kinds = what === "messages" ? "kind = 'message'" : EVENTS;
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

  /** All views, oldest first. */
  views(id: string): ItemRow[] {
    const sql = "SELECT seq, kind, turn, at, body FROM session_items WHERE session = ? AND kind = 'view' ORDER BY seq";
    return this.#database.prepare(sql).all(id).map(toItem);
  }

  /** All messages and events of the turn that began last. */
  lastTurn(id: string): ItemRow[] {
    const began = this.turns(id, 1)[0]?.seq;
    if (began === undefined) return [];
    const sql =
      "SELECT seq, kind, turn, at, body FROM session_items WHERE session = ? AND seq >= ? AND kind <> 'view' ORDER BY seq";
    return prepared(this.#database, sql).all(id, began).map(toItem);
  }

  /** The events with which turns began, oldest first: all, or the last ones. */
  turns(id: string, limit = -1): ItemRow[] {
    const sql =
      "SELECT seq, kind, turn, at, body FROM session_items WHERE session = ? AND kind = 'turn' ORDER BY seq DESC LIMIT ?";
    return prepared(this.#database, sql).all(id, limit).map(toItem).toReversed();
  }

  search(query: string, limit: number): { readonly found: readonly FoundItem[]; readonly total: number } {
    return searchItems(this.#database, query, limit);
  }

  /** The next items behind `after` up to `last`. Answers the last one that was copied; undefined when there is none. */
  copyItems(from: string, id: string, { after, last, limit }: Page & { readonly last: number }): number | undefined {
    return atOnce(this.#database, () => {
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
    const sql = `SELECT count(*) AS total FROM session_items WHERE session = ? AND ${EVENTS}`;
    return Number(this.#get(sql, id)?.["total"]);
  }

  /** Deletes so many from the end on, and answers whether those were all. */
  delete(id: string, limit: number): boolean {
    const items = "SELECT seq FROM session_items WHERE session = ? ORDER BY seq DESC LIMIT ?";
    this.#run(`DELETE FROM session_words WHERE rowid IN (${items})`, id, limit);
    this.#run(`DELETE FROM session_items WHERE seq IN (${items})`, id, limit);
    return this.last(id) === 0;
  }

  #index(seq: number, words: string): void {
    this.#run("INSERT OR REPLACE INTO session_words (rowid, text) VALUES (?, ?)", seq, words);
  }

  #get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return prepared(this.#database, sql).get(...values);
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(prepared(this.#database, sql).run(...values).changes);
  }
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
