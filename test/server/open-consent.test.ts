/** A REPL with full rights runs only after the person agreed, in whatever editor. */
import { existsSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { scriptNamed } from "../../examples/demo/scripts/all.ts";
import type { Approval } from "../../server/src/protocol/tool-shapes.ts";
import { describeEachNode } from "../support/node-versions.ts";
import { ServerClient } from "../support/server-client.ts";
import { describeWalled, walledPath } from "../support/wall.ts";
import { pathWithoutWall } from "../support/without-wall.ts";
import { serverStage } from "../support/server-stage.ts";

const WRITE = `require("node:fs").writeFileSync("made.txt", "x"), "written"`;

const stage = serverStage({ settings: { repl: { confinement: "openWithoutAsking" } }, freshRepl: true });
let folder: string;
let client: ServerClient;

beforeEach(() => void ({ folder, client } = stage));

/** Another server, with these settings. */
async function start(repl: object, more: Parameters<typeof stage.start>[1] = {}): Promise<void> {
  client = await stage.start({ repl }, more);
}

const question = (which = 0): Promise<Approval> =>
  client.waitFor(
    () => client.received.flatMap((note) => (note.method === "agentq/approval" ? [note.params] : []))[which],
  );
const answer = (approvalId: string, decision: "approved" | "denied", message?: string): Promise<unknown> =>
  client.request("agentq/answerApproval", { approvalId, decision, ...(message === undefined ? {} : { message }) });
const made = (): boolean => existsSync(path.join(folder, "made.txt"));
const call = (form: string) => client.request("agentq/callTool", { name: "eval_form", arguments: { form } });

describe("the open mode", () => {
  it("is asked for once, before its first process, and then holds across restarts", async () => {
    await start({ confinement: "open" });
    const before = await client.request("agentq/status", {});
    expect(before.repl).toMatchObject({ state: "notStarted", confinement: "open", consent: "needed" });
    expect(before.repl.confinementDetail).toMatch(
      /^Not running\. It is set to run open.*a question comes before it starts/,
    );
    const running = client.request("agentq/evaluate", { code: WRITE });
    const asked = await question();
    expect(asked).toMatchObject({
      tool: "open_repl",
      question: "Run the REPL open, with all of your rights?",
      answers: { approved: "Run open", denied: "No" },
      why: 'The setting repl.confinement is "open".',
    });
    expect(asked.risk).toMatch(/write any file, start programs and use the network.*until the server ends/);
    const waiting = await client.request("agentq/status", {});
    expect(waiting.repl).toMatchObject({ state: "notStarted", consent: "asked" });
    expect(waiting.repl).not.toHaveProperty("pid");
    const told = client.received.flatMap((note) => (note.method === "agentq/replState" ? [note.params.consent] : []));
    expect(told).toEqual(["asked"]);
    expect(made()).toBe(false);

    await answer(asked.approvalId, "approved");
    expect(await running).toMatchObject({ outcome: "value", preview: '"written"' });
    expect(made()).toBe(true);
    expect((await client.request("agentq/status", {})).repl).toMatchObject({ state: "idle", consent: "given" });
    await client.request("agentq/restartRepl", {});
    expect(await client.request("agentq/evaluate", { code: "1 + 1" })).toMatchObject({ preview: "2" });
    expect(client.received.filter(({ method }) => method === "agentq/approval")).toHaveLength(1);
  });

  it("remembers a No, says how to be asked again, and asks again when the person restarts the REPL", async () => {
    await start({ confinement: "open" });
    const running = client.request("agentq/evaluate", { code: WRITE });
    await answer((await question()).approvalId, "denied", "not on this machine");
    const refused = await running;
    expect(refused).toMatchObject({ outcome: "error", error: { name: "ReplUnavailable" } });
    expect(refused.error?.message).toMatchInlineSnapshot(
      `"The REPL does not run. The setting repl.confinement is "open". Full rights need the consent of the person, who answered No (“not on this machine”). When the person restarts the REPL, they are asked again."`,
    );
    expect(await client.request("agentq/evaluate", { code: WRITE })).toMatchObject({ outcome: "error" });
    const agents = await call(WRITE);
    expect(agents).toMatchObject({ success: false, error: expect.stringMatching(/^NOT RUN: .*answered No/) });
    const agentRestarts = await client.request("agentq/callTool", { name: "restart_repl", arguments: {} });
    expect(agentRestarts).toMatchObject({ success: false, error: expect.stringMatching(/^NOT RUN: /) });
    expect((await client.request("agentq/status", {})).repl).toMatchObject({ state: "dead", consent: "refused" });
    expect(client.received.filter(({ method }) => method === "agentq/approval")).toHaveLength(1);

    const restarting = client.request("agentq/restartRepl", {});
    await answer((await question(1)).approvalId, "approved");
    expect(await restarting).toMatchObject({ state: "idle", consent: "given" });
    expect(await client.request("agentq/evaluate", { code: WRITE })).toMatchObject({ outcome: "value" });
    const { items } = await client.request("agentq/auditLog", {});
    expect(items.slice(-2)).toMatchObject([
      { tool: "eval_form", outcome: "denied" },
      { tool: "restart_repl", outcome: "denied" },
    ]);
  });

  it("is asked for once by evaluations of both sides that wait together; the agent's call is a question of its own", async () => {
    await start({ confinement: "open" });
    const agents = call(WRITE);
    const persons = client.request("agentq/evaluate", { code: "6 * 7" });
    await answer((await question()).approvalId, "approved");
    expect(await persons).toMatchObject({ preview: "42" });
    const second = await question(1);
    expect(second).toMatchObject({ tool: "eval_form", arguments: { form: WRITE } });
    expect(made()).toBe(false);
    await answer(second.approvalId, "approved");
    expect(await agents).toMatchObject({ success: true, metadata: { safetyLevel: "dangerous", approved: true } });
    expect(made()).toBe(true);
  });

  it("takes the question back when nobody waits for its answer any more", async () => {
    await start({ confinement: "open" });
    const running = client.request("agentq/evaluate", { code: WRITE });
    const { approvalId } = await question();
    expect(await client.request("agentq/interrupt", {})).toEqual({ interrupted: true });
    expect(await running).toMatchObject({ outcome: "interrupted", stateKept: true });
    await client.waitFor((note) =>
      note.method === "agentq/approvalChanged" && note.params.state === "withdrawn" ? true : undefined,
    );
    expect(await answer(approvalId, "approved")).toEqual({ accepted: false });
    expect((await client.request("agentq/status", {})).repl).toMatchObject({ state: "notStarted", consent: "needed" });
    expect(made()).toBe(false);
  });

  it("runs the agent's forms unasked that V8 proves to be without effects, and asks about all others", async () => {
    await client.request("agentq/evaluate", {
      code: "const cart = { lines: [1, 2], get total() { return ++cart.seen; }, seen: 0 }",
    });
    const pure = await call("cart.lines.length * 21");
    expect(pure).toMatchObject({
      success: true,
      content: expect.stringMatching(/^42\n: number, kept as \$\d+\n/),
      metadata: { safetyLevel: "dangerous" },
    });
    expect(pure.metadata).not.toHaveProperty("approved");
    const getter = call("cart.total");
    const asked = await question();
    expect(asked.arguments).toEqual({ form: "cart.total" });
    await answer(asked.approvalId, "denied");
    expect(await getter).toMatchObject({ success: false });
    expect(await call("cart.seen")).toMatchObject({ content: expect.stringMatching(/^0\n: number, kept as \$\d+\n/) });
    const { items } = await client.request("agentq/auditLog", {});
    const unasked = "not asked: V8 proved that the form has no side effect";
    expect(items.slice(-3)).toMatchObject([
      { tool: "eval_form", outcome: "run", detail: unasked },
      { tool: "eval_form", outcome: "denied" },
      { tool: "eval_form", outcome: "run", detail: unasked },
    ]);
    const { items: history } = await client.request("agentq/replHistory", {});
    expect(history.slice(0, 3).map(({ by, code, preview }) => [by, code, preview])).toEqual([
      ["person", "cart.seen", "0"],
      ["person", "cart.lines.length * 21", "42"],
      ["person", expect.stringContaining("const cart"), "undefined"],
    ]);
  });

  it("asks about a call no more in a conversation for which the person approved it, and says so in the audit log", async () => {
    stage.script = scriptNamed("hello");
    const conversation = async () => (await client.request("agentq/prompt", { text: "hello" })).sessionId;
    const [one, two] = [await conversation(), await conversation()];
    const inSession = (sessionId: string, form: string, name = "eval_form") =>
      client.request("agentq/callTool", { name, arguments: { form }, sessionId });
    const first = inSession(one, "globalThis.made = 1");
    const { approvalId } = await question();
    await client.request("agentq/answerApproval", { approvalId, decision: "approved", remember: "session" });
    await first;
    expect(await inSession(one, "globalThis.made = 1")).toMatchObject({ success: true, metadata: { approved: true } });
    expect(client.received.filter(({ method }) => method === "agentq/approval")).toHaveLength(1);
    const others = [
      () => inSession(two, "globalThis.made = 1"),
      () => inSession(one, "globalThis.made = 2"),
      () => inSession(one, "globalThis.made = 1", "compile_form"),
    ];
    for (const [index, other] of others.entries()) {
      const asked = other();
      await answer((await question(index + 1)).approvalId, "denied");
      expect(await asked).toMatchObject({ success: false });
    }
    const { items } = await client.request("agentq/auditLog", { sessionId: one });
    expect(items.map(({ outcome, decision, detail }) => [outcome, decision, detail?.slice(0, 15)])).toEqual([
      ["run", "approved", undefined],
      ["run", undefined, "not asked again"],
      ["denied", "denied", "NOT RUN: the pe"],
      ["denied", "denied", "NOT RUN: the pe"],
    ]);
  });

  it("is not asked for when the editor's settings say that it need not be", async () => {
    expect(await client.request("agentq/evaluate", { code: WRITE })).toMatchObject({ outcome: "value" });
    expect((await client.request("agentq/status", {})).repl).toMatchObject({ confinement: "open", consent: "given" });
    expect(client.received.filter(({ method }) => method === "agentq/approval")).toEqual([]);
    await client.request("agentq/evaluate", { code: "globalThis.cart = { get total() { return 1 } }; 1" });
    const getter = { value: "cart", inside: "total", invoke: true };
    const looked = await client.request("agentq/callTool", { name: "inspect_object", arguments: getter });
    expect(looked.error).toBe("The REPL is open: call it with eval_form, which asks first: cart.total");
  });

  it("is asked for by a message request in an editor that knows no approvals", async () => {
    const requests: unknown[] = [];
    const listen = ({ connection }: ServerClient): void => {
      connection.onRequest("window/showMessageRequest", (params: { actions: { title: string }[] }) => {
        requests.push(params);
        return params.actions[1] ?? null;
      });
    };
    await start({ confinement: "open" }, { agentq: null, listen });
    expect(await client.request("agentq/evaluate", { code: WRITE })).toMatchObject({ outcome: "value" });
    expect(await client.request("agentq/evaluate", { code: "1" })).toMatchObject({ outcome: "value" });
    expect(requests).toEqual([
      {
        type: 2,
        message: expect.stringMatching(/^Run the REPL open, with all of your rights\? .*until the server ends/),
        actions: [{ title: "No" }, { title: "Run open" }],
      },
    ]);
  });

  it("takes a dismissed message for a No", async () => {
    const listen = ({ connection }: ServerClient): void => {
      connection.onRequest("window/showMessageRequest", () => null);
    };
    await start({ confinement: "open" }, { agentq: null, listen });
    const { error } = await client.request("agentq/evaluate", { code: WRITE });
    expect(error?.message).toContain("who answered No.");
  });

  it("is denied where nobody can be asked, with a sentence that says what to do", async () => {
    await start({ confinement: "open" }, { agentq: null });
    const { error } = await client.request("agentq/evaluate", { code: WRITE });
    expect(error?.message).toMatchInlineSnapshot(
      `"The REPL does not run. The setting repl.confinement is "open". Full rights need the consent of the person, and this editor cannot ask, or nobody answered. "openWithoutAsking" as repl.confinement in the settings of the editor gives the consent beforehand."`,
    );
    expect(made()).toBe(false);
  });

  it("is asked for before tests run with full rights", async () => {
    await start({ confinement: "open" });
    const running = client.request("agentq/callTool", { name: "run_tests", arguments: {} });
    await answer((await question()).approvalId, "denied");
    expect(await running).toMatchObject({ success: false, error: expect.stringMatching(/^NOT RUN: .*answered No/) });
  });
});

describeEachNode([22], (node) => {
  const PATH = pathWithoutWall();

  it("is asked for where there is no wall and the Node cannot confine, saying why, and refused otherwise", async () => {
    await start({ node: node.path }, { env: { PATH } });
    expect((await client.request("agentq/status", {})).repl).toMatchObject({ state: "notStarted" });
    const running = client.request("agentq/evaluate", { code: WRITE });
    const asked = await question();
    expect(asked.why).toMatch(/^Node v22\.\d+\.\d+ cannot confine the REPL; Node 24\.21 or 26\.3 or later can\.$/);
    const waiting = await client.request("agentq/status", {});
    expect(waiting.repl.confinementDetail).toMatch(/^Not running\. Node v22\..* cannot confine the REPL: it waits/);
    await answer(asked.approvalId, "denied");
    const refused = await running;
    expect(refused.error?.message).toMatch(
      /^The REPL does not run\. Node v22\S+ cannot confine the REPL; Node 24\.21 or 26\.3 or later can\. .*answered No/,
    );
    const restarting = client.request("agentq/restartRepl", {});
    await answer((await question(1)).approvalId, "approved");
    expect(await restarting).toMatchObject({ state: "idle", confinement: "open", consent: "given" });
    const { changes } = await client.request("agentq/evaluate", { code: WRITE });
    expect(changes).toMatchObject([{ kind: "created" }]);
    const agents = call(WRITE);
    const third = await question(2);
    expect(third.tool).toBe("eval_form");
    await answer(third.approvalId, "denied");
    expect(await agents).toMatchObject({ success: false });
  });

  describeWalled("with a wall", () => {
    it("is not asked for: the wall holds what the Node cannot confine", async () => {
      await start({ node: node.path }, { env: { PATH: walledPath() } });
      expect(await client.request("agentq/evaluate", { code: "process.version" })).toMatchObject({ outcome: "value" });
      expect((await client.request("agentq/evaluate", { code: WRITE })).error?.message).toContain("EROFS");
      const { repl } = await client.request("agentq/status", {});
      expect(repl).toMatchObject({ confinement: "confined", level: "walled" });
      expect(repl).not.toHaveProperty("consent");
      expect(client.received.filter(({ method }) => method === "agentq/approval")).toEqual([]);
      expect(made()).toBe(false);
    });
  });
});
