/** Traces by themselves: what is told of calls, and what cannot be traced. */
import { expect, it } from "vitest";
import { createLogPoints } from "../../../../server/src/repl/child/main/redefine/log-points.ts";
import { Recorders } from "../../../../server/src/repl/child/main/redefine/recorders.ts";
import { createTracing } from "../../../../server/src/repl/child/main/redefine/trace.ts";

let free = (...amounts: number[]): number => amounts.length;
const fixed = (): number => 1;
// oxlint-disable-next-line no-eval
const evaluator = (code: string): unknown => eval(code);

const recorders = new Recorders();
const places = { ownFolder: "/nowhere/", projectRoot: process.cwd(), isProgram: true };
const tracing = createTracing({ places, scopes: { brandOf: () => undefined }, recorders, write: () => undefined });
const trace = (name: string, count?: number): void =>
  tracing.trace(evaluator, { path: [name], address: name, filename: "", ...(count === undefined ? {} : { count }) });

it("says of a constant that its lines can be recorded", () => {
  expect(fixed()).toBe(1);
  expect(() => trace("fixed")).toThrow(
    "fixed is a constant, which nothing can replace here: record its lines with log_point.",
  );
  expect(recorders.report()).toBe("Nothing is traced.");
});

it("tells a call with thousands of arguments in short, and keeps the latest calls alone", () => {
  trace("free");
  free(...Array.from({ length: 5_000 }, () => 0));
  expect(recorders.report()).toMatch(/^free: 1 call.*\n {2}#1 \((?:0, ){30}… \(5000 arguments\)\) = 5000 /);
  for (let count = 0; count < 2_000; count++) free(count);
  const lines = recorders.report().split("\n");
  expect(lines[0]).toMatch(/^free: 2001 calls/);
  expect(lines.length).toBeLessThan(70);
  expect(recorders.detail("free", Number(/#(\d+)/.exec(lines.at(-1) ?? "")?.[1]))).toMatch(/\nfree\(\d+\)$/);
  free = (): number => 0;
  expect(recorders.remove(undefined)).toMatch(/It was redefined since: .* No longer traced\.$/);
});

it("wakes those who wait when the last of the wanted calls has ended", async () => {
  trace("free", 2);
  const waiting = recorders.wait(60_000, "free").then(() => "woken");
  free();
  expect(await Promise.race([waiting, Promise.resolve("waits")])).toBe("waits");
  free();
  expect(await waiting).toBe("woken");
});

it("holds up no end of a program by a wait, or by a log point that is being set", () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  trace("free", 5);
  void recorders.wait(60_000, "free");
  const { logPoint } = createLogPoints({ post: () => undefined, recorders, write: () => undefined });
  logPoint({ address: "a.ts:1", url: "file:///a.ts", line: 1, expression: "1" }).catch(() => undefined);
  expect(timers()).toBe(before);
  recorders.remove(undefined);
});

it("counts each call of a hot function and each failure, and goes on to keep the latest ones", async () => {
  let isFailing = false;
  free = (...amounts: number[]): number => {
    if (isFailing) throw new Error("on purpose");
    return amounts.length;
  };
  trace("free");
  for (let count = 0; count < 3_000; count++) free(count);
  isFailing = true;
  for (let count = 0; count < 100; count++) expect(() => free(count)).toThrow("on purpose");
  expect(recorders.report()).toMatch(/^free: 3100 calls, 100 of them failed, [\d.]+ ms each\./);
  isFailing = false;
  for (const late of [1, 2]) {
    await expect
      .poll(() => {
        free(7, late);
        return recorders.report().split("\n").at(-1);
      })
      .toMatch(new RegExp(`\\(7, ${late}\\) = 2 `));
  }
  recorders.remove(undefined);
});
