/** Imports go along with the files that a call moves, and the notes say which mentions do not. */
import path from "node:path";
import { TextDocument } from "vscode-languageserver-textdocument";
import { withLineEndingsOf, type TextChange } from "../../proposals/texts/hunks.ts";
import { importEdits, leftMentions, type Mention } from "../../typescript/edits/moves/file-moves.ts";
import type { FileEdits } from "../../typescript/edits/workspace-edit.ts";
import { TypeScriptUnavailable } from "../../typescript/typescript-unavailable.ts";
import { change, placeNow } from "./draft-files.ts";
import type { Plan } from "./plan.ts";
import { plural } from "../../base/plural.ts";

const SHOWN = 10;

export async function followMoves(plan: Plan): Promise<void> {
  const { ports, files, signal, notes } = plan;
  const moved = files.all().flatMap(({ base, origin, place, movedBy }) => {
    return base === null || place === undefined || movedBy === undefined || place.uri === origin.uri
      ? []
      : [{ origin, place, movedBy }];
  });
  const [first] = moved;
  if (first === undefined) return;
  const moves = new Map(moved.map(({ origin, place }) => [origin.absolute, place.absolute]));
  const folders = new Map(plan.folderMoves.filter(([from, to]) => isWhole(from, to, moves)));
  try {
    const found = await ports.typescript.query(async (view) => {
      const edits = await importEdits(view, moves, folders);
      const left = await leftMentions(view, moves, edits);
      return { edits, left: left.map((mention) => ({ ...mention, file: view.paths.show(mention.file) })) };
    }, signal);
    const followed: string[] = [];
    for (const each of found.edits) followed.push(...(await followIn(plan, each, first.movedBy)));
    if (followed.length > 0) notes.push(followedNote(followed));
    if (found.left.length > 0) notes.push(leftNote(found.left));
  } catch (error) {
    if (!(error instanceof TypeScriptUnavailable)) throw error;
    notes.push(`The imports of what moves were not followed: ${error.message}`);
  }
}

/** Whether all that moved out of a folder moved to the same places below the other one. */
function isWhole(from: string, to: string, moves: ReadonlyMap<string, string>): boolean {
  const below = [...moves].filter(([file]) => file.startsWith(from + path.sep));
  return below.every(([file, goal]) => goal === path.join(to, path.relative(from, file)));
}

/** Answers the file's name now where its imports change. */
async function followIn(plan: Plan, { file, edits }: FileEdits, by: number): Promise<string[]> {
  const place = plan.files.resolve(file);
  const draft = plan.files.from(place) ?? (await plan.files.at(place));
  if (draft?.base === undefined || draft.base === null || draft.place === undefined) return [];
  const { text } = draft.base;
  const document = TextDocument.create(place.uri, "typescript", 0, text);
  const changes: TextChange[] = [];
  for (const { range, newText } of edits) {
    const stretch = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
    const now = placeNow(draft, stretch);
    if (text.slice(stretch.start, stretch.end) === newText) continue;
    if (now !== undefined) changes.push({ ...now, newText: withLineEndingsOf(text, newText) });
    else if (!draft.text.includes(newText)) {
      const at = `${place.relative}:${range.start.line + 1}`;
      plan.notes.push(`${at}: your own edit stands there, so this import does not follow the move.`);
    }
  }
  if (changes.length > 0) change(draft, changes, by);
  return changes.length > 0 ? [draft.place.relative] : [];
}

function followedNote(files: readonly string[]): string {
  const more = files.length > SHOWN ? ` and ${files.length - SHOWN} more` : "";
  return `Imports that follow the move were proposed too: ${files.slice(0, SHOWN).join(", ")}${more}.`;
}

function leftNote(left: readonly Mention[]): string {
  const places = left.slice(0, SHOWN).map(({ file, line }) => `${file}:${line}`);
  const more = left.length > SHOWN ? ` and ${left.length - SHOWN} more` : "";
  return `Not changed: ${plural(left.length, "other line names", "other lines name")} what moves: ${places.join(", ")}${more}.`;
}
