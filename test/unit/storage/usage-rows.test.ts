import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { workspaceMigrations } from "../../../server/src/storage/migrations.ts";
import { openDatabase } from "../../../server/src/storage/open-database.ts";
import { RememberedUsage, UsageRows, type UsageRow } from "../../../server/src/storage/usage-rows.ts";

let folder: string;
const open: DatabaseSync[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "agentq-usage-rows-"));
});

afterEach(() => {
  for (const each of open.splice(0)) each.close();
  rmSync(folder, { recursive: true, force: true });
});

function opened(): DatabaseSync {
  const result = openDatabase(path.join(folder, "kept.sqlite"), workspaceMigrations);
  if ("problem" in result) throw new Error(result.problem);
  open.push(result.database);
  return result.database;
}

function row(more: Partial<UsageRow> = {}): UsageRow {
  return {
    session: "s",
    root: "s",
    rootTurn: "t",
    at: "2026-11-01T00:00:00.000Z",
    model: "m",
    place: "Anthropic",
    inputTokens: 1,
    outputTokens: 2,
    cacheReadTokens: 3,
    cacheWriteTokens: 40,
    cacheWrite1hTokens: 30,
    cost: 5,
    pricesAsOf: "2026-10-24",
    ...more,
  };
}

const sumOf = (log: UsageRows | RememberedUsage) => log.sum({ root: "s" });

describe("what requests took", () => {
  it("says which cache writes are kept for an hour, and of which day the price was", () => {
    const database = opened();
    const rows = new UsageRows(database);
    rows.add(row());
    rows.add(row({ cacheWrite1hTokens: undefined, pricesAsOf: undefined }));
    expect(database.prepare("SELECT cache_write_1h, prices_as_of FROM usage ORDER BY seq").all()).toEqual([
      { cache_write_1h: 30, prices_as_of: "2026-10-24" },
      { cache_write_1h: null, prices_as_of: null },
    ]);
    expect(sumOf(rows)).toMatchObject({ requests: 2, cacheWriteTokens: 80, cacheWrite1hTokens: 30, cost: 10 });
  });

  it("names each model without a price once, also one with a comma in its name", () => {
    for (const log of [new UsageRows(opened()), new RememberedUsage()]) {
      log.add(row({ model: "qwen3,q4_k_m", cost: undefined }));
      log.add(row({ model: "qwen3,q4_k_m", cost: undefined }));
      log.add(row({ model: 'a "small" one', cost: undefined }));
      log.add(row());
      expect(sumOf(log).unpriced.toSorted()).toEqual(['a "small" one', "qwen3,q4_k_m"]);
    }
  });

  it("is nothing where nothing was asked", () => {
    expect(sumOf(new UsageRows(opened()))).toEqual(sumOf(new RememberedUsage()));
  });
});
