/** `search_files`: files by a glob or by a part of their name, new ones of the editor's too. */
import { readGlob } from "../../search/glob.ts";
import { listFiles } from "../../search/list-files.ts";
import { comparePlaces, keyOf, type Place } from "../../search/place.ts";
import type { Reach } from "../../search/reach.ts";
import { reachedTexts } from "../../search/unsaved-texts.ts";
import { nearestNames } from "../../base/spelling.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import { countsByFolder } from "./counts-by-folder.ts";
import { reachSchema, readReach, searching, shownPlace, type SearchToolPorts } from "./search-ports.ts";
import { plural } from "../../base/plural.ts";

interface Files {
  readonly places: readonly Place[];
  /** The keys of those that are in the editor alone. */
  readonly unsaved: ReadonlySet<string>;
  readonly closed: number;
  readonly notes: readonly string[];
}

const MAX_FILES = 1_000;
const BUDGET = 7_000;
const GLOB = /[*?[\]{}!]/;
const NEAR = 3;

export function createSearchFiles(ports: SearchToolPorts): Tool {
  return defineTool({
    name: "search_files",
    description: "Files of any kind by glob (src/**/*.test.ts) or part of the name, without what git ignores.",
    safety: "safe",
    categories: ["filesystem", "buffer"],
    input: {
      type: "object",
      properties: {
        glob: { type: "string", minLength: 1, maxLength: 500 },
        path: reachSchema.path,
        ignored: reachSchema.ignored,
        limit: { type: "integer", minimum: 1, maximum: MAX_FILES },
        cursor: { type: "string", minLength: 1, maxLength: 5_000 },
      },
      required: ["glob"],
      additionalProperties: false,
    },
    told: { path: { type: "string" }, ignored: { type: "boolean" } },
    run: async ({ glob: text, path, ignored, limit = MAX_FILES, cursor }, { signal }) => {
      const isGlob = GLOB.test(text);
      const reach = await readReach(ports, { path, ignored, glob: isGlob ? text : undefined });
      const files = await searching(filesIn(ports, reach, signal));
      const rank = isGlob ? () => 0 : rankOf(text);
      const ranked = files.places.flatMap((place) => {
        const own = rank(place.relative);
        return own === undefined ? [] : [{ place, rank: own }];
      });
      ranked.sort((one, other) => one.rank - other.rank || comparePlaces(one.place, other.place));
      const found = ranked.map(({ place }) => place);
      if (found.length === 0) return noFiles(ports, { text, reach, files }, signal);
      return told(found, files, { shown: shownPlace(ports), isGlob, limit, cursor });
    },
  });
}

async function filesIn(ports: SearchToolPorts, reach: Reach, signal: AbortSignal): Promise<Files> {
  const [listed, texts] = await Promise.all([listFiles(ports.locate, reach, signal), ports.unsaved()]);
  const fresh = await reachedTexts(
    ports.locate,
    reach,
    texts.filter(({ isNew }) => isNew),
    signal,
  );
  return {
    places: [...listed.places, ...fresh.map(({ folder, relative }) => ({ folder, relative }))],
    unsaved: new Set(fresh.map(keyOf)),
    closed: listed.closed,
    notes: listed.unread.map(({ path, reason }) => `Could not be listed: ${path} (${reason}).`),
  };
}

/** From the best to the worst: the name itself, its beginning, a part of it, and a part of the path where `text` has a slash. */
function rankOf(text: string): (relative: string) => number | undefined {
  const wanted = text
    .normalize()
    .toLowerCase()
    .replace(/^\.?\//, "");
  return (relative) => {
    const path = relative.normalize().toLowerCase();
    if (wanted.includes("/")) return path.endsWith(wanted) ? 0 : path.includes(wanted) ? 1 : undefined;
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (name === wanted || name.replace(/\.[^.]*$/, "") === wanted) return 0;
    if (name.startsWith(wanted)) return 1;
    return name.includes(wanted) ? 2 : undefined;
  };
}

function told(
  found: readonly Place[],
  { unsaved, notes }: Files,
  {
    shown,
    isGlob,
    limit,
    cursor,
  }: { shown: (place: Place) => string; isGlob: boolean; limit: number; cursor: string | undefined },
): ToolAnswer {
  const names = found.map((place) => `${shown(place)}${unsaved.has(keyOf(place)) ? " (unsaved)" : ""}`);
  const first = cursor === undefined ? 0 : found.findIndex((place) => shown(place) === cursor) + 1;
  if (cursor !== undefined && first === 0) {
    throw new ToolFailure(
      `No file of this answer is named ${cursor.slice(0, 100)}. Leave cursor out to read from the beginning.`,
    );
  }
  let end = first;
  for (let budget = BUDGET; end < names.length && end - first < limit && (budget > 0 || end === first); end += 1) {
    budget -= (isGlob ? names[end]?.replace(/.*\//, "") : names[end])?.length ?? 0;
  }
  const page = names.slice(first, end);
  const left = found.slice(end);
  const last = found[end - 1];
  const tail = left.length === 0 ? [] : [`Not shown: ${countsByFolder(left.map((place) => [place, 1] as const))}.`];
  return {
    content: [plural(found.length, "file"), ...(isGlob ? byFolder(page) : page), ...tail].join("\n"),
    notes,
    ...(left.length > 0 && last !== undefined ? { truncated: true, nextCursor: shown(last) } : {}),
  };
}

/** `src/tools/: a.ts, b.ts` for all files of a folder, and the path of a file that is alone. */
function byFolder(names: readonly string[]): string[] {
  const folders = new Map<string, string[]>();
  for (const name of names) {
    const folder = name.slice(0, name.lastIndexOf("/") + 1);
    folders.set(folder, [...(folders.get(folder) ?? []), name.slice(folder.length)]);
  }
  return [...folders].map(([folder, own]) =>
    own.length === 1 ? `${folder}${own[0] ?? ""}` : `${folder === "" ? "./" : folder}: ${own.join(", ")}`,
  );
}

async function noFiles(
  ports: SearchToolPorts,
  { text, reach, files }: { readonly text: string; readonly reach: Reach; readonly files: Files },
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const rank = GLOB.test(text) ? () => 0 : rankOf(text);
  const isFound = ({ relative }: Place): boolean => rank(relative) !== undefined;
  const ignored = reach.ignored
    ? []
    : (await filesIn(ports, { ...reach, ignored: true }, signal)).places.filter(isFound);
  const said = ["No file."];
  if (ignored.length > 0) {
    const counts = countsByFolder(
      ignored.map((place) => [place, 1] as const),
      NEAR,
    );
    said.push(`Ignored, and shown with ignored: true: ${counts}.`);
  }
  if (files.closed > 0 && GLOB.test(text)) {
    said.push(`${plural(files.closed, "file")} may hold secrets; tools neither read nor list them.`);
  }
  const everywhere = await filesIn(ports, { ...reach, within: undefined, glob: undefined }, signal);
  const near = nearFiles(text, everywhere.places).map(shownPlace(ports));
  if (near.length > 0) said.push(`Near: ${near.join(", ")}.`);
  return { content: said.join(" "), notes: files.notes };
}

/** Files with the same last name or pattern elsewhere, else files with a name like it. */
function nearFiles(text: string, places: readonly Place[]): Place[] {
  const name = text.slice(text.lastIndexOf("/") + 1);
  const reading = name === "" || name === text ? undefined : readGlob(`**/${name}`);
  const elsewhere = reading?.ok === true ? places.filter(({ relative }) => reading.matches(relative)) : [];
  if (elsewhere.length > 0) return elsewhere.toSorted(comparePlaces).slice(0, NEAR);
  const named = Map.groupBy(places, ({ relative }) => relative.slice(relative.lastIndexOf("/") + 1));
  return nearestNames(name, named.keys(), NEAR)
    .flatMap((each) => named.get(each) ?? [])
    .slice(0, NEAR);
}
