/** What an answer tells of, as places for the lists of an editor. */
import { pathToFileURL } from "node:url";
import type { FoundPlace } from "../../protocol/tool-shapes.ts";
import type { Reference } from "../../typescript/places.ts";

const MOST = 2_000;

/** `textOf` is one line for people. */
export function foundPlaces<Found extends Reference>(
  all: readonly Found[],
  textOf: (found: Found) => string,
): readonly FoundPlace[] {
  return all.slice(0, MOST).map((found) => {
    const { file, at } = found;
    return { uri: pathToFileURL(file).href, range: { start: at, end: at }, text: textOf(found) };
  });
}
