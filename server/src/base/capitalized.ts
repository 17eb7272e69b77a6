/** A sentence of words that stand inside of others elsewhere. */
export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
