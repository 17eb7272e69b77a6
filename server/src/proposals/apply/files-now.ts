/** The texts and files that a decision is about, as they are when they are asked for. */
import { join } from "node:path";
import { fileOfUri } from "../../workspace/file-uri.ts";
import { isListed, isTaken } from "../../workspace/file-names.ts";
import type { DocumentText, Documents } from "../../workspace/documents.ts";
import { entryAt } from "../entries/entry-now.ts";
import type { Entry, EntryNow } from "../entries/entry.ts";
import type { EntryPlace } from "../entries/put-entry.ts";
import type { FilesNow } from "./compose-decision.ts";
import type { FilePlace, TrackedDocument } from "../proposal.ts";
import { isOnlyEntry } from "../tracked-proposal.ts";

export interface LookPorts {
  /** The place of an entry, or why nothing may be put there. Contract: follows no link. */
  readonly placeOf?: (uri: string) => EntryPlace | string;
  /** Why an entry may not be put at a place: a link that leads where nobody may look. */
  readonly whyNotLinked?: (place: EntryPlace, entry: Entry | null) => string | undefined;
  readonly documents: Documents;
  readonly whyMoved: (uri: string) => string | undefined;
}

/**
 * A place to look at. A file that is no text is told by its hash; `nothing` asks whether the place is free. With
 * `isEntry` the whole of what is there is told.
 */
export interface Looked extends FilePlace {
  readonly isEntry?: boolean;
  readonly reads: "text" | "bytes" | "nothing";
}

export type Look = FilesNow & { readonly textOf: (uri: string) => DocumentText | undefined };

/**
 * A buffer may change while the others are read, so its text is asked for again at each use. A place whose path leads
 * somewhere else by now is not read.
 */
export async function lookAtFiles(
  { documents, whyMoved, placeOf }: LookPorts,
  wanted: readonly Looked[],
  onFailure: (error: unknown) => undefined = rethrow,
): Promise<Look> {
  // One file leaves a place that another one takes: both ask, and what is no text is never read as one.
  const asked = new Map<string, Looked>();
  for (const each of wanted) if (rank(each) >= rank(asked.get(each.uri))) asked.set(each.uri, each);
  const entries = await entriesAt(wanted, placeOf);
  const inside = [...asked.values()].filter(({ uri }) => whyMoved(uri) === undefined);
  const readOne = async ({ uri, path, reads }: Looked): Promise<DocumentText | undefined> => {
    if (reads === "nothing") return undefined;
    return (reads === "bytes" ? documents.readBytes(uri, path) : documents.read(uri, path)).catch(onFailure);
  };
  const sameName = Map.groupBy(inside, ({ uri }) => uri.toLowerCase());
  const found = await Promise.all(
    inside.map(async (each) => {
      const text = await readOne(each);
      const hasTwin = (sameName.get(each.uri.toLowerCase())?.length ?? 0) > 1;
      return [each.uri, { text, isOnDisk: await isOnDisk(each.uri, hasTwin) }] as const;
    }),
  );
  const read = new Map(found);
  const textOf = (uri: string): DocumentText | undefined => documents.readOpen(uri) ?? read.get(uri)?.text;
  return {
    whyMoved,
    textOf,
    entryOf: (uri) => (entries.has(uri) ? entries.get(uri) : "unknown"),
    // Where nobody looked, nobody can say that the place is free.
    isThere: (uri) => textOf(uri) !== undefined || read.get(uri)?.isOnDisk !== false,
  };
}

async function entriesAt(
  wanted: readonly Looked[],
  placeOf: LookPorts["placeOf"],
): Promise<ReadonlyMap<string, EntryNow | "unknown">> {
  const uris = wanted.flatMap(({ uri, isEntry = false }) => (isEntry ? [uri] : []));
  const found = [...new Set(uris)].map(async (uri) => {
    const place = placeOf?.(uri);
    if (typeof place !== "object") return [uri, "unknown"] as const;
    return [uri, await entryAt(join(place.root, ...place.names)).catch(() => "unknown" as const)] as const;
  });
  return new Map(await Promise.all(found));
}

function rank(looked: Looked | undefined): number {
  return looked === undefined ? -1 : ["nothing", "text", "bytes"].indexOf(looked.reads);
}

/** The documents, and the places they move to or come from. */
export async function lookAtDocuments(
  ports: LookPorts,
  documents: Iterable<TrackedDocument>,
  onFailure?: (error: unknown) => undefined,
): Promise<Look> {
  return lookAtFiles(ports, [...documents].flatMap(placesOf), onFailure);
}

/** The documents where they are, were and may come to, as far as they can be read. */
export async function lookAround(ports: LookPorts, documents: Iterable<TrackedDocument>): Promise<Look> {
  const wanted = [...documents].flatMap((document): Looked[] => {
    const { at, from, movedTo = from, entry } = document;
    if (isOnlyEntry(document)) return placesOf(document);
    return [at, from, movedTo].map((each) => ({ ...readAt(each, document), isEntry: entry !== undefined }));
  });
  return lookAtFiles(ports, wanted, () => undefined);
}

/** The file of a document at one of its places. */
export function readAt(place: FilePlace, { bytes }: TrackedDocument): Looked {
  return { ...place, reads: bytes === undefined ? "text" : "bytes" };
}

/** Where a document stands and where it may come to. */
export function placesOf(document: TrackedDocument): Looked[] {
  const { at, from, movedTo, entry } = document;
  // A link of the workspace may lead anywhere: of an entry nothing is read as a text.
  if (isOnlyEntry(document)) return [{ ...at, reads: "nothing", isEntry: true }];
  const others = [from, ...(movedTo === undefined ? [] : [movedTo])].filter(({ uri }) => uri !== at.uri);
  return [
    { ...readAt(at, document), isEntry: entry !== undefined },
    ...others.map((place) => ({ ...place, reads: "nothing" as const })),
  ];
}

/** On a disk that does not tell capital letters apart, only the folder's list says which of two names a file has. */
async function isOnDisk(uri: string, hasTwin: boolean): Promise<boolean> {
  const file = fileOfUri(uri);
  if (file === undefined || !(await isTaken(file))) return false;
  return !hasTwin || (await isListed(file));
}

function rethrow(error: unknown): never {
  throw error;
}
