/** Where much of a long list is: "src/ 600, test/ 212, README.md 1". */
import type { Place } from "../../search/place.ts";

/** The counts of the folders at the top, and of node_modules wherever it is; the largest first. */
export function countsByFolder(counts: Iterable<readonly [Place, number]>, most = 8): string {
  const folders = new Map<string, number>();
  for (const [{ relative }, count] of counts) {
    const isInstalled = relative.includes("/node_modules/") || relative.endsWith("/node_modules");
    const name = isInstalled ? "node_modules/" : relative.slice(0, relative.indexOf("/") + 1) || relative;
    folders.set(name, (folders.get(name) ?? 0) + count);
  }
  const named = [...folders].toSorted(([name, one], [otherName, other]) => other - one || (name < otherName ? -1 : 1));
  const told = named.slice(0, most).map(([name, count]) => `${name} ${count}`);
  return told.join(", ") + (named.length > most ? ", …" : "");
}
