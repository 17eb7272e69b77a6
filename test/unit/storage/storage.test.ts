import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditEntry } from "../../../server/src/protocol/tool-shapes.ts";
import { AuditStore } from "../../../server/src/storage/audit-store.ts";
import { workspaceMigrations } from "../../../server/src/storage/migrations.ts";
import { openDatabase } from "../../../server/src/storage/open-database.ts";
import { ProposalRows, type ProposalRow } from "../../../server/src/storage/proposal-rows.ts";
import { redacted } from "../../../server/src/storage/redaction.ts";
import { ServerLocks } from "../../../server/src/storage/server-locks.ts";
import { stateFolder, workspaceDatabase, type Machine } from "../../../server/src/storage/state-folder.ts";
import { openWorkspaceStorage, type WorkspaceStorage } from "../../../server/src/storage/workspace-storage.ts";

let folder: string;
let file: string;
const open: { close: () => void }[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "agentq-storage-"));
  file = path.join(folder, "state", "kept.sqlite");
});

afterEach(() => {
  for (const each of open.splice(0)) each.close();
  rmSync(folder, { recursive: true, force: true });
});

function opened(at = file, migrations = workspaceMigrations): DatabaseSync {
  const result = openDatabase(at, migrations);
  if ("problem" in result) throw new Error(result.problem);
  open.push(result.database);
  return result.database;
}

function problemOf(at: string, migrations = workspaceMigrations): string {
  const result = openDatabase(at, migrations);
  return "problem" in result ? result.problem : "none";
}

const entry = (over: Partial<AuditEntry> = {}): AuditEntry => ({
  id: "e1",
  at: new Date().toISOString(),
  toolCallId: "c1",
  tool: "eval_form",
  caller: "model",
  arguments: {},
  outcome: "running",
  ...over,
});

const machine = (variables: Machine["variables"], platform: NodeJS.Platform = "linux"): Machine => ({
  platform,
  home: path.join(folder, "home"),
  variables,
  realPath: (each) => each,
});

describe("a database", () => {
  it("and its folder are readable by their owner alone, as are the files that SQLite puts beside it", () => {
    opened().exec("INSERT INTO calls (id, server, pid, at, outcome, entry) VALUES ('a', 's', 1, 't', 'run', '{}')");
    const names = readdirSync(path.dirname(file));
    expect(names).toEqual(["kept.sqlite", "kept.sqlite-shm", "kept.sqlite-wal"]);
    for (const name of names) expect(statSync(path.join(path.dirname(file), name)).mode & 0o777, name).toBe(0o600);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  });

  it("of an earlier version is brought up to date with its rows kept", () => {
    new AuditStore(opened()).write(entry({ outcome: "run" }));
    const migrations = [...workspaceMigrations, "CREATE TABLE later (a TEXT) STRICT"];
    const after = opened(file, migrations);
    expect(after.prepare("PRAGMA user_version").get()).toEqual({ user_version: migrations.length });
    expect(new AuditStore(after).page().items).toMatchObject([{ id: "e1", outcome: "run" }]);
  });

  it("is left as it was when a migration fails", () => {
    opened();
    const broken = [...workspaceMigrations, "CREATE TABLE half (a TEXT) STRICT; CREATE TABLE calls (b TEXT)"];
    expect(problemOf(file, broken)).toContain("already exists");
    const { tables } = opened().prepare("SELECT count(*) AS tables FROM sqlite_master WHERE name = 'half'").get() ?? {};
    expect(tables).toBe(0);
  });

  it("that a newer version wrote is neither read nor changed", () => {
    opened(file, [...workspaceMigrations, "CREATE TABLE later (a TEXT) STRICT"]);
    expect(problemOf(file)).toMatch(
      /^it was written by a newer Agent-Q \(version \d+ of the file, \d+ is known here\)$/,
    );
  });

  it("that is none, or stands where nothing can be written, is a sentence and no throw", () => {
    const bad = path.join(folder, "bad.sqlite");
    writeFileSync(bad, "no database at all, and long enough to be looked at".repeat(50));
    expect(problemOf(bad)).toContain("not a database");
    expect(readFileSync(bad, "utf8")).toContain("no database at all");
    expect(problemOf(path.join(bad, "below", "x.sqlite"))).toMatch(/ENOTDIR|EEXIST/);
    expect(problemOf("/proc/agentq/x.sqlite")).not.toBe("none");
  });
});

describe("the place of a workspace's database", () => {
  it("is the person's state folder, and no relative variable changes that", () => {
    expect(stateFolder(machine({ XDG_STATE_HOME: "/state" }))).toBe("/state/agentq");
    expect(stateFolder(machine({ XDG_STATE_HOME: "./repo" }))).toBe(path.join(folder, "home/.local/state/agentq"));
    expect(stateFolder(machine({}, "darwin"))).toBe(path.join(folder, "home/Library/Application Support/agentq"));
    expect(stateFolder(machine({ LOCALAPPDATA: "/local" }, "win32"))).toBe("/local/agentq");
  });

  it("is the same for the same folders in any order, and another for others", () => {
    const [one, two] = [workspaceDatabase("/s", ["/a", "/b"]), workspaceDatabase("/s", ["/b", "/a"])];
    expect(path.basename(one).replace(/^\w+-/, "")).toBe(path.basename(two).replace(/^\w+-/, ""));
    expect(workspaceDatabase("/s", ["/a"])).not.toBe(workspaceDatabase("/s", ["/c/a"]));
  });

  it("is never inside of the workspace, where the project could write approvals", () => {
    const result = openWorkspaceStorage(machine({ XDG_STATE_HOME: path.join(folder, "project/.state") }), [
      path.join(folder, "project"),
    ]);
    expect(result).toMatchObject({ problem: expect.stringMatching(/lies inside of the workspace.*memory only/) });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("the audit log on the disk", () => {
  it("tells a call of a dead server as interrupted, and leaves one of a living server alone", () => {
    const database = opened();
    const insert = database.prepare(
      "INSERT INTO calls (id, server, pid, at, outcome, entry) VALUES (?, 'other', ?, ?, 'running', ?)",
    );
    const rows = [
      ["gone", 2 ** 30, new Date().toISOString()],
      ["alive", process.ppid, new Date().toISOString()],
      ["before the machine was started", process.ppid, "2001-01-01T00:00:00.000Z"],
    ] as const;
    for (const [id, pid, at] of rows) insert.run(id, pid, at, JSON.stringify(entry({ id, at })));
    const outcomes = Object.fromEntries(new AuditStore(database).page().items.map((each) => [each.id, each.outcome]));
    expect(outcomes).toEqual({
      gone: "interrupted",
      alive: "running",
      "before the machine was started": "interrupted",
    });
  });

  it("is one for two servers, page by page, and keeps the newest rows", () => {
    const [one, two] = [new AuditStore(opened()), new AuditStore(opened())];
    for (let index = 0; index < 130; index += 1) {
      (index % 2 === 0 ? one : two).write(entry({ id: `e${index}`, sessionId: `s${index % 2}`, outcome: "run" }));
    }
    const first = one.page();
    expect(first).toMatchObject({ total: 130, nextCursor: "100" });
    const ids = [...first.items, ...two.page(undefined, first.nextCursor).items].map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 130 }, (_, index) => `e${index}`));
    expect(one.page("s1").total).toBe(65);
    opened().exec("UPDATE sqlite_sequence SET seq = 50000; UPDATE calls SET seq = seq + 40000 WHERE seq > 100");
    expect(new AuditStore(opened()).page().total).toBe(30);
  });
});

it("keeps the same approvals for every server of the workspace until they are forgotten", () => {
  const at = machine({ XDG_STATE_HOME: folder });
  const servers = [1, 2].map(() => openWorkspaceStorage(at, ["/p"]) as WorkspaceStorage);
  open.push(...servers);
  const [one, two] = servers.map(({ remembered }) => remembered);
  one?.add("k", { id: "r1", at: "2026", tool: "eval_form", arguments: { form: "1" } });
  expect([two?.has("k"), two?.has("l")]).toEqual([true, false]);
  expect(two?.list()).toEqual([{ id: "r1", at: "2026", tool: "eval_form", arguments: { form: "1" } }]);
  expect([two?.forget("r2"), two?.forget("r1"), one?.has("k")]).toEqual([0, 1, false]);
});

describe("the proposals of a workspace", () => {
  const row = (id: string, over: Partial<ProposalRow> = {}): ProposalRow => ({
    id,
    session: undefined,
    at: new Date().toISOString(),
    isPending: false,
    body: "{}",
    ...over,
  });
  const text = (last: number, size: number) => {
    return { last, bytes: new Uint8Array(size).fill(97) };
  };
  const server = (): { rows: ProposalRows; locks: ServerLocks } => {
    const locks = new ServerLocks(file);
    const rows = new ProposalRows(opened(), locks);
    open.push({ close: () => locks.release() });
    return { rows, locks };
  };

  it("go to one server only when the one that reviewed them has ended", () => {
    const [first, second, third] = [server(), server(), server()];
    first.rows.write(row("p", { isPending: true }), [text(0, 10)]);
    expect([second.rows.hasOthersPending(), second.rows.takeOrphans()]).toEqual([true, []]);
    first.locks.release();
    expect([second.rows.takeOrphans(), third.rows.takeOrphans()]).toEqual([["p"], []]);
    expect([second.rows.hasOthersPending(), third.rows.hasOthersPending()]).toEqual([false, true]);
    expect(third.rows.read("p")?.texts).toEqual([text(0, 10)]);
  });

  it("are kept up to a number, an age and a size, the newest first, and open reviews whatever their age", () => {
    const { rows } = server();
    const old = new Date(0).toISOString();
    rows.write(row("open", { isPending: true, at: old }), [text(0, 1_000)]);
    rows.write(row("old", { at: old }), []);
    for (const id of ["a", "b", "c", "d"]) rows.write(row(id), [text(0, 100)]);
    const kept = (limits: { count: number; days: number; bytes: number }): string[] => {
      rows.prune(Date.now(), limits);
      return rows.decided();
    };
    expect(kept({ count: 9, days: 30, bytes: 9_999 })).toEqual(["a", "b", "c", "d"]);
    expect(kept({ count: 3, days: 30, bytes: 9_999 })).toEqual(["b", "c", "d"]);
    expect(kept({ count: 9, days: 30, bytes: 250 })).toEqual(["c", "d"]);
    expect([rows.read("b"), rows.read("open")?.texts.length]).toEqual([undefined, 1]);
  });

  it("that a server had begun to write when it was killed are nobody's, and go", () => {
    const [first, second] = [server(), server()];
    first.rows.prepare(row("half"), [text(0, 10)]);
    expect([second.rows.takeOrphans(), second.rows.decided(), second.rows.read("half")]).toEqual([[], [], undefined]);
    second.rows.prune(Date.now());
    first.locks.release();
    first.rows.write(row("half"), [text(1, 10)]);
    expect(first.rows.read("half")?.texts).toHaveLength(2);
    first.rows.prepare(row("other"), [text(0, 10)]);
    first.locks.release();
    second.rows.prune(Date.now());
    expect(opened().prepare("SELECT proposal FROM proposal_texts").all()).toEqual([
      { proposal: "half" },
      { proposal: "half" },
    ]);
  });
});

it("is made anew when the state folder is closed to others only later", () => {
  opened();
  chmodSync(file, 0o644);
  opened();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

describe("what is written down", () => {
  it.each([
    ["a key that the server knows", "my-own-provider-key", "my-own-provider-key"],
    ["a key of Anthropic", "x = 'sk-ant-api03-abcdefghijklmnop'", "sk-ant"],
    ["a token of GitHub", "ghp_abcdefghijklmnopqrstuvwx", "ghp_"],
    ["a key of Stripe", "sk_live_51HabcdefghijklmnopQRS", "51Habc"],
    ["a secret of a web hook", "whsec_abcdefghijklmnopqrstuvwxyz", "whsec_abc"],
    ["a token of Hugging Face", "HF=hf_AbCdEfGhIjKlMnOpQrStUvWx", "hf_AbC"],
    ["a key of SendGrid", "SG.abcdefghijklmnopqrstuv.ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop", "ABCDEFGH"],
    ["a token of Google", "ya29.a0AfH6SMBabcdefghijklmnop", "a0AfH6"],
    ["a token of DigitalOcean", `dop_v1_${"0a".repeat(32)}`, "0a0a"],
    ["a key of age", `AGE-SECRET-KEY-1${"Q".repeat(58)}`, "QQQ"],
    [
      "a key of a GPG export",
      "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOYB\n-----END PGP PRIVATE KEY BLOCK-----",
      "lQOYB",
    ],
    ["a password that is set", "password=hunter2hunter2", "hunter2"],
    ["a password in JSON", '{"password": "hunter2 or so"}', "hunter2"],
    ["a password in YAML", "db_password: hunter2", "hunter2"],
    ["a password of a variable", "export PGPASSWORD='hunter2'", "hunter2"],
    ["a secret of a variable", "CLIENT_SECRET=abcd1234", "abcd1234"],
    ["an API key of a variable", "MY_API_KEY=abcd1234", "abcd1234"],
    ["a header", "curl -H 'Authorization: Bearer abcdefgh1234' x", "abcdefgh1234"],
    ["a header of another kind", "authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"],
    ["a header with a key", "x-api-key: abcdefgh1234", "abcdefgh1234"],
    ["a password in an address", "postgres://user:hunter2@host/db", "hunter2"],
    ["a password with an at sign in an address", "postgres://user:hun@ter2@host/db", "ter2"],
    ["a token as the user of an address", "https://abcdefgh1234@example.com/a.git", "abcdefgh1234"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "MIIE"],
    ["a private key that was cut", "-----BEGIN PRIVATE KEY-----\nMIIE", "MIIE"],
  ])("does not hold %s, whether in a name or in a value", (_title, text, secret) => {
    const value = { a: [`before ${text} after`], [text]: 1, n: 5, ok: true };
    const kept = JSON.stringify(redacted(value, ["my-own-provider-key", ""]));
    expect(kept).not.toContain(secret);
    expect(kept).toContain("[redacted]");
    expect(kept).toContain('"n":5');
  });

  it.each([
    "const password = input.value;",
    "password: string;",
    "if (password === other) return token;",
    "see https://example.com/a?b=c@d and mail a@example.com",
    "git@github.com:a/b.git",
    "import { skeleton } from './sk-eleton.ts';",
    "type Authorization = 'Bearer' | 'Basic';",
    'passwords: ["one"]',
    "secret: process.env.SECRET,",
    "password: null, token = undefined;",
  ])("is code as it is: %s", (text) => {
    expect(redacted({ text }, []).text).toBe(text);
  });

  it("is cut where a text is as long as a file", () => {
    expect(redacted({ text: "x".repeat(9_000) }, []).text).toMatch(/^x{8000}… \(1000 more characters\)$/);
  });
});
