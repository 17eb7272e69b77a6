import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { workspaceMigrations } from "../../../server/src/storage/migrations.ts";
import { openDatabase } from "../../../server/src/storage/open-database.ts";
import { ServerLocks } from "../../../server/src/storage/server-locks.ts";
import { SessionRows } from "../../../server/src/storage/session-rows.ts";

let folder: string;
let file: string;
const open: { close: () => void }[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "agentq-session-rows-"));
  file = path.join(folder, "kept.sqlite");
});

afterEach(() => {
  for (const each of open.splice(0)) each.close();
  rmSync(folder, { recursive: true, force: true });
});

function opened(): DatabaseSync {
  const result = openDatabase(file, workspaceMigrations);
  if ("problem" in result) throw new Error(result.problem);
  open.push(result.database);
  return result.database;
}

function server(): { readonly rows: SessionRows; readonly locks: ServerLocks; readonly database: DatabaseSync } {
  const [database, locks] = [opened(), new ServerLocks(file)];
  open.push({ close: () => locks.release() });
  return { rows: new SessionRows(database, locks), locks, database };
}

const at = (second: number): string => new Date(second * 1_000).toISOString();

function fill(rows: SessionRows, id: string, second: number, words = `Words of ${id}`): void {
  rows.create({ id, words }, at(second));
  const body = JSON.stringify({ kind: "turnStarted", text: words });
  rows.log.append({ session: id, kind: "turn", turn: `t-${id}`, body, words }, at(second));
}

describe("conversations", () => {
  it("are listed in little time, a thousand of them with the pages of all", () => {
    const { rows } = server();
    rows.atOnce(() => {
      for (let index = 0; index < 1_000; index += 1) fill(rows, `s${index}`, index);
    });
    const before = process.cpuUsage();
    const { rows: all, total } = rows.list(1_000, 0);
    const { user, system } = process.cpuUsage(before);
    expect([all.length, total, all[0]?.id, all.at(-1)?.id]).toEqual([1_000, 1_000, "s999", "s0"]);
    expect((user + system) / 1_000).toBeLessThan(50);
  });

  it("belong to one server while a turn runs, and to the next one when the server is gone", () => {
    const [one, two] = [server(), server()];
    fill(one.rows, "a", 1);
    const last = one.rows.log.last("a");
    expect([one.rows.hold("a", last), two.rows.hold("a", last)]).toEqual([undefined, "elsewhere"]);
    expect([one.rows.session("a")?.runs, two.rows.session("a")?.runs]).toEqual(["here", "elsewhere"]);
    expect(two.rows.continued("a")?.cutBy).toBeUndefined();
    one.locks.release();
    expect(two.rows.continued("a")?.cutBy).toBe(one.locks.id);
    expect(two.rows.hold("a", last)).toBeUndefined();
    expect([two.rows.letGo("a", one.locks.id), two.rows.letGo("a", two.locks.id)]).toEqual([false, true]);
    expect([two.rows.hold("a", last - 1), two.rows.hold("b", 0)]).toEqual(["changed", "unknown"]);
  });

  it("leave no lock of a killed server behind for long", () => {
    const killed = path.join(folder, "kept.sqlite.server-00000000-0000-4000-8000-000000000000");
    const { locks } = server();
    locks.hold();
    writeFileSync(killed, "");
    locks.sweep(Date.now());
    expect(existsSync(killed)).toBe(true);
    new ServerLocks(file).sweep(Date.now() + 3_600_000);
    expect(existsSync(killed)).toBe(false);
    expect(existsSync(`${file}.server-${locks.id}`)).toBe(true);
  });

  it("are read in pages that take little time, however long their events are", () => {
    const { rows } = server();
    fill(rows, "a", 1);
    const body = JSON.stringify({ kind: "text", text: "x".repeat(100_000) });
    rows.atOnce(() => {
      for (let index = 0; index < 50; index += 1) {
        rows.log.append({ session: "a", kind: "event", turn: "t-a", body }, at(2));
      }
    });
    const lengths: number[] = [];
    for (let after = 0; ;) {
      const page = rows.log.items("a", "events", { after, limit: 100 });
      if (page.length === 0) break;
      lengths.push(page.length);
      after = page.at(-1)?.seq ?? 0;
    }
    expect(Math.max(...lengths)).toBeLessThanOrEqual(4);
    expect(lengths.reduce((sum, each) => sum + each, 0)).toBe(51);
  });

  it("leave nothing of what was said in the file once they are deleted", () => {
    const { rows, database } = server();
    fill(rows, "a", 1, "The xylophone is out of tune");
    rows.copy("a", { id: "b", name: "fork" }, at(2));
    rows.log.copyItems("a", "b", { after: 0, last: rows.log.last("a"), limit: 10 });
    expect(
      rows.log
        .search('"xylophone"', 5)
        .found.map(({ session }) => session)
        .toSorted(),
    ).toEqual(["a", "b"]);
    for (const id of ["a", "b"]) rows.delete(id);
    expect(rows.log.search('"xylophone"', 5).total).toBe(0);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const dump = new DatabaseSync(file, { readOnly: true });
    open.push(dump);
    for (const table of ["sessions", "session_items", "session_words_content"]) {
      expect(dump.prepare(`SELECT count(*) AS n FROM ${table}`).get()).toEqual({ n: 0 });
    }
  });

  it("hold one event for the pieces of a text, found by words across them", () => {
    const { rows } = server();
    fill(rows, "a", 1);
    const piece = (text: string) => ({
      session: "a",
      kind: "event" as const,
      turn: "t-a",
      body: JSON.stringify({ kind: "text", text }),
    });
    const [first, , last] = ["one ", "two ", "three"].map((text) => rows.log.append(piece(text), at(2)));
    const words = "one two three";
    rows.log.join("a", { first: first ?? 0, last: last ?? 0 }, { ...piece(words), words });
    const events = rows.log.items("a", "events", { after: 0, limit: 10 });
    expect(events.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([{}, { text: words }]);
    expect(rows.log.search('"two three"', 5).found).toMatchObject([{ seq: first }]);
  });
});
