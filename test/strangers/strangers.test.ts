import { expect, it } from "vitest";
import { caseGroups } from "./cases.ts";
import { strangersIn } from "./strangers-in.ts";

it("holds at least sixty cases, each with a name of its own and the thread that reported it", () => {
  const all = caseGroups.flatMap(({ cases }) => cases);
  expect(all.length).toBeGreaterThanOrEqual(60);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(all.filter(({ source }) => !/^[\w.-]+\/[\w.-]+(?:#\d+)?$/.test(source))).toEqual([]);
});

strangersIn([22, 24, 26], {});
