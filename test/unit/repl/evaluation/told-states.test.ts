/** Which of the image's states the editor hears of. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ReplStatus } from "../../../../server/src/protocol/repl-shapes.ts";
import { toldStates } from "../../../../server/src/repl/evaluation/told-states.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(): { readonly told: string[]; readonly enter: (...states: ReplStatus["state"][]) => void } {
  const told: string[] = [];
  const tell = toldStates(({ state }) => void told.push(state));
  const enter = (...states: ReplStatus["state"][]): void => {
    for (const state of states)
      tell({ state, confinement: "confined", level: "limited", confinementDetail: "", nodeVersion: "" });
  };
  return { told, enter };
}

it("tells at once of a start and of the first form", () => {
  const { told, enter } = watch();
  enter("starting", "busy", "idle");
  expect(told).toEqual(["starting", "busy", "idle"]);
});

it("says nothing of forms that end at once", () => {
  const { told, enter } = watch();
  enter("idle", "busy", "idle", "busy", "idle");
  vi.runAllTimers();
  expect(told).toEqual(["idle"]);
});

it("tells of a form that takes its time, and of its end", () => {
  const { told, enter } = watch();
  enter("idle", "busy");
  vi.runAllTimers();
  expect(told).toEqual(["idle", "busy"]);
  enter("idle");
  expect(told).toEqual(["idle", "busy", "idle"]);
});

it("tells of a death under a form at once, and never that it is busy afterwards", () => {
  const { told, enter } = watch();
  enter("idle", "busy", "dead");
  vi.runAllTimers();
  expect(told).toEqual(["idle", "dead"]);
});
