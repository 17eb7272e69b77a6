/** A text of others between fences that the text itself does not hold. */

/** `label` is the line above the fence. */
export function fenced(label: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${label.replace(/\s*[\r\n\u2028\u2029]+\s*/g, " ")}\n${fence}\n${text}\n${fence}`;
}
