import { afterEach, describe, expect, it } from "vitest";
import { itAtLength } from "../../../support/extent.ts";
import type { HistoryItem } from "../../../../server/src/protocol/repl-shapes.ts";
import { History } from "../../../../server/src/repl/stages/history/history.ts";
import type { EvaluateRequest } from "../../../../server/src/repl/image.ts";
import type { Repl } from "../../../../server/src/repl/repl.ts";
import type { RestartOptions } from "../../../../server/src/repl/stages/history/restarts.ts";
import { replOn, startTestImage, until, type TestImage } from "../with-image.ts";

let t: TestImage;
let repl: Repl;
const failures: string[] = [];

function start(options: Partial<RestartOptions> = {}): void {
  failures.length = 0;
  t = startTestImage();
  repl = replOn(t.image, { restarts: { onStartupFailed: (message) => failures.push(message), ...options } });
}
afterEach(() => t.dispose());

const evaluate = (code: string, more: Partial<EvaluateRequest> = {}): ReturnType<Repl["evaluate"]> =>
  repl.evaluate({ code, by: "agent", ...more }, new AbortController().signal);
const value = async (code: string): Promise<string | undefined> => (await evaluate(code)).preview;
const crash = (): ReturnType<typeof evaluate> =>
  evaluate("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})");
const line = ({ evalId, by, outcome, code }: HistoryItem): string => `${evalId} ${by} ${outcome} ${code}`;

describe("the history", () => {
  it("tells who evaluated what where, newest first, with value, error and time", async () => {
    start();
    await evaluate("const a = 40; a + 2");
    await evaluate("surcharge", { by: "person", module: `${t.root}/src/invoice.ts` });
    await evaluate("throw new RangeError('too far')");
    await evaluate("const = 1");
    const { items, total } = repl.history();
    expect(total).toBe(4);
    expect(items.map(line)).toEqual([
      "4 agent error const = 1",
      "3 agent error throw new RangeError('too far')",
      "2 person value surcharge",
      "1 agent value const a = 40; a + 2",
    ]);
    expect(items[1]).toMatchObject({ error: "RangeError: too far", stateKept: true });
    expect(items[2]).toMatchObject({ module: `${t.root}/src/invoice.ts`, preview: "5", valueId: "$2", type: "number" });
    expect(Date.parse(items[3]?.at ?? "")).toBeGreaterThan(Date.now() - 60_000);
    expect(items[3]?.durationMs).toBeGreaterThan(0);
  });

  it("names an evaluation by the process's own number, which the value's handle has too", async () => {
    start();
    await t.evaluate("'a form that came to the process by another way'");
    expect(await evaluate("40 + 2")).toMatchObject({ evalId: "2", valueId: "$2" });
    expect(repl.history().items).toMatchObject([{ evalId: "2", valueId: "$2" }]);
    expect(await value("$2")).toBe("42");
  });

  it("shows an evaluation that still runs", async () => {
    start();
    await evaluate("1");
    const running = evaluate("await new Promise((resolve) => { globalThis.go = resolve; setTimeout(() => {}, 1e6) })");
    await until(() => repl.status().state === "busy");
    expect(repl.history().items[0]).toMatchObject({ evalId: "2", outcome: "running" });
    await repl.interrupt("2");
    await running;
    expect(repl.history().items[0]).toMatchObject({ outcome: "interrupted" });
  });

  it("lists what an interrupt would end: what runs, and what left something open until that is ended", async () => {
    start();
    const stoppable = (): (string | undefined)[][] =>
      repl.history({ only: "stoppable" }).items.map(({ evalId, outcome, left }) => [evalId, outcome, left]);
    await evaluate("1");
    expect(stoppable()).toEqual([]);
    expect(await evaluate("setInterval(() => {}, 1e6); 2")).toMatchObject({ left: "1 timer" });
    const running = evaluate("await new Promise(() => setTimeout(() => {}, 1e6))");
    await until(() => stoppable().length === 2);
    expect(stoppable()).toEqual([
      ["3", "running", undefined],
      ["2", "value", "1 timer"],
    ]);
    expect(await repl.endLeftOpen("2")).toBe("1 timer");
    await repl.interrupt("3");
    await running;
    expect(stoppable()).toEqual([]);
    await evaluate("setInterval(() => {}, 1e6); 2");
    await crash();
    expect(stoppable()).toEqual([]);
  });

  it("is paged, and survives a crash, after which it says what is gone", async () => {
    start();
    for (let n = 1; n <= 5; n++) await evaluate(`${n}`);
    const first = repl.history({ limit: 2 });
    expect(first.items.map(({ code }) => code)).toEqual(["5", "4"]);
    const second = repl.history({ limit: 2, ...(first.nextCursor === undefined ? {} : { cursor: first.nextCursor }) });
    expect(second.items.map(({ code }) => code)).toEqual(["3", "2"]);
    expect(await crash()).toMatchObject({ outcome: "crashed", stateKept: false });
    expect(repl.history().items.map(({ stateKept }) => stateKept)).toEqual(Array(6).fill(false));
    await evaluate("6");
    expect(repl.history().items.map(({ stateKept }) => stateKept)).toEqual([true, ...Array<boolean>(6).fill(false)]);
  });

  it("is bounded in entries and in characters, and its cursors stay right", () => {
    start();
    const history = new History();
    const add = (code: string): void => void history.begin({ request: { code, by: "agent" }, by: "agent", evalId: "" });
    for (let n = 0; n < 1500; n++) add(`form ${n}`);
    const page = history.page(10, undefined, 1);
    expect(page.total).toBe(1000);
    for (let n = 1500; n < 1600; n++) add(`form ${n}`);
    const older = history.page(10, page.nextCursor, 1);
    expect(older.items[0]?.code).toBe("form 1489");
    for (let n = 0; n < 10; n++) add("x".repeat(500_000));
    expect(history.page(10, undefined, 1).total).toBe(4);
    expect(history.page(10, undefined, 1).items[0]?.code.length).toBeLessThan(5000);
  });
});

describe("a restart", () => {
  it("begins with nothing, or with what is chosen, in its old order and under its old handles", async () => {
    start();
    await evaluate("let count = 1; ({ kept: count })");
    await evaluate("count += 1; $1.kept + count");
    await evaluate("throw new Error('not again')");
    await evaluate("globalThis.effects = (globalThis.effects ?? 0) + 1; undefined");
    const { replayed, state } = await repl.restart({ replay: "all" });
    expect(state).toBe("idle");
    expect(replayed?.map(({ replayOf, outcome }) => [replayOf, outcome])).toEqual([
      ["1", "value"],
      ["2", "value"],
      ["4", "value"],
    ]);
    expect(await value("[count, $1.kept, $2, effects]")).toBe("[2, 1, 3, 1]");
    const bare = await repl.restart();
    expect(bare.replayed).toBeUndefined();
    expect(await evaluate("count")).toMatchObject({ outcome: "error" });
  });

  it("replays only what is named, and restarts nothing where it cannot find that", async () => {
    start();
    await evaluate("let one = 1");
    await evaluate("let two = 2");
    await evaluate("nowhere");
    const { pid } = repl.status();
    const refused = await repl.restart({ replay: ["2", "3", "77"] });
    expect(refused).toMatchObject({ pid, unknown: ["3", "77"] });
    expect(refused).not.toHaveProperty("replayed");
    expect(await value("[one, two]")).toBe("[1, 2]");
    const { replayed } = await repl.restart({ replay: ["2"] });
    expect(replayed?.map(({ code }) => code)).toEqual(["let two = 2"]);
    expect(await value("two")).toBe("2");
    expect(await evaluate("one")).toMatchObject({ outcome: "error" });
    // From here on the state was built of these alone.
    expect((await repl.restart({ replay: "all" })).replayed?.map(({ code }) => code)).toEqual(["let two = 2", "two"]);
  });

  itAtLength("is offered by the answer of a crash, and replays across it", async () => {
    start();
    await evaluate("let kept = 'yes'");
    const crashed = await crash();
    expect(crashed.notes.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^1 form that succeeded can be run again .*restart_repl with replay \["all"\]/),
    ]);
    await evaluate("let after = 1");
    await repl.restart({ replay: "all" });
    expect(await value("kept + after")).toBe('"yes1"');
  });

  it("goes on with the other forms when one fails this time, and holds back what comes meanwhile", async () => {
    start();
    t.write("src/flag.ts", "export const flag = 1;\n");
    await evaluate("globalThis.order = ['first']; 1");
    await evaluate("import './src/flag.ts'; order.push('second'); 1");
    await evaluate("order.push('third'); 1");
    t.write("src/flag.ts", "throw new Error('now it fails');\n");
    const restarting = repl.restart({ replay: "all" });
    const meanwhile = value("order.join()");
    expect((await restarting).replayed?.map(({ outcome }) => outcome)).toEqual(["value", "error", "value"]);
    expect(await meanwhile).toBe('"first,third"');
  });
});

describe("the start-up script", () => {
  const script = (read: () => Promise<string>): Partial<RestartOptions> => ({
    startup: { path: "~/repl.ts", read },
  });

  it("runs at each start before anything else, and stands in the history as what it is", async () => {
    start(script(async () => "import { rate } from './src/money.ts'; let helper = (n: number) => n * rate"));
    expect(await value("helper(2)")).toBe("4");
    expect(repl.history().items.map(({ by }) => by)).toEqual(["agent", "startup"]);
    await crash();
    expect(await value("helper(3)")).toBe("6");
    await repl.restart({ replay: "all" });
    expect(await value("helper(4)")).toBe("8");
    expect(failures).toEqual([]);
  });

  it("is reported when it fails, with the first answer too, and the image goes on", async () => {
    start(script(async () => "let half = 1; throw new Error('no database')"));
    const first = await evaluate("half + 1");
    expect(first).toMatchObject({ outcome: "value", preview: "2" });
    const message = "The start-up script ~/repl.ts failed, and the REPL goes on without it: Error: no database";
    expect(first.notes).toMatchObject([{ severity: "warning", message }]);
    expect(failures).toEqual([message]);
    expect((await evaluate("1")).notes).toEqual([]);
  });

  it("is not run again when it cannot be read or ends the process", async () => {
    start(script(() => Promise.reject(new Error("ENOENT"))));
    expect(await value("1")).toBe("1");
    expect(await value("2")).toBe("2");
    expect(failures).toHaveLength(1);
    await t.dispose();
    start(script(async () => "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})"));
    expect(await value("3")).toBe("3");
    expect(failures).toHaveLength(1);
  });
});
