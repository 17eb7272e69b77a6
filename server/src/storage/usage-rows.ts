/** What requests to models took: rows of a workspace's database, or of this server's memory where there is none. */
import type { DatabaseSync } from "node:sqlite";
import { prepared } from "./prepared.ts";

export interface UsageRow {
  readonly session: string;
  /** The conversation and the turn that it counts to. */
  readonly root: string;
  readonly rootTurn: string;
  /** An ISO time. */
  readonly at: string;
  readonly model: string;
  /** The server's address, or Anthropic. */
  readonly place: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** In billionths of a dollar; undefined where nobody knows the price. */
  readonly cost: number | undefined;
}

export interface UsageSum {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Of the requests that have a price. */
  readonly cost: number;
  /** The models of the others. */
  readonly unpriced: readonly string[];
}

/** What is summed: all of a conversation, of a turn, or since a time. */
export type UsageScope = { readonly root: string } | { readonly rootTurn: string } | { readonly since: string };

/** Contract: both throw what the disk throws. */
export interface UsageLog {
  add(row: UsageRow): void;
  sum(scope: UsageScope): UsageSum;
}

const SUM = `SELECT count(*) AS requests, total(input) AS inputTokens, total(output) AS outputTokens,
  total(cache_read) AS cacheReadTokens, total(cache_write) AS cacheWriteTokens, total(cost) AS cost,
  group_concat(DISTINCT CASE WHEN cost IS NULL THEN model END) AS unpriced FROM usage WHERE`;

export class UsageRows implements UsageLog {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  add(row: UsageRow): void {
    const { session, root, rootTurn, at, model, place, cost } = row;
    const sql = `INSERT INTO usage (session, root, root_turn, at, model, place, input, output, cache_read, cache_write, cost)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const tokens = [row.inputTokens, row.outputTokens, row.cacheReadTokens, row.cacheWriteTokens];
    prepared(this.#database, sql).run(session, root, rootTurn, at, model, place, ...tokens, cost ?? null);
  }

  sum(scope: UsageScope): UsageSum {
    const row = this.#sumRow(scope);
    const count = (name: string): number => Number(row?.[name] ?? 0);
    const unpriced = row?.["unpriced"];
    return {
      requests: count("requests"),
      inputTokens: count("inputTokens"),
      outputTokens: count("outputTokens"),
      cacheReadTokens: count("cacheReadTokens"),
      cacheWriteTokens: count("cacheWriteTokens"),
      cost: count("cost"),
      unpriced: typeof unpriced === "string" ? unpriced.split(",") : [],
    };
  }

  #sumRow(scope: UsageScope) {
    if ("root" in scope) return prepared(this.#database, `${SUM} root = ?`).get(scope.root);
    if ("rootTurn" in scope) return prepared(this.#database, `${SUM} root_turn = ?`).get(scope.rootTurn);
    return prepared(this.#database, `${SUM} at >= ?`).get(scope.since);
  }
}

export class RememberedUsage implements UsageLog {
  readonly #rows: UsageRow[] = [];

  add(row: UsageRow): void {
    this.#rows.push(row);
  }

  sum(scope: UsageScope): UsageSum {
    const rows = this.#rows.filter((row) => {
      if ("root" in scope) return row.root === scope.root;
      return "rootTurn" in scope ? row.rootTurn === scope.rootTurn : row.at >= scope.since;
    });
    const total = (of: (row: UsageRow) => number | undefined): number =>
      rows.reduce((sum, row) => sum + (of(row) ?? 0), 0);
    return {
      requests: rows.length,
      inputTokens: total((row) => row.inputTokens),
      outputTokens: total((row) => row.outputTokens),
      cacheReadTokens: total((row) => row.cacheReadTokens),
      cacheWriteTokens: total((row) => row.cacheWriteTokens),
      cost: total((row) => row.cost),
      unpriced: [...new Set(rows.flatMap(({ cost, model }) => (cost === undefined ? [model] : [])))],
    };
  }
}
