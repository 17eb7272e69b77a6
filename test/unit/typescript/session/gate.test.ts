import { expect, it } from "vitest";
import { Gate } from "../../../../server/src/typescript/session/gate.ts";

it("keeps an update out while someone reads, and a new reader out while the state is stale", async () => {
  const gate = new Gate();
  const events: string[] = [];
  let stale = false;
  const update = async (): Promise<void> => {
    events.push("update");
    stale = false;
  };
  await gate.enter(() => stale, update);
  stale = true;
  const second = gate.enter(() => stale, update).then(() => events.push("second inside"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(events).toEqual([]);
  events.push("first leaves");
  gate.leave();
  await second;
  expect(events).toEqual(["first leaves", "update", "second inside"]);
});

it("lets readers of a fresh state in together", async () => {
  const gate = new Gate();
  const never = (): Promise<void> => Promise.reject(new Error("not stale"));
  await gate.enter(() => false, never);
  await expect(gate.enter(() => false, never)).resolves.toBeUndefined();
});

it("hands a failed update to the one who asked for it and tries again for the next", async () => {
  const gate = new Gate();
  let failures = 1;
  const stale = (): boolean => failures >= 0;
  const update = async (): Promise<void> => {
    failures -= 1;
    if (failures === 0) throw new Error("broken");
  };
  await expect(gate.enter(stale, update)).rejects.toThrow("broken");
  await expect(gate.enter(stale, update)).resolves.toBeUndefined();
});
