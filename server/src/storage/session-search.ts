/** Finds conversations by what was said and answered in them. */
import type { DatabaseSync } from "node:sqlite";

export interface FoundItem {
  readonly seq: number;
  readonly session: string;
  readonly turn: string;
  readonly at: string;
  readonly body: string;
  readonly snippet: string;
}

const WORDS_AROUND = 24;

/** What is asked of the index: all words, the last one as the beginning of a word. Undefined when there is no word. */
export function wordsQuery(text: string): string | undefined {
  const words = text.match(/[\p{L}\p{N}_]+/gu);
  return words
    ?.map((word) => `"${word}"`)
    .join(" AND ")
    .concat("*");
}

/** The best first. Contract: throws what SQLite throws. */
export function searchItems(
  database: DatabaseSync,
  query: string,
  limit: number,
): { readonly found: readonly FoundItem[]; readonly total: number } {
  const rows = database
    .prepare(
      `SELECT i.seq, i.session, i.turn, i.at, i.body, snippet(session_words, 0, '«', '»', '…', ${WORDS_AROUND}) AS snippet
       FROM session_words JOIN session_items AS i ON i.seq = session_words.rowid
       WHERE session_words MATCH ? ORDER BY rank, i.seq DESC LIMIT ?`,
    )
    .all(query, limit);
  const counted = database
    .prepare("SELECT count(*) AS total FROM session_words WHERE session_words MATCH ?")
    .get(query);
  const found = rows.map((row) => {
    const text = (name: string): string => String(row[name]);
    return {
      seq: Number(row["seq"]),
      session: text("session"),
      turn: text("turn"),
      at: text("at"),
      body: text("body"),
      snippet: text("snippet"),
    };
  });
  return { found, total: Number(counted?.["total"]) };
}
