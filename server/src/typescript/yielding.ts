/**
 * Long work over many files gives the event loop a turn in between, so that a keystroke never waits for it. From the
 * arrival of a message to the request that follows from it several turns pass, and a compiler that starts waits for them.
 */
const SLICE_MS = 1;

/** Runs `visit` over the items in slices of a few milliseconds. Stops with the signal's reason when it is aborted. */
export async function forEachYielding<Item>(
  items: Iterable<Item>,
  visit: (item: Item) => void,
  signal?: AbortSignal,
): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (const item of items) {
    visit(item);
    if (performance.now() < sliceEnd) continue;
    await giveWay();
    signal?.throwIfAborted();
    sliceEnd = performance.now() + SLICE_MS;
  }
}

export function giveWay(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const WIDTH = 16;

/** Like `Promise.all(items.map(task))` with at most `width` under way; results keep the order of the items. */
export async function mapLimited<Item, Result>(
  items: readonly Item[],
  task: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
  width = WIDTH,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      signal?.throwIfAborted();
      results[index] = await task(items[index] as Item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work));
  return results;
}
