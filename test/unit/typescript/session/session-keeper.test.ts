/** When a compiler that never starts is tried again: the only thing here that is not real besides time. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SessionKeeper } from "../../../../server/src/typescript/session/session-keeper.ts";

let starts = 0;
let keeper: SessionKeeper;
const givenUp: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  starts = 0;
  givenUp.length = 0;
  keeper = new SessionKeeper({
    start: () => {
      starts += 1;
      return Promise.reject(new Error("it fell over"));
    },
    onState: () => undefined,
    onFailedStart: () => undefined,
    onGivenUp: (reason) => givenUp.push(reason),
    onOutdated: () => undefined,
    log: () => undefined,
  });
});
afterEach(async () => {
  await keeper.stop();
  vi.useRealTimers();
});

async function startsAfter(milliseconds: number): Promise<number> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  return starts;
}

it("tries again after longer and longer rests, and gives up after the fifth time", async () => {
  keeper.start();
  expect(await startsAfter(0)).toBe(2);
  expect(await startsAfter(99)).toBe(2);
  expect(await startsAfter(1)).toBe(3);
  expect(await startsAfter(399)).toBe(3);
  expect(await startsAfter(1)).toBe(4);
  expect(await startsAfter(1_599)).toBe(4);
  expect(await startsAfter(1)).toBe(5);
  expect(await startsAfter(1_000_000)).toBe(5);
  expect(givenUp).toEqual(["it died 5 times in a row, the last time: it fell over"]);
  expect(keeper.status().state).toBe("dead");
});

it("cuts the rest short for a question that waits, but not to nothing", async () => {
  keeper.start();
  expect(await startsAfter(700)).toBe(4);
  const asked = keeper.live();
  asked.catch(() => undefined);
  expect(await startsAfter(0)).toBe(5);
  await expect(asked).rejects.toThrow("does not run: it died 5 times in a row");
  const again = keeper.live();
  again.catch(() => undefined);
  expect(await startsAfter(99)).toBe(5);
  expect(await startsAfter(1)).toBe(6);
  await expect(again).rejects.toThrow("does not run: it died 6 times in a row");
});

it("rests in full again once the question was answered", async () => {
  const asked = keeper.live();
  asked.catch(() => undefined);
  expect(await startsAfter(400)).toBe(5);
  keeper.start();
  expect(await startsAfter(6_399)).toBe(5);
  expect(await startsAfter(1)).toBe(6);
});

it("ends a rest when it is stopped", async () => {
  keeper.start();
  await startsAfter(500);
  expect(await keeper.stop()).toBeUndefined();
  await expect(keeper.live()).rejects.toThrow("was shut down");
  expect(await startsAfter(1_000_000)).toBe(4);
});
