/** From the edits of one call to what is proposed. Every edit is tried, and all problems are told at once. */
import { errorText } from "../../base/errors.ts";
import { withLineEndingsOf, type TextChange } from "../../proposals/texts/hunks.ts";
import type { ProposedDocument } from "../../proposals/proposal.ts";
import type { WorkspacePath } from "../../workspace/workspace-paths.ts";
import { ToolFailure } from "../tool.ts";
import { change, documentOf, DraftFiles, MAX_FILES, refuseNoText, type Draft } from "./draft-files.ts";
import { fieldProblem, type Edit, type Op } from "../edit-schema.ts";
import { withoutFences } from "../fences.ts";
import { deleteFiles, exchangedPlaces, moveFiles, nestedPlaces, refuseFolderName } from "./file-edits.ts";
import { followMoves } from "./follow-moves.ts";
import type { Plan, PlanPorts } from "./plan.ts";
import { symbolChange } from "./symbol-edit.ts";
import {
  insertBeside,
  insertedAt,
  mergedWith,
  lineStart,
  refuseBrokenText,
  replaceAll,
  replaceOnce,
} from "./text-edits.ts";
import { plural } from "../../base/plural.ts";

export interface PlannedEdits {
  readonly documents: readonly ProposedDocument[];
  readonly merged: readonly string[];
  /** What the edits leave undone. */
  readonly notes: readonly string[];
}

/** One problem is one line or more; an edit may need an earlier one that failed. */
interface Problem {
  readonly index: number;
  readonly text: string;
}

export interface PlanOptions {
  readonly ports: PlanPorts;
  readonly conversation: string | undefined;
  readonly signal: AbortSignal;
  /** True for edits that are only tried: nobody is going to review them. */
  readonly isTrial?: boolean;
}

/** Throws a `ToolFailure` that names every problem. */
export async function planEdits(edits: readonly Edit[], options: PlanOptions): Promise<PlannedEdits> {
  const { ports, conversation, signal, isTrial = false } = options;
  const plan: Plan = {
    ports,
    files: new DraftFiles(ports),
    conversation,
    signal,
    merged: [],
    notes: [],
    folderMoves: [],
  };
  const problems: Problem[] = [];
  for (const [index, edit] of edits.entries()) {
    signal.throwIfAborted();
    try {
      await apply(plan, edit, index);
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      problems.push({ index, text: errorText(error).replace(/^NOT PROPOSED: /, "") });
    }
  }
  if (problems.length === 0) await followMoves(plan);
  const drafts = plan.files.all();
  for (const problem of [exchangedPlaces(drafts), nestedPlaces(drafts)])
    if (problem !== undefined) problems.push(problem);
  if (problems.length > 0) throw new ToolFailure(explain(problems, edits, isTrial));
  const documents = drafts.map(documentOf).filter((document) => document !== undefined);
  if (documents.length > MAX_FILES) {
    throw new ToolFailure(
      `NOT PROPOSED: these edits touch ${documents.length} files; at most ${MAX_FILES} go into one call.`,
    );
  }
  if (documents.length === 0 && !isTrial) {
    const paths = [...new Set(drafts.map(({ origin }) => origin.relative))];
    const why =
      plan.merged.length > 0
        ? `your text changes nothing else in ${paths.join(", ")}`
        : `${paths.join(", ")} already ${paths.length === 1 ? "reads" : "read"} like that`;
    throw new ToolFailure([...plan.merged, `Nothing to propose: ${why}.`].join("\n"));
  }
  return { documents, merged: plan.merged, notes: plan.notes };
}

function explain(problems: readonly Problem[], edits: readonly Edit[], isTrial: boolean): string {
  const count = plural(problems.length, "edit has a problem", "edits have problems");
  const head = isTrial
    ? `NOT TRIED: ${count}, so nothing ran.`
    : `NOT PROPOSED: ${count}, so ${edits.length === 1 ? "nothing" : `none of the ${edits.length} edits`} is proposed, and nothing changed.`;
  return [head, ...problems.map(({ index, text }) => `edits[${index}] (${edits[index]?.op}): ${text}`)].join("\n");
}

async function apply(plan: Plan, asked: Edit, index: number): Promise<void> {
  const problem = fieldProblem(asked);
  if (problem !== undefined) throw new ToolFailure(problem);
  const { op, path = "" } = asked;
  refuseBrokenText(asked.modified ?? "");
  if (op === "move") return moveFiles(plan, { path, to: asked.to ?? "" }, index);
  if (op === "delete") return deleteFiles(plan, path, index);
  if (op === "replace_symbol") {
    const { draft, changes } = await symbolChange(plan, asked);
    return change(draft, changes, index);
  }
  const place = placeOf(plan, op, path);
  const draft = op === "create" ? undefined : await plan.files.at(place);
  const edit = withoutFences(asked, path, draft?.text);
  const { modified = "" } = edit;
  if (op === "create") {
    const occupied = await plan.files.whyOccupied(place);
    if (occupied !== undefined) throw new ToolFailure(`${occupied}; use op write for its whole new text.`);
    return plan.files.create(place, modified, index);
  }
  if (draft === undefined) {
    if (op === "write") return plan.files.create(place, modified, index);
    throw new ToolFailure(
      edit.original === undefined
        ? `${place.relative} does not exist. Use op create.`
        : `${place.relative} does not exist, so it cannot contain \`original\`. Use op create to create the file.`,
    );
  }
  refuseNoText(draft);
  const changes = op === "write" ? [wholeText(plan, draft, modified)] : await textChanges(op, { ...edit, draft });
  return change(draft, changes, index);
}

function placeOf({ files }: Plan, op: Op, path: string): WorkspacePath {
  if (op === "create" || op === "write") refuseFolderName(path);
  return files.resolve(path);
}

type TextOp = Exclude<Op, "move" | "delete" | "replace_symbol" | "create" | "write">;

async function textChanges(
  op: TextOp,
  { draft, original = "", modified = "", line = 1 }: Edit & { readonly draft: Draft },
): Promise<readonly TextChange[]> {
  const { text, place = draft.origin } = draft;
  const edit = { path: place.relative, text, original, modified };
  switch (op) {
    case "replace":
      return [await replaceOnce(edit, ", or use op replace_all")];
    case "replace_all":
      return replaceAll(edit);
    case "insert_before":
      return [await insertBeside(edit, "before")];
    case "insert_after":
      return [await insertBeside(edit, "after")];
    case "insert_at_line":
      return [insertedAt(text, lineStart(edit, line), modified)];
    case "insert_at_start":
      return [insertedAt(text, 0, modified)];
    case "insert_at_end":
      return [insertedAt(text, text.length, modified)];
    default:
      return op satisfies never;
  }
}

/** A whole text is written against the text that the model read last. */
function wholeText({ ports, conversation, merged }: Plan, draft: Draft, given: string): TextChange {
  const { text, place = draft.origin, editedBy } = draft;
  const { uri, relative: path } = place;
  if (editedBy !== undefined) {
    throw new ToolFailure(
      `edits[${editedBy}] changes ${path} already; give its whole text, or its edits, but not both.`,
    );
  }
  const modified = withLineEndingsOf(text, given);
  const seen = ports.seen.get(conversation, draft.origin.uri);
  if (seen === undefined || seen === text) return { start: 0, end: text.length, newText: modified };
  const result = mergedWith({ seen, text, modified, path }, () => ports.seen.note(conversation, uri, text));
  merged.push(...result.merged);
  return { start: 0, end: text.length, newText: result.target };
}
