/** Names what a restart of the REPL removed, as text for a person and a model. */
import type { HistoryEntry, Holdings } from "./history.ts";

const MAX_SHOWN = 12;

/** Empty when nothing is gone. `now` are the names that are declared again, `replayed` the entries that ran again. */
export function whatIsGone(
  before: Holdings & { readonly names: readonly string[] },
  now: readonly string[],
  replayed: readonly HistoryEntry[],
): string {
  const again = new Set(replayed.map(({ replayOf }) => replayOf?.valueId));
  const names = before.names.filter((name) => !now.includes(name));
  const values = before.values.filter((value) => !again.has(value));
  return [
    ...named("name", names),
    ...named("value", values),
    ...before.open,
    ...named("traced function", before.traced),
  ].join("; ");
}

function named(what: string, all: readonly string[]): string[] {
  if (all.length === 0) return [];
  const shown = all.slice(0, MAX_SHOWN).join(", ");
  const more = all.length > MAX_SHOWN ? ", …" : "";
  return [`${all.length} ${what}${all.length === 1 ? "" : "s"} (${shown}${more})`];
}
