/** A text of others between fences that the text itself does not hold. */

/** `label`, which is the server's own words, stands above. */
export function fenced(label: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${label}\n${fence}\n${text}\n${fence}`;
}
