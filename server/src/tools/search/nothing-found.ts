/** What to say when nothing matches: what was searched, what was left out, and what would have matched. */
import { listFiles } from "../../search/list-files.ts";
import { keyOf, type Place } from "../../search/place.ts";
import type { Reach } from "../../search/reach.ts";
import type { Pattern } from "../../search/rg-arguments.ts";
import { searchText } from "../../search/search-text.ts";
import { didYouMean, filesNamedLike } from "../answers/near-miss.ts";
import { readGlob } from "../../search/glob.ts";
import { countsByFolder } from "./counts-by-folder.ts";
import type { SearchToolPorts } from "./search-ports.ts";
import { plural } from "../../base/plural.ts";

interface Asked {
  readonly pattern: Pattern;
  readonly glob: string | undefined;
  readonly reach: Reach;
  readonly shown: (place: Place) => string;
}

/** Such help must not cost much more than the question did. */
const LIMIT_MS = 3_000;
const MAX_NAMED = 4;
/** Code that is no regex has such characters, and a regex that is meant as one has what follows here. */
const ENDING = /^\.?([a-z]\w{0,5})$/i;
/** As a language writes a regex, with its flags. */
const BETWEEN_SLASHES = /^\/(.+)\/([a-z]*)$/s;
const HAS_SYNTAX = /[$.*+?()[\]{}]/;
const IS_REGEX = /\\|\.[*+]|^\^|\$$|\(\?|\|/;

export async function nothingFound(ports: SearchToolPorts, asked: Asked, signal: AbortSignal): Promise<string> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const [searched, otherwise] = await Promise.all([
    whatWasSearched(ports, asked, soon).catch(() => "No match."),
    whatWouldMatch(ports, asked, soon).catch((): string[] => []),
  ]);
  signal.throwIfAborted();
  return [searched, ...otherwise].join("\n");
}

async function whatWasSearched(ports: SearchToolPorts, { reach, glob }: Asked, signal: AbortSignal): Promise<string> {
  const [searched, all] = await Promise.all([
    listFiles(ports.locate, reach, signal),
    reach.ignored ? undefined : listFiles(ports.locate, { ...reach, ignored: true }, signal),
  ]);
  const known = new Set(searched.places.map(keyOf));
  const ignored = all?.places.filter((place) => !known.has(keyOf(place))) ?? [];
  const isUnfit = glob !== undefined && searched.places.length + ignored.length + searched.closed === 0;
  const unfit = isUnfit ? `: no file fits the glob ${glob}` : "";
  const said = [`No match in ${plural(searched.places.length, "file")}${unfit}.`];
  if (isUnfit) said.push(...(await whatWouldFit(ports, glob, reach, signal)));
  if (ignored.length > 0) {
    said.push(
      `Not searched: ${plural(ignored.length, "ignored file")} (${countsByFolder(
        ignored.map((place) => [place, 1] as const),
        MAX_NAMED,
      )}); ignored: true searches them too.`,
    );
  }
  // Their number is the same whatever was searched for: the answer tells nothing about what is in them.
  if (searched.closed > 0 && searched.places.length === 0) {
    said.push(
      `${plural(searched.closed, "file")} may hold secrets and ${searched.closed === 1 ? "is" : "are"} never searched.`,
    );
  }
  return said.join(" ");
}

/** An ending that is meant as `*.ts`, or a folder whose name is misspelt. */
async function whatWouldFit(
  { locate }: SearchToolPorts,
  glob: string,
  reach: Reach,
  signal: AbortSignal,
): Promise<string[]> {
  const [, ending] = ENDING.exec(glob) ?? [];
  if (ending !== undefined) {
    const reading = readGlob(`*.${ending}`);
    const { places } = await listFiles(locate, { ...reach, glob: reading.ok ? reading : undefined }, signal);
    return places.length === 0 ? [] : [`*.${ending} fits ${plural(places.length, "file")}.`];
  }
  const [, folder] = /^!?\.?\/?([^/*?{[]+)\//.exec(glob) ?? [];
  if (folder === undefined) return [];
  const alike = await Promise.all(reach.folders.map((each) => filesNamedLike(each, folder, "folders")));
  return alike.flat().includes(folder) ? [] : [didYouMean(alike.flat()).trim()].filter((text) => text !== "");
}

async function whatWouldMatch(
  ports: SearchToolPorts,
  { pattern, reach, shown }: Asked,
  signal: AbortSignal,
): Promise<string[]> {
  const [, bare, flags = ""] = pattern.literal ? [] : (BETWEEN_SLASHES.exec(pattern.text) ?? []);
  const others: readonly (readonly [string, Pattern])[] = [
    ...(!pattern.literal && HAS_SYNTAX.test(pattern.text) && !IS_REGEX.test(pattern.text)
      ? [["literal: true", { ...pattern, literal: true }] as const]
      : []),
    ...(pattern.ignoreCase || !/\p{L}/u.test(pattern.text)
      ? []
      : [["ignore_case: true", { ...pattern, ignoreCase: true }] as const]),
    ...(bare === undefined
      ? []
      : [
          [
            `pattern ${bare}, without the slashes,`,
            { ...pattern, text: bare, ignoreCase: flags.includes("i") },
          ] as const,
        ]),
  ];
  for (const [how, other] of others) {
    const { files } = await searchText(ports, { pattern: { ...other, context: 0 }, reach }, signal);
    const total = files.reduce((sum, { matches }) => sum + matches, 0);
    const places = files.flatMap(({ place, lines }) => lines.map(({ line }) => `${shown(place)}:${line}`));
    if (total > 0) {
      const more = total > MAX_NAMED ? ", …" : "";
      return [`${how} matches ${plural(total, "line")}: ${places.slice(0, MAX_NAMED).join(", ")}${more}`];
    }
  }
  return [];
}
