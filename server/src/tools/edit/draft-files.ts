/** The files of one call as its edits make them, one edit on the result of the edits before it. Nothing is written. */
import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { applyChanges, loneCarriageReturnLine, mapThrough, type TextChange } from "../../proposals/texts/hunks.ts";
import type { FilePlace, ProposedDocument } from "../../proposals/proposal.ts";
import type { DocumentText } from "../../workspace/documents.ts";
import { isListed, isOtherCase, isTaken } from "../../workspace/file-names.ts";
import { FileError, readRegularBytes } from "../../workspace/regular-file.ts";
import type { WorkspacePath } from "../../workspace/workspace-paths.ts";
import { ToolFailure } from "../tool.ts";
import type { EditPorts } from "./define-edit.ts";
import { refuseLoneCarriageReturn } from "./text-edits.ts";

export const MAX_TEXT = 2_000_000;
export const MAX_FILES = 500;

/** One file, from how it is to how it is to be. */
export interface Draft {
  readonly origin: WorkspacePath;
  readonly base: ProposedDocument["base"];
  /** The size of a file that is no text, which can only be moved or deleted. */
  readonly bytes?: number;
  /** Undefined once it is deleted. */
  place: WorkspacePath | undefined;
  text: string;
  /** The changes from `base` to `text`, each on the result of those before it. */
  readonly steps: (readonly TextChange[])[];
  /** The edits of the call, by index, that changed its text, that moved it, and that deleted it. */
  editedBy?: number;
  movedBy?: number;
  deletedBy?: number;
}

export class DraftFiles {
  readonly #ports: Pick<EditPorts, "resolvePath" | "readDocument">;
  readonly #drafts: Draft[] = [];

  constructor(ports: Pick<EditPorts, "resolvePath" | "readDocument">) {
    this.#ports = ports;
  }

  /** The file at a path before the call. */
  from(place: WorkspacePath): Draft | undefined {
    return this.#drafts.find(({ origin, base }) => base !== null && origin.uri === place.uri);
  }

  all(): readonly Draft[] {
    return this.#drafts;
  }

  /** Throws a `ToolFailure` for a path that must not be touched. */
  resolve(name: string): WorkspacePath {
    const resolution = this.#ports.resolvePath(name);
    if (!resolution.ok) throw new ToolFailure(resolution.reason);
    return resolution.path;
  }

  /** The file at a path by now; undefined when there is none. `how` says what a file may be that is no text. */
  async at(place: WorkspacePath, how: "text" | "whole" = "text"): Promise<Draft | undefined> {
    const known = this.#drafts.find((draft) => draft.place?.uri === place.uri);
    if (known !== undefined) return known;
    const gone = this.#goneFrom(place);
    if (gone !== undefined) throw new ToolFailure(`${place.relative} is not there any more: ${gone}.`);
    const found = how === "text" ? await this.#readText(place) : await this.#readWhole(place);
    if (found === undefined) return undefined;
    const draft: Draft = { origin: place, place, steps: [], ...found };
    this.#drafts.push(draft);
    return draft;
  }

  /** Why nothing can be put at a path, undefined when it is free. `mover` is the file that is to come there. */
  async whyOccupied(place: WorkspacePath, mover?: WorkspacePath): Promise<string | undefined> {
    if (this.#drafts.some((draft) => draft.place?.uri === place.uri)) return `${place.relative} exists already`;
    if (this.#goneFrom(place) !== undefined) return undefined;
    const isOwnName =
      mover !== undefined && isOtherCase(mover.absolute, place.absolute) && !(await isListed(place.absolute));
    if (isOwnName) return undefined;
    const found = await this.#ports.readDocument(place.uri).catch((error: unknown) => {
      if (error instanceof FileError) return error;
      throw error;
    });
    if (found instanceof FileError) {
      return found.trouble === "folder"
        ? `${place.relative} is a folder; name the whole new path, such as ${place.relative}/${path.basename(mover?.relative ?? "file.ts")}`
        : found.trouble === "unreadable"
          ? `${place.relative} ${found.finding}`
          : `${place.relative} exists already`;
    }
    const isThere = found !== undefined || (await isTaken(place.absolute));
    return isThere ? `${place.relative} exists already` : undefined;
  }

  create(place: WorkspacePath, text: string, by: number): void {
    this.#drafts.push({ origin: place, base: null, place, text, steps: [], editedBy: by });
  }

  async isFolder(place: WorkspacePath): Promise<boolean> {
    if (this.#drafts.some((draft) => draft.place?.absolute.startsWith(place.absolute + path.sep) === true)) return true;
    return lstat(place.absolute).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
  }

  /** Why a file is not at its place any more. */
  #goneFrom(place: WorkspacePath): string | undefined {
    const draft = this.from(place);
    if (draft === undefined) return undefined;
    if (draft.place === undefined) return `edits[${draft.deletedBy}] deletes it`;
    return draft.place.uri === place.uri ? undefined : `edits[${draft.movedBy}] moves it to ${draft.place.relative}`;
  }

  async #readText(place: WorkspacePath): Promise<Pick<Draft, "base" | "text"> | undefined> {
    const found = await this.#ports.readDocument(place.uri).catch((error: unknown) => {
      throw error instanceof FileError ? new ToolFailure(`NOT PROPOSED: ${error.message}`) : error;
    });
    return found === undefined ? undefined : { base: found, text: found.text };
  }

  async #readWhole(place: WorkspacePath): Promise<Pick<Draft, "base" | "text" | "bytes"> | undefined> {
    let found: DocumentText | undefined;
    try {
      found = await this.#ports.readDocument(place.uri);
      if (found === undefined || (found.text.length <= MAX_TEXT && loneCarriageReturnLine(found.text) === undefined)) {
        return found === undefined ? undefined : { base: found, text: found.text };
      }
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      if (error.trouble !== "binary" && error.trouble !== "encoding") throw new ToolFailure(error.message);
    }
    if (found !== undefined && found.version !== null) {
      throw new ToolFailure(`${place.relative} is open in the editor with a text that cannot be reviewed as a whole.`);
    }
    const bytes = await readRegularBytes(place.absolute, { shown: place.relative }).catch((error: unknown) => {
      throw error instanceof FileError ? new ToolFailure(error.message) : error;
    });
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return { base: { text: "", version: null, sha256 }, text: "", bytes: bytes.length };
  }
}

/** Throws for a file whose text must not be edited. */
export function refuseNoText(draft: Draft): void {
  const shown = draft.origin.relative;
  if (draft.bytes !== undefined || draft.text.includes("\0")) {
    throw new ToolFailure(`${shown} is a binary file; it cannot be edited as text.`);
  }
  if (draft.text.length > MAX_TEXT) {
    throw new ToolFailure(`${shown} has ${draft.text.length} characters; edits are proposed up to ${MAX_TEXT}.`);
  }
  refuseLoneCarriageReturn(shown, draft.text);
}

export function change(draft: Draft, changes: readonly TextChange[], by: number): void {
  draft.text = applyChanges(draft.text, changes);
  draft.steps.push(changes);
  draft.editedBy ??= by;
}

/** The place by now of a stretch of the text that was read; undefined when an edit of the call changed the stretch. */
export function placeNow(
  draft: Draft,
  stretch: { start: number; end: number },
): { start: number; end: number } | undefined {
  let place: { start: number; end: number } | undefined = stretch;
  for (const step of draft.steps) place = place === undefined ? undefined : mapThrough(place, step);
  return place;
}

/** What is proposed about one file; undefined when nothing of it changes. */
export function documentOf({ origin, base, place, text, bytes }: Draft): ProposedDocument | undefined {
  const placeOf = ({ uri, relative }: WorkspacePath): FilePlace => ({ uri, path: relative });
  const size = bytes === undefined ? {} : { bytes };
  if (base === null) return place === undefined ? undefined : { ...placeOf(place), base, target: text };
  if (place === undefined) return { ...placeOf(origin), base, target: null, ...size };
  const isMoved = place.uri !== origin.uri;
  if (!isMoved && text === base.text) return undefined;
  const movedTo = isMoved ? { movedTo: placeOf(place) } : {};
  return { ...placeOf(origin), base, target: text, ...movedTo, ...size };
}
