/** When the watch on the memory sleeps, and what wakes it. The main thread is played: its answers come when a test says so. */
import { expect, it } from "vitest";
import type { Post } from "../../../../../server/src/repl/child/control/inspector/inspector-post.ts";
import { MemoryWatch } from "../../../../../server/src/repl/child/control/stop/memory-watch.ts";
import { CELL, createCells } from "../../../../../server/src/repl/child/wire/shared-cells.ts";
import { until } from "../../with-image.ts";

it("goes on looking when something runs before the answer has arrived that nothing ran", async () => {
  const cells = createCells();
  let lulls = 0;
  const post = (async (_method: string, { expression = "" }: { expression?: string }) => {
    if (!expression.includes("lull")) return { error: null, result: { usedSize: 0, totalSize: 0 } };
    lulls++;
    Atomics.store(cells, CELL.watched, 1);
    Atomics.notify(cells, CELL.watched);
    // The answer is late: the wait for the notice is over by then.
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { error: null, result: {} };
  }) as unknown as Post;
  new MemoryWatch({ post, cells, isBusy: () => false, isStopping: () => false, stop: async () => {} }).began();
  await until(() => lulls === 3);
  expect(Atomics.load(cells, CELL.watched)).toBe(1);
});
