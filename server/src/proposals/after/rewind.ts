/** Several proposals taken back as one: the newest first, each from what the ones after it leave. Pure. */
import { given } from "../../base/given.ts";
import type { FilesNow } from "../apply/compose-decision.ts";
import { entryDocument, type Entry, type EntryChange, type EntryNow } from "../entries/entry.ts";
import { known, wasApplied } from "../hunk-state.ts";
import type { FilePlace, ProposedDocument, TrackedHunk } from "../proposal.ts";
import type { Tracked } from "../tracked-proposal.ts";
import { undoing } from "./later-proposals.ts";
import { hunksTakenBack } from "./taken-back.ts";

export interface Rewound {
  readonly documents: readonly ProposedDocument[];
  readonly left: readonly {
    readonly proposalId: string;
    readonly id: string;
    readonly title: string;
    readonly why: string;
  }[];
}

/** `proposals` in the order in which they were made. `look` is around all of their documents. */
export function rewinding(proposals: readonly Tracked[], look: FilesNow): Rewound {
  const draft = new Draft(look);
  const steps = proposals.toReversed().flatMap((tracked) => {
    return inSafeOrder(tracked.hunks.filter(wasEverApplied)).map((applied) => ({ tracked, applied }));
  });
  const left = steps.flatMap(({ tracked, applied }) => {
    const before = draft.look();
    const undone = undoing(applied, before);
    for (const document of undone.documents) draft.put(document);
    const why = new Map(undone.left.map((each) => [each.id, each.why]));
    const stays = applied.filter(({ id }) => why.has(id));
    const takenBack = hunksTakenBack(stays, before);
    return stays.flatMap((hunk) => {
      const { id, title } = hunk;
      return takenBack.has(hunk) ? [] : [{ proposalId: tracked.id, id, title, why: why.get(id) ?? "" }];
    });
  });
  return { documents: draft.documents(), left };
}

/** What was undone by another proposal comes again with the undoing of that one, and then goes. */
function wasEverApplied(hunk: TrackedHunk): boolean {
  return wasApplied(hunk) || known(hunk).later === "undone";
}

/** The hunks document by document: a file comes back to its place after the one that took the place has left. */
function inSafeOrder(applied: readonly TrackedHunk[]): (readonly TrackedHunk[])[] {
  const waiting = [...Map.groupBy(applied, ({ document }) => document)];
  const ordered: (readonly TrackedHunk[])[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex(([{ from }], index) => {
      const isInWay = ([other, hunks]: (typeof waiting)[number], place: number): boolean =>
        place !== index && other.at.uri === from.uri && !hunks.some(({ kind }) => kind === "delete");
      return !waiting.some(isInWay);
    });
    const [, own = []] = waiting.splice(Math.max(next, 0), 1)[0] ?? [];
    ordered.push(own);
  }
  return ordered;
}

interface DraftFile {
  /** The file's place and text now; undefined for a file that does not exist now. */
  readonly origin: (FilePlace & Pick<ProposedDocument, "base" | "bytes">) | undefined;
  readonly at: FilePlace;
  readonly text: string;
}

/** An entry as it will be found. */
function nowOf(entry: Entry | null): EntryNow {
  if (entry === null) return undefined;
  if (entry.kind !== "file") return entry;
  return { kind: "file", mode: entry.mode, sha256: entry.content?.sha256 ?? "" };
}

/** The files as some undoings leave them. */
class Draft {
  readonly #now: FilesNow;
  readonly #files = new Map<string, DraftFile>();
  /** Files of now that are gone, by their places. */
  readonly #gone = new Map<string, NonNullable<DraftFile["origin"]>>();
  readonly #left = new Set<string>();
  readonly #entries = new Map<string, { readonly place: FilePlace; readonly change: EntryChange }>();

  constructor(now: FilesNow) {
    this.#now = now;
  }

  look(): FilesNow {
    const textOf: FilesNow["textOf"] = (uri) => {
      const file = this.#files.get(uri);
      if (file !== undefined) return { version: null, text: file.text, sha256: file.origin?.base?.sha256 ?? "" };
      return this.#left.has(uri) ? undefined : this.#now.textOf(uri);
    };
    const isThere = (uri: string): boolean => this.#files.has(uri) || (!this.#left.has(uri) && this.#now.isThere(uri));
    const entryOf: FilesNow["entryOf"] = (uri) => {
      const drafted = this.#entries.get(uri);
      return drafted === undefined ? (this.#now.entryOf?.(uri) ?? undefined) : nowOf(drafted.change.after);
    };
    return { ...this.#now, textOf, isThere, entryOf };
  }

  put({ entry, ...document }: ProposedDocument): void {
    const { uri, path, bytes } = document;
    if (entry !== undefined) {
      const before = this.#entries.get(uri)?.change.before;
      const change = { before: before === undefined ? entry.before : before, after: entry.after };
      this.#entries.set(uri, { place: { uri, path }, change });
    }
    if (entry === undefined || bytes === undefined) this.#putText(document);
  }

  #putText({ uri, path, base, target, movedTo, bytes }: ProposedDocument): void {
    const file = this.#files.get(uri);
    // The proposal is about the text that the file holds now, not about a draft.
    const origin = file === undefined ? this.#originAt({ uri, path }, base === null, bytes) : file.origin;
    this.#files.delete(uri);
    if (target === null) {
      this.#left.add(uri);
      if (origin !== undefined) this.#gone.set(origin.uri, origin);
      return;
    }
    const at = movedTo ?? { uri, path };
    if (at.uri !== uri) this.#left.add(uri);
    this.#left.delete(at.uri);
    this.#files.set(at.uri, { origin, at, text: target });
  }

  /** A file that was deleted and comes again at its place is the file that was there. */
  #originAt(place: FilePlace, isNew: boolean, bytes: number | undefined): DraftFile["origin"] {
    const gone = this.#gone.get(place.uri);
    if (gone !== undefined) this.#gone.delete(place.uri);
    if (gone !== undefined || isNew) return gone;
    return { ...place, base: this.#now.textOf(place.uri) ?? null, ...given({ bytes }) };
  }

  documents(): ProposedDocument[] {
    const files = [...this.#files.values()].flatMap(({ origin, at, text }): ProposedDocument[] => {
      if (origin === undefined) return [{ ...at, base: null, target: text }];
      if (at.uri !== origin.uri) return [{ ...origin, target: text, movedTo: at }];
      return text === origin.base?.text ? [] : [{ ...origin, target: text }];
    });
    const entries = [...this.#entries.values()].map(({ place, change }) => entryDocument(place, change));
    return [...files, ...[...this.#gone.values()].map((origin) => ({ ...origin, target: null })), ...entries];
  }
}
