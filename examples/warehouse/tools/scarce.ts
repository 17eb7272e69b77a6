import { stock, type Article } from "../src/stock.ts";

/**
 * Finds the articles of which little is left.
 *
 * @returns the articles, fewest first
 */
export async function scarceArticles(
  /** How many are too few. @integer @minimum 1 */ below = 5,
  shelf?: Article["shelf"],
  signal?: AbortSignal,
): Promise<readonly Article[]> {
  signal?.throwIfAborted();
  const scarce = stock.filter(({ left }) => left < below);
  const wanted = scarce.filter((article) => shelf === undefined || article.shelf === shelf);
  return wanted.toSorted((a, b) => a.left - b.left);
}
