/** Nearest spellings of a name that is not there. */

/** The closest names, best first; only those close enough to be what was meant. */
export function nearestNames(wanted: string, names: Iterable<string>, limit: number): string[] {
  const lower = wanted.toLowerCase();
  const allowed = allowedFor(wanted);
  const scored: { readonly name: string; readonly distance: number }[] = [];
  for (const name of new Set(names)) {
    const distance = distanceWithin(lower, name.toLowerCase(), allowed);
    if (distance !== undefined) scored.push({ name, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return scored.slice(0, limit).map(({ name }) => name);
}

/** Whether `nearestNames` would take a name for a spelling of this one. */
export function spellingFilter(wanted: string): (name: string) => boolean {
  const lower = wanted.toLowerCase();
  const allowed = allowedFor(wanted);
  return (name) => distanceWithin(lower, name.toLowerCase(), allowed) !== undefined;
}

function allowedFor(wanted: string): number {
  return Math.max(1, Math.floor(wanted.length / 3));
}

/** The edit distance with neighbours swapped counted once, or undefined when it is over the limit. */
function distanceWithin(a: string, b: string, limit: number): number | undefined {
  if (Math.abs(a.length - b.length) > limit) return a.includes(b) && b.length > 3 ? limit : undefined;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      row.push(best);
    }
    if (Math.min(...row) > limit) return undefined;
    beforeLast = last;
    last = row;
  }
  const distance = last[b.length] ?? Infinity;
  return distance <= limit ? distance : undefined;
}
