/** The rows of proposals in a workspace's database: who reviews which, in what state, and the texts they are about. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { ServerLocks } from "./server-locks.ts";
import { atOnce } from "./transactions.ts";

export interface ProposalRow {
  readonly id: string;
  readonly session: string | undefined;
  /** When the proposal was made. */
  readonly at: string;
  readonly isPending: boolean;
  readonly body: string;
}

/** Some texts of a proposal as bytes; texts are numbered in the order in which they are written. */
export interface TextRow {
  /** The number of the last text of the row. */
  readonly last: number;
  readonly bytes: Uint8Array;
}

export interface ReadProposal extends ProposalRow {
  readonly texts: readonly TextRow[];
}

/** What is kept of decided proposals at most; those that are pending stay. */
export const LIMITS = { count: 100, days: 30, bytes: 32 * 1024 * 1024 } as const;
/** In place of pending or not: the proposal itself is still to be written. */
const UNWRITTEN = 2;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Contract: all methods throw what SQLite throws. A pending proposal belongs to the server that wrote it, until that one
 * does not run any more.
 */
export class ProposalRows {
  readonly #database: DatabaseSync;
  readonly #locks: ServerLocks;

  constructor(database: DatabaseSync, locks: ServerLocks) {
    this.#database = database;
    this.#locks = locks;
  }

  /** All or nothing: the proposal as it is now, and those of its texts that were not written before. */
  write({ id, session, at, isPending, body }: ProposalRow, texts: readonly TextRow[]): void {
    this.#locks.hold();
    atOnce(this.#database, () => {
      this.#run(
        `INSERT INTO proposals (id, session, server, at, pending, body) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET session = excluded.session, server = excluded.server, pending = excluded.pending,
           body = excluded.body`,
        id,
        session ?? null,
        this.#locks.id,
        at,
        Number(isPending),
        body,
      );
      this.#insert(id, texts);
    });
  }

  /** Texts of a proposal that is going to be written: many of them are written in parts, between which others work. */
  prepare({ id, at }: Pick<ProposalRow, "id" | "at">, texts: readonly TextRow[]): void {
    this.#locks.hold();
    atOnce(this.#database, () => {
      this.#run(
        `INSERT INTO proposals (id, server, at, pending, body) VALUES (?, ?, ?, ${UNWRITTEN}, '') ON CONFLICT (id) DO NOTHING`,
        id,
        this.#locks.id,
        at,
      );
      this.#insert(id, texts);
    });
  }

  /** Makes this server the owner of the pending proposals of servers that have ended, and answers their ids, oldest first. */
  takeOrphans(): string[] {
    const rows = this.#database
      .prepare("SELECT seq, id, server FROM proposals WHERE pending = 1 AND server <> ? ORDER BY seq")
      .all(this.#locks.id);
    if (rows.length === 0) return [];
    const owners = [...new Set(rows.map(({ server }) => String(server)))];
    const dead = new Set(owners.filter((owner) => !this.#locks.isRunning(owner)));
    if (dead.size === 0) return [];
    this.#locks.hold();
    const take = this.#database.prepare("UPDATE proposals SET server = ? WHERE id = ? AND server = ? AND pending = 1");
    // Another server may be at the same: each row goes to one of both.
    const taken = rows.filter(({ id = null, server = null }) => {
      return dead.has(String(server)) && Number(take.run(this.#locks.id, id, server).changes) === 1;
    });
    for (const owner of dead) this.#locks.forget(owner);
    return taken.map(({ id }) => String(id));
  }

  /** Whether servers that run have reviews of this workspace. */
  hasOthersPending(): boolean {
    const sql = "SELECT 1 FROM proposals WHERE pending = 1 AND server <> ? LIMIT 1";
    return this.#database.prepare(sql).get(this.#locks.id) !== undefined;
  }

  /** The ids of the decided proposals, oldest first: of all servers, or of one conversation. */
  decided(session?: string): string[] {
    const of = session ?? null;
    return this.#database
      .prepare("SELECT id FROM proposals WHERE pending = 0 AND (? IS NULL OR session = ?) ORDER BY seq")
      .all(of, of)
      .map(({ id }) => String(id));
  }

  read(id: string): ReadProposal | undefined {
    const row = this.#database.prepare("SELECT id, session, at, pending, body FROM proposals WHERE id = ?").get(id);
    if (row === undefined || row["pending"] === UNWRITTEN) return undefined;
    const texts = this.#database
      .prepare("SELECT last, bytes FROM proposal_texts WHERE proposal = ? ORDER BY last")
      .all(id);
    return {
      id,
      session: row["session"] === null ? undefined : String(row["session"]),
      at: String(row["at"]),
      isPending: row["pending"] === 1,
      body: String(row["body"]),
      texts: texts.map(({ last, bytes }) => ({ last: Number(last), bytes: bytes as Uint8Array })),
    };
  }

  /** Deletes the oldest decided proposals beyond the limits, and what a killed server has not written to its end. */
  prune(now: number, { count, days, bytes }: Readonly<Record<keyof typeof LIMITS, number>> = LIMITS): void {
    const rows = this.#database
      .prepare("SELECT id, at, size FROM proposals WHERE pending = 0 ORDER BY seq DESC")
      .all()
      .map(({ id, at, size }) => ({ id: String(id), at: Date.parse(String(at)), size: Number(size) }));
    let sum = 0;
    const old = rows.filter(({ at, size }, index) => {
      sum += size;
      return index >= count || sum > bytes || !(now - at <= days * DAY_MS);
    });
    const half = this.#database.prepare(`SELECT id, server FROM proposals WHERE pending = ${UNWRITTEN}`).all();
    const left = half.filter(({ server }) => !this.#locks.isRunning(String(server)));
    const gone = [...old, ...left].map(({ id }) => String(id));
    if (gone.length > 0) atOnce(this.#database, () => gone.forEach((id) => this.#delete(id)));
  }

  /** Deletes all but the reviews of servers that run. */
  clear(): void {
    this.takeOrphans();
    const rows = this.#database.prepare("SELECT id FROM proposals WHERE pending = 0 OR server = ?").all(this.#locks.id);
    atOnce(this.#database, () => rows.forEach(({ id }) => this.#delete(String(id))));
    // Until then the file itself holds the texts.
    this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  #insert(id: string, texts: readonly TextRow[]): void {
    if (texts.length === 0) return;
    const insert = this.#database.prepare("INSERT INTO proposal_texts (proposal, last, bytes) VALUES (?, ?, ?)");
    for (const { last, bytes } of texts) insert.run(id, last, bytes);
    const size = texts.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
    this.#run("UPDATE proposals SET size = size + ? WHERE id = ?", size, id);
  }

  #delete(id: string): void {
    this.#run("DELETE FROM proposal_texts WHERE proposal = ?", id);
    this.#run("DELETE FROM proposals WHERE id = ?", id);
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): void {
    this.#database.prepare(sql).run(...values);
  }
}
