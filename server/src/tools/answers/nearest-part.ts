/** The part of a document that somebody most likely meant by a text that does not occur in it. */
import { loadDiff } from "../../proposals/texts/hunks.ts";
import { forEachYielding } from "../../typescript/yielding.ts";

/** A line that occurs in more places than this does not help to find the place. */
const MAX_PLACES = 20;
const SHOWN_LINES = 40;
const BEFORE = 3;
/** How alike two lines must be for one to be a misspelling of the other. */
const LEAST_LIKENESS = 0.4;

/** A unified diff from the text to that part; undefined when nothing in the document is like it. */
export async function differenceToNearest(document: string, wanted: string): Promise<string | undefined> {
  const lines = document.split("\n");
  const wantedLines = wanted.replace(/\n$/, "").split("\n");
  const start = (await placeByCommonLines(lines, wantedLines)) ?? (await placeByLikeness(lines, wantedLines));
  if (start === undefined) return undefined;
  const part = lines.slice(Math.max(0, start), start + wantedLines.length);
  const differing = wantedLines.findIndex((line, index) => line !== part[index]);
  const from = Math.max(0, differing - BEFORE);
  const [old, now] = [wantedLines, part].map((each) => each.slice(from, from + SHOWN_LINES).join("\n"));
  const place = `document from line ${Math.max(0, start) + from + 1}`;
  const patch = loadDiff().createTwoFilesPatch("original", place, `${old}\n`, `${now}\n`, "", "", { timeout: 50 });
  return patch?.split("\n").slice(1, 62).join("\n").trimEnd();
}

/** Lines that both texts have vote for where the text begins; a rare line has the greater weight. */
async function placeByCommonLines(lines: readonly string[], wanted: readonly string[]): Promise<number | undefined> {
  const places = new Map<string, number[]>();
  await forEachYielding(lines.entries(), ([index, line]) => {
    const key = line.trim();
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else if (known.length <= MAX_PLACES) known.push(index);
  });
  const votes = new Map<number, number>();
  await forEachYielding(wanted.entries(), ([index, line]) => {
    const found = places.get(line.trim()) ?? [];
    if (found.length > MAX_PLACES || !/\w/.test(line)) return;
    for (const place of found) votes.set(place - index, (votes.get(place - index) ?? 0) + 1 / found.length);
  });
  const [best] = [...votes].toSorted(([a, left], [b, right]) => right - left || a - b);
  return best === undefined || best[1] < 1 ? undefined : best[0];
}

/** Finds the place by the longest line, which says most. */
async function placeByLikeness(lines: readonly string[], wanted: readonly string[]): Promise<number | undefined> {
  const longest = wanted.reduce(
    (best, line, index) => (line.trim().length > (wanted[best] ?? "").trim().length ? index : best),
    0,
  );
  const pieces = piecesOf(wanted[longest] ?? "");
  let best = { place: -1, likeness: LEAST_LIKENESS };
  await forEachYielding(lines.entries(), ([place, line]) => {
    const own = piecesOf(line);
    let common = 0;
    for (const piece of own) if (pieces.has(piece)) common += 1;
    const likeness = (2 * common) / Math.max(1, own.size + pieces.size);
    if (likeness > best.likeness) best = { place, likeness };
  });
  return best.place < 0 ? undefined : best.place - longest;
}

/** Every three letters that follow each other. */
function piecesOf(line: string): ReadonlySet<string> {
  const text = line.trim().slice(0, 300);
  const pieces = new Set<string>();
  for (let at = 0; at < text.length; at += 1) pieces.add(text.slice(at, at + 3));
  return pieces;
}
