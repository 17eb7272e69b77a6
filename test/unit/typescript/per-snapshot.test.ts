import { expect, it } from "vitest";
import { perSnapshot } from "../../../server/src/typescript/per-snapshot.ts";
import type { View } from "../../../server/src/typescript/view.ts";

const viewOf = (snapshot: object): View => ({ state: { snapshot } }) as unknown as View;

it("works a result out once for all views of a state, and anew for the next state", async () => {
  let count = 0;
  const counted = perSnapshot(() => Promise.resolve((count += 1)));
  const [one, two] = [{}, {}];
  expect(await Promise.all([counted(viewOf(one)), counted(viewOf(one))])).toEqual([1, 1]);
  expect(await counted(viewOf(two))).toBe(2);
  expect(await counted(viewOf(one))).toBe(1);
});

it("keeps no failure", async () => {
  let count = 0;
  const failing = perSnapshot(() => {
    count += 1;
    return count === 1 ? Promise.reject(new Error("not this time")) : Promise.resolve(count);
  });
  const view = viewOf({});
  await expect(failing(view)).rejects.toThrow("not this time");
  expect(await failing(view)).toBe(2);
});
