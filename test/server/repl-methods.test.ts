/** The image's requests over real stdio: values by page, completion, history, restart with replay, start-up, progress. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { reply, type Script } from "../../examples/demo/model/script.ts";
import type { NotificationParams } from "../../server/src/protocol/methods.ts";
import { callAsAgent, calls } from "../support/agent-calls.ts";
import { imagesOf } from "../support/images.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";
import { describeWalled } from "../support/wall.ts";

const stage = serverStage({ project: new URL("../fixtures/repl-project", import.meta.url), freshRepl: true });
let folder: string;
let client: ServerClient;
/** How many forms were evaluated before the test. */
let earlier: number;

beforeEach(async () => {
  ({ folder, client } = stage);
  stage.script = calls;
  ({ total: earlier } = await client.request("agentq/replHistory", {}));
});

/** What the first, second, … form of the test is called. */
const id = (form: number): string => String(earlier + form);

const evaluate = (code: string) => client.request("agentq/evaluate", { code });

describe("agentq/inspectValue", () => {
  it("pages a kept value, goes inside by steps, and sees a module's own names", async () => {
    const { valueId = "" } = await evaluate(
      "import { Invoice } from './src/invoice.ts'; Array.from({ length: 120 }, (_, n) => new Invoice('customer ' + n))",
    );
    const page = await client.request("agentq/inspectValue", { value: valueId, page: 3 });
    expect(page).toMatchObject({ kind: "array", type: "Array(120)", total: 120, page: 3, pages: 3 });
    expect(page.items).toHaveLength(20);
    expect(page.items[0]).toMatchObject({ name: "100", step: "100", type: "Invoice", opens: true });
    const invoice = await client.request("agentq/inspectValue", { value: valueId, path: ["7"] });
    expect(invoice.items).toMatchObject([{ name: "customer", preview: '"customer 7"' }]);
    expect(invoice.extras[0]).toMatchObject({ name: "#lines", kind: "private", step: "#lines" });
    const own = await client.request("agentq/inspectValue", { value: "issued", module: "src/invoice.ts" });
    expect(own).toMatchObject({ kind: "primitive", preview: "120" });
  });

  it("refuses with its reason what is not there, what has an effect, and what no image holds", async () => {
    const refusal = (params: Parameters<typeof ask>[0]) => ask(params).catch((error: unknown) => error);
    const ask = (params: { value: string; path?: string[]; module?: string }) =>
      client.request("agentq/inspectValue", params);
    const fresh = await stage.start();
    await expect(fresh.request("agentq/inspectValue", { value: "$1" })).rejects.toMatchObject({ code: -33006 });
    await evaluate("({ a: 1, get b() { return 2 } })");
    const value = `$${id(1)}`;
    expect(await refusal({ value, path: ["c"] })).toMatchObject({
      code: -32602,
      data: { path: "/path", expected: "There is no c here. It has: a, b." },
    });
    expect(await refusal({ value, path: ["b"] })).toMatchObject({ data: { path: "/path" } });
    expect(await refusal({ value: `${value}.a = 2` })).toMatchObject({ data: { path: "/value" } });
    expect(await refusal({ value: "x", module: "/etc/passwd" })).toMatchObject({ data: { path: "/module" } });
  });
});

describe("agentq/formAt", () => {
  it("finds the top-level form at a position, as the open document is now", async () => {
    const uri = pathToFileURL(path.join(folder, "src/forms.ts")).href;
    const lines = [
      "const one = 1;",
      "",
      "/** Doubles. */",
      "export function twice(n: number): number {",
      "  return n * 2;",
      "}",
      "  @sealed class Seal {}",
    ];
    await client.open(path.join(folder, "src/forms.ts"), lines.join("\n"));
    const at = async (line: number, character: number): Promise<string> => {
      const { range } = await client.request("agentq/formAt", { uri, position: { line, character } });
      return range === null
        ? "none"
        : `${range.start.line}:${range.start.character}-${range.end.line}:${range.end.character}`;
    };
    expect(await at(0, 3)).toBe("0:0-0:14");
    expect(await at(0, 14)).toBe("0:0-0:14");
    expect(await at(2, 5)).toBe("3:0-5:1");
    expect(await at(4, 4)).toBe("3:0-5:1");
    expect(await at(5, 1)).toBe("3:0-5:1");
    expect(await at(6, 0)).toBe("6:2-6:23");
    const declaring = await client.request("agentq/formAt", { uri, position: { line: 4, character: 4 } });
    expect(declaring.declares).toBe(true);
    await client.open(path.join(folder, "src/forms.ts"), "twice(1)");
    expect(await client.request("agentq/formAt", { uri, position: { line: 0, character: 0 } })).toMatchObject({
      declares: false,
    });
    await client.open(path.join(folder, "src/forms.ts"), "const = 1");
    expect(await at(0, 3)).toBe("none");
    expect(
      await client.request("agentq/formAt", { uri: `${uri}x`, position: { line: 0, character: 0 } }).catch(String),
    ).toContain("a file");
  });
});

describe("agentq/evaluate", () => {
  it("installs declarations in the running module, although its buffer has gone on, and says who sees them", async () => {
    const file = path.join(folder, "src/twice.ts");
    const source = "export function twice(n: number): number {\n  return n * 2;\n}\n";
    writeFileSync(file, source);
    await evaluate("import { twice } from './src/twice.ts'; twice(2)");
    const form = source.replace("* 2", "* 3");
    await client.open(file, form);
    const result = await client.request("agentq/evaluate", { code: form, module: "src/twice.ts", install: true });
    expect(result.installed).toContain("redefined: function twice in src/twice.ts");
    expect(result).not.toHaveProperty("installation");
    expect(await evaluate("twice(2)")).toMatchObject({ preview: "6" });
  });
});

describe("agentq/interrupt", () => {
  it("stops one of several by the id that the history names, and ends what a form left open", async () => {
    await evaluate("setInterval(() => {}, 1e6); 1");
    const first = evaluate("await new Promise(() => setTimeout(() => {}, 1e6))");
    const second = evaluate("await new Promise(() => setTimeout(() => {}, 1e6)); 2");
    const stoppable = async (): Promise<readonly string[]> =>
      (await client.request("agentq/replHistory", { only: "stoppable" })).items.map(({ evalId }) => evalId);
    await vi.waitFor(async () => expect(await stoppable()).toEqual([id(3), id(2), id(1)]), 40_000);
    expect(await client.request("agentq/interrupt", { evalId: id(2) })).toEqual({ interrupted: true });
    expect(await first).toMatchObject({ evalId: id(2), outcome: "interrupted" });
    expect(await client.request("agentq/interrupt", { evalId: id(1) })).toEqual({
      interrupted: true,
      ended: "1 timer",
    });
    expect(await client.request("agentq/interrupt", { evalId: id(1) })).toEqual({ interrupted: false });
    expect(await stoppable()).toEqual([id(3)]);
    expect(await client.request("agentq/interrupt", {})).toEqual({ interrupted: true });
    expect(await second).toMatchObject({ evalId: id(3), outcome: "interrupted" });
    expect(await client.request("agentq/interrupt", {})).toEqual({ interrupted: false });
  });
});

describe("agentq/interrupt of a tool that the person called", () => {
  it("ends a test run that does not end", async () => {
    const slow = 'import { test } from "node:test"; test("slow", () => new Promise((done) => setTimeout(done, 1e6)));';
    writeFileSync(path.join(folder, "slow.test.mjs"), slow);
    const run = client.request("agentq/callTool", { name: "run_tests", arguments: { path: "slow.test.mjs" } });
    expect(await client.request("agentq/interrupt", {})).toEqual({ interrupted: true });
    expect(await run).toMatchObject({ success: false, error: expect.stringContaining("cancelled") as string });
    expect(await client.request("agentq/interrupt", {})).toEqual({ interrupted: false });
  });
});

describe("agentq/completeInRepl", () => {
  it("completes at a position of a form of several lines", async () => {
    await evaluate("const basket = { apples: 1, pears: 2 }; 1");
    const answer = await client.request("agentq/completeInRepl", {
      code: "const n = 1;\nbasket.app",
      position: { line: 1, character: 10 },
    });
    expect(answer.items).toMatchObject([{ label: "apples", kind: 10, detail: "property, number" }]);
    expect(answer.replace).toEqual({ start: { line: 1, character: 7 }, end: { line: 1, character: 10 } });
  });
});

describe("agentq/replHistory and agentq/restartRepl", () => {
  it("keep both users' forms through a crash, and run them again when asked", async () => {
    client = await stage.start();
    await evaluate("let total = 40; ({ total })");
    await callAsAgent(client, "eval_form", { form: "total += 2" });
    const crash = await evaluate("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})");
    expect(crash).toMatchObject({ outcome: "crashed", stateKept: false });
    expect(crash.notes.at(-1)?.message).toBe(
      "2 forms that succeeded can be run again in a fresh process, with all effects.",
    );
    const before = await client.request("agentq/replHistory", {});
    expect(before.items.map(({ evalId, by, outcome }) => [evalId, by, outcome])).toEqual([
      ["3", "person", "crashed"],
      ["2", "agent", "value"],
      ["1", "person", "value"],
    ]);
    const { replayed, state } = await client.request("agentq/restartRepl", { replay: ["all"] });
    expect(state).toBe("idle");
    expect(replayed?.map(({ replayOf, by }) => [replayOf, by])).toEqual([
      ["1", "person"],
      ["2", "agent"],
    ]);
    expect(await evaluate("[total, $1.total]")).toMatchObject({ preview: "[42, 40]" });
    const page = await client.request("agentq/replHistory", { limit: 2 });
    expect(page.total).toBe(6);
    expect(page.nextCursor).toBeDefined();
    const wrong = client.request("agentq/replHistory", { cursor: "later" });
    await expect(wrong).rejects.toMatchObject({ code: -32602, data: { path: "/cursor" } });
  });

  it("answer the same to the agent, as text", async () => {
    client = await stage.start();
    await evaluate("let x = 1; x");
    const tool = async (name: string, args: object) =>
      (await client.request("agentq/callTool", { name, arguments: { ...args } })).content.replace(/[\d.]+ ms/g, "N ms");
    expect(await tool("get_repl_history", {})).toBe(
      "1 person: value $1 : number = 1 (N ms)\n  | let x = 1; x\n(1 of 1 evaluations)",
    );
    expect(await tool("restart_repl", { replay: ["1", "9"] }), "refused").toBe("");
    expect(await tool("restart_repl", { replay: ["1"] })).toBe(
      "The REPL runs in a fresh process.\n1 form was run again:\n2 person (again 1): value $2 : number = 1 (N ms)\n  | let x = 1; x",
    );
    expect(await tool("inspect_object", { value: "x" })).toBe("x: number = 1");
  });
});

describe("trace_function, built", () => {
  it("names the caller, not the image's own file, and refuses without its own form", async () => {
    const tool = async (name: string, args: object) => {
      const { content, error } = await client.request("agentq/callTool", { name, arguments: { ...args } });
      return content || error;
    };
    await tool("trace_function", { symbol: "src/money.ts#money" });
    const told = await tool("eval_form", {
      form: "import { money } from './src/money.ts'; function ask() { return money(7); } ask()",
    });
    expect(told).toContain(`→ src/money.ts#money(7)  from ask (repl:${id(2)}:1:65)`);
    expect(await tool("trace_function", { symbol: "src/invoice.ts#Invoice" })).toBe(
      "src/invoice.ts#Invoice is a class: name one of its methods, src/invoice.ts#Invoice.method.",
    );
  });
});

it("evaluates the start-up script that the editor's user named, and tells when it fails", async () => {
  writeFileSync(
    path.join(folder, "start.ts"),
    "import { rate } from './src/money.ts';\nlet ready: number = rate; throw new Error('half way')\n",
  );
  client = await stage.start({ repl: { startup: "start.ts" } });
  const first = await evaluate("ready");
  expect(first).toMatchObject({ outcome: "value", preview: "2" });
  const message = "The start-up script start.ts failed, and the REPL goes on without it: Error: half way";
  expect(first.notes).toMatchObject([{ severity: "warning", message }]);
  await client.waitFor(({ method, params }) =>
    method === "agentq/replOutput" && params.text.includes(message) ? true : undefined,
  );
});

it("shows an evaluation that takes long as progress, under the client's token or under its own", async () => {
  const seen: { token: unknown; value: { kind: string } }[] = [];
  const created: unknown[] = [];
  const listen = ({ connection }: ServerClient): void => {
    connection.onNotification("$/progress", (params: (typeof seen)[0]) => void seen.push(params));
    connection.onRequest("window/workDoneProgress/create", ({ token }: { token: unknown }) => {
      created.push(token);
      return null;
    });
  };
  client = await stage.start({}, { capabilities: { window: { workDoneProgress: true } }, listen });
  const wait = "await new Promise((resolve) => setTimeout(resolve, 2300)); 1";
  await client.request("agentq/evaluate", { code: wait, workDoneToken: "mine" });
  const mine = seen.filter(({ token }) => token === "mine").map(({ value }) => value.kind);
  expect(mine[0]).toBe("begin");
  expect(mine.at(-1)).toBe("end");
  expect(mine).toContain("report");
  const before = created.length;
  await client.request("agentq/callTool", { name: "eval_form", arguments: { form: wait } });
  expect(created.length).toBe(before + 1);
  // Under a token of the server's own the end may follow the answer.
  await client.request("agentq/evaluate", { code: "1" });
  const own = seen.filter(({ token }) => token === created.at(-1)).map(({ value }) => value.kind);
  expect([own[0], own.at(-1)]).toEqual(["begin", "end"]);
  const quick = seen.length;
  await client.request("agentq/evaluate", { code: "1", workDoneToken: "quick" });
  expect(seen.slice(quick).filter(({ token }) => token === "quick")).toEqual([]);
}, 60_000);

it("tells the person's editor when the agent's forms begin and end, and nothing about looks", async () => {
  type Told = NotificationParams["agentq/agentEvaluation"];
  const told = (): Told[] =>
    client.received.flatMap(({ method, params }) => (method === "agentq/agentEvaluation" ? [params] : []));
  await callAsAgent(client, "eval_form", { form: "console.log('out'); 6 * 7" });
  await callAsAgent(client, "trace_function", {});
  // A tool that the person calls is the person's.
  await client.request("agentq/callTool", { name: "eval_form", arguments: { form: "'mine'" } });
  const form = "export function money(n: number) { return n; }";
  await callAsAgent(client, "eval_form", { form: "import './src/money.ts'" });
  await callAsAgent(client, "compile_form", { path: "src/money.ts", form });
  await vi.waitFor(() => expect(told()).toHaveLength(6), 40_000);
  expect(told().map(({ evalId, code, result }) => [evalId, code, result?.outcome])).toEqual([
    [id(1), "console.log('out'); 6 * 7", undefined],
    [id(1), "console.log('out'); 6 * 7", "value"],
    [id(4), "import './src/money.ts'", undefined],
    [id(4), "import './src/money.ts'", "value"],
    [id(5), form, undefined],
    [id(5), form, "value"],
  ]);
  expect(told()[1]?.result).toMatchObject({ preview: "42", valueId: `$${id(1)}`, stdout: "" });
  expect(told()[5]).toMatchObject({ module: path.join(folder, "src/money.ts") });
  expect(told()[5]?.result?.installed).toContain("money");
});

describeWalled("a process that stands ready", () => {
  const images = ({ child }: ServerClient): number[] => imagesOf(child.pid ?? 0);
  const untilReady = (server: ServerClient): Promise<number[]> =>
    vi.waitUntil(() => images(server).length === 1 && images(server), { timeout: 40_000, interval: 50 });
  const call = (server: ServerClient, name: string, args: Record<string, unknown>): Promise<unknown> =>
    server.request("agentq/callTool", { name, arguments: args });
  const slow: Script = {
    name: "slow",
    description: "takes its time",
    reply: () => ({ ...reply("word ".repeat(400)), paceMs: 100 }),
  };
  const trial = { edits: [{ path: "src/money.ts", modified: "export const rate: number = 3;\n" }], form: "6 * 7" };

  it.each<[string, (server: ServerClient) => Promise<unknown>, (server: ServerClient) => Promise<unknown>]>([
    [
      "an evaluation, once the person looks at the REPL",
      (server) => server.request("agentq/replHistory", {}),
      (server) => server.request("agentq/evaluate", { code: "6 * 7" }),
    ],
    [
      "an evaluation, once a turn lasts",
      (server) => {
        stage.script = slow;
        return server.request("agentq/prompt", { text: "Think." });
      },
      (server) => call(server, "eval_form", { code: "6 * 7" }),
    ],
    [
      "a trial of an edit, once an earlier one has ended",
      (server) => call(server, "try_edit", trial),
      (server) => call(server, "try_edit", trial),
    ],
  ])("serves %s", async (_, before, wanted) => {
    const server = await stage.start({}, { isProgram: true });
    await before(server);
    const [spare] = await untilReady(server);
    const seen = new Set<number>();
    const watch = setInterval(() => images(server).forEach((pid) => seen.add(pid)), 20);
    expect(JSON.stringify(await wanted(server))).toContain("42");
    clearInterval(watch);
    expect([...seen]).toEqual([spare]);
  });

  it("serves a restart, once an evaluation has ended", async () => {
    const server = await stage.start({}, { isProgram: true });
    await server.request("agentq/evaluate", { code: "6 * 7" });
    const [first] = images(server);
    await vi.waitUntil(() => images(server).length === 2, { timeout: 40_000, interval: 50 });
    const spare = images(server).filter((pid) => pid !== first);
    await server.request("agentq/restartRepl", {});
    expect(images(server)).toEqual(spare);
  });
});
