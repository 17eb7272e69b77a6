/** What requests to models took: rows of a workspace's database, or of this server's memory where there is none. */
import type { DatabaseSync } from "node:sqlite";
import { prepared } from "./prepared.ts";

export interface UsageRow {
  readonly session: string;
  /** The conversation and the turn whose spending it is part of. */
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
  /** The tokens written to the cache that are kept for an hour; undefined where the server does not tell. */
  readonly cacheWrite1hTokens: number | undefined;
  /** In billionths of a dollar; undefined where nobody knows the price. */
  readonly cost: number | undefined;
  /** The date of the published price behind the cost, as `2026-10-24`; undefined for the person's own price. */
  readonly pricesAsOf: string | undefined;
}

export interface UsageSum {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The tokens written to the cache that are kept for an hour, as far as servers tell. */
  readonly cacheWrite1hTokens: number;
  /** The cost of the requests that have a price. */
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
  total(cache_read) AS cacheReadTokens, total(cache_write) AS cacheWriteTokens,
  total(cache_write_1h) AS cacheWrite1hTokens, total(cost) AS cost,
  json_group_array(DISTINCT model) FILTER (WHERE cost IS NULL) AS unpriced FROM usage WHERE`;

export class UsageRows implements UsageLog {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  add(row: UsageRow): void {
    const { session, root, rootTurn, at, model, place } = row;
    const sql = `INSERT INTO usage (session, root, root_turn, at, model, place,
      input, output, cache_read, cache_write, cache_write_1h, cost, prices_as_of)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const tokens = [row.inputTokens, row.outputTokens, row.cacheReadTokens, row.cacheWriteTokens];
    const optional = [row.cacheWrite1hTokens ?? null, row.cost ?? null, row.pricesAsOf ?? null];
    prepared(this.#database, sql).run(session, root, rootTurn, at, model, place, ...tokens, ...optional);
  }

  sum(scope: UsageScope): UsageSum {
    const row = this.#sumRow(scope);
    const count = (name: string): number => Number(row?.[name] ?? 0);
    return {
      requests: count("requests"),
      inputTokens: count("inputTokens"),
      outputTokens: count("outputTokens"),
      cacheReadTokens: count("cacheReadTokens"),
      cacheWriteTokens: count("cacheWriteTokens"),
      cacheWrite1hTokens: count("cacheWrite1hTokens"),
      cost: count("cost"),
      unpriced: JSON.parse(String(row?.["unpriced"] ?? "[]")) as string[],
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
      cacheWrite1hTokens: total((row) => row.cacheWrite1hTokens),
      cost: total((row) => row.cost),
      unpriced: [...new Set(rows.flatMap(({ cost, model }) => (cost === undefined ? [model] : [])))],
    };
  }
}
