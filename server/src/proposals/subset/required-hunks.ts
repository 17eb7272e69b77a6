/** Which hunks need others: a hunk that by itself brings an error in requires the hunk with which the error goes. */
import type { Check } from "../../protocol/proposal-shapes.ts";

/** What the compiler says about exactly these hunks. */
export type CheckHunks = (ids: readonly string[]) => Promise<Check>;

/** Past this many hunks the question is left out: the number of checks grows with its square. */
export const MAX_HUNKS = 12;

/**
 * Tells `found` of each hunk that requires others. An error that stays with all hunks requires none. Rejects as
 * `check` does; hunks that were told before stay told.
 */
export async function findRequired(
  ids: readonly string[],
  all: Check,
  check: CheckHunks,
  found: (id: string, requires: readonly string[]) => void,
): Promise<void> {
  if (ids.length < 2 || ids.length > MAX_HUNKS || all.state !== "done") return;
  const lasting = countErrors(all);
  for (const id of ids) {
    const alone = countErrors(await check([id]), lasting);
    if (alone.size === 0) continue;
    const requires: string[] = [];
    for (const other of ids) {
      if (other === id) continue;
      const together = countErrors(await check([id, other]));
      if ([...alone].some(([error, count]) => (together.get(error) ?? 0) < count)) requires.push(other);
    }
    if (requires.length > 0) found(id, requires);
  }
}

/** How often each introduced error occurs, without the errors that occur as often in the other count. */
function countErrors({ introduced }: Check, without: ReadonlyMap<string, number> = new Map()): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { uri, code, message } of introduced) {
    const key = `${uri} ${code} ${message}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const [key, count] of counts) if (count <= (without.get(key) ?? 0)) counts.delete(key);
  return counts;
}
