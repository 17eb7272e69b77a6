/** `propose_file_edit`: the main road of every change. It proposes; a person decides; the answer says what was kept. */
import { describeOutcome } from "../../proposals/describe-outcome.ts";
import { loadDiff, loneCarriageReturnLine, withLineEndingsOf } from "../../proposals/hunks.ts";
import { mergeTexts } from "../../proposals/merge-texts.ts";
import type { ProposedDocument } from "../../proposals/proposal.ts";
import { lineBreaksIn } from "../../protocol/line-breaks.ts";
import { FileError } from "../../workspace/regular-file.ts";
import { ToolFailure, type Tool } from "../tool.ts";
import { defineEdit, propose, type EditPorts } from "./define-edit.ts";
import { differenceToNearest } from "../answers/nearest-part.ts";

const MAX_TEXT = 2_000_000;
const MAX_PLACES = 10;
const MAX_DIFFERENCE = 80;

interface Edit {
  readonly path: string;
  readonly original?: string;
  readonly modified: string;
}

export function createProposeFileEdit(ports: EditPorts): Tool {
  return defineEdit(ports, {
    name: "propose_file_edit",
    description:
      "Propose a change to one file. The person reviews it hunk by hunk in the editor; nothing changes until they accept, " +
      "and the answer tells you exactly which hunks were applied, edited or rejected and why. With `original`: that exact " +
      "text (it must occur exactly once) is replaced by `modified`. Without `original`: `modified` is the whole new text " +
      "of the file, written against the text you read last (what changed since then is kept, or the call is refused); a " +
      "file that does not exist is created. Keep unrelated changes out.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "File path relative to the workspace folder." },
        original: { type: "string", minLength: 1, description: "Exact current text to replace; occurs once." },
        modified: { type: "string", description: "The replacement, or the whole new text without `original`." },
        description: { type: "string", minLength: 1, description: "Why, in a sentence; the person reads it." },
      },
      required: ["path", "modified", "description"],
      additionalProperties: false,
    },
    run: async (args, context) => {
      const { document, merged } = await proposedDocument(ports, args, context.sessionId);
      const title = document.base === null ? `Create ${document.path}` : `Edit ${document.path}`;
      const proposal = { title, why: args.description, documents: [document] };
      const { outcome, checked } = await propose(ports, context, proposal);
      ports.seen.noteReview(context.sessionId, document, outcome);
      return [...merged, describeOutcome(outcome), ...checked].join("\n");
    },
  });
}

interface Prepared {
  readonly document: ProposedDocument;
  /** What the model must know about a text that it did not see. */
  readonly merged: readonly string[];
}

async function proposedDocument(ports: EditPorts, edit: Edit, conversation: string | undefined): Promise<Prepared> {
  if (!edit.modified.isWellFormed()) {
    throw new ToolFailure(
      "NOT PROPOSED: `modified` holds half of a surrogate pair (such as \\ud83d), which no file can.",
    );
  }
  refuseLoneCarriageReturn("`modified`", edit.modified);
  const resolution = ports.resolvePath(edit.path);
  if (!resolution.ok) throw new ToolFailure(resolution.reason);
  const { uri, relative: path } = resolution.path;
  const current = await ports.readDocument(uri).catch((error: unknown) => {
    throw error instanceof FileError ? new ToolFailure(`NOT PROPOSED: ${error.message}`) : error;
  });
  if (current === undefined) {
    if (edit.original !== undefined) {
      throw new ToolFailure(
        `${path} does not exist, so it cannot contain \`original\`. Leave it out to create the file.`,
      );
    }
    return { document: { uri, path, base: null, target: edit.modified }, merged: [] };
  }
  const { text } = current;
  if (text.includes("\0")) throw new ToolFailure(`${path} is a binary file; it cannot be edited as text.`);
  if (text.length > MAX_TEXT) {
    throw new ToolFailure(`${path} has ${text.length} characters; edits are proposed up to ${MAX_TEXT}.`);
  }
  refuseLoneCarriageReturn(path, text);
  const modified = withLineEndingsOf(text, edit.modified);
  const whole = (): { target: string; merged: readonly string[] } => {
    const seen = ports.seen.get(conversation, uri);
    if (seen === undefined || seen === text) return { target: modified, merged: [] };
    return mergedWith({ seen, text, modified, path }, () => ports.seen.note(conversation, uri, text));
  };
  const { target, merged } =
    edit.original === undefined
      ? whole()
      : { target: await replaceOnce(text, withLineEndingsOf(text, edit.original), modified, path), merged: [] };
  if (target === text) {
    const why = merged.length === 0 ? `${path} already reads like that` : `your text changes nothing else in ${path}`;
    throw new ToolFailure([...merged, `Nothing to propose: ${why}.`].join("\n"));
  }
  return { document: { uri, path, base: current, target }, merged };
}

/** An edit behind a lone carriage return lands on different lines in different editors. */
function refuseLoneCarriageReturn(subject: string, text: string): void {
  const line = loneCarriageReturnLine(text);
  if (line === undefined) return;
  throw new ToolFailure(
    `NOT PROPOSED: line ${line} of ${subject} has a carriage return without a line feed. Editors count lines differently ` +
      "there, so an edit could land at the wrong place. Use \\n or \\r\\n as line ending; in code write \\r as an escape.",
  );
}

/** The new text was written against a text that changed meanwhile: the changes since then stay. */
function mergedWith(
  { seen, text, modified, path }: { seen: string; text: string; modified: string; path: string },
  noteShown: () => void,
): { target: string; merged: readonly string[] } {
  const target = mergeTexts(seen, modified, text);
  const patch = loadDiff().createTwoFilesPatch("as you read it", "as it is now", seen, text, "", "", {
    context: 1,
    timeout: 200,
  });
  const lines = (patch ?? "").trimEnd().split("\n").slice(1);
  const difference = lines.slice(0, MAX_DIFFERENCE);
  if (lines.length > difference.length) difference.push("… read_file shows the rest.");
  if (target !== undefined) {
    const head = `${path} changed since you read it; your text was merged with these changes, which are not part of the proposal:`;
    return { target, merged: [head, ...difference] };
  }
  // Whoever was shown all of the difference knows the text as it is now.
  if (patch !== undefined && lines.length === difference.length) noteShown();
  throw new ToolFailure(
    [`NOT PROPOSED: ${path} changed since you read it, in places that your text changes too:`, ...difference].join(
      "\n",
    ),
  );
}

export async function replaceOnce(text: string, original: string, modified: string, path: string): Promise<string> {
  const first = text.indexOf(original);
  if (first === -1) {
    const difference = await differenceToNearest(text, original);
    throw new ToolFailure(
      difference === undefined
        ? `\`original\` does not occur in ${path}, and nothing there is like it. Read the file again.`
        : `\`original\` does not occur in ${path}. The closest part of the document differs like this ` +
            `(- your original, + the document):\n${difference}`,
    );
  }
  if (text.indexOf(original, first + 1) === -1) {
    return text.slice(0, first) + modified + text.slice(first + original.length);
  }
  const parts = text.split(original);
  const lines: number[] = [];
  for (let line = 1, index = 0; index < Math.min(parts.length - 1, MAX_PLACES); index += 1) {
    line += lineBreaksIn(parts[index] ?? "");
    lines.push(line);
    line += lineBreaksIn(original);
  }
  const more = parts.length - 1 > lines.length ? `, and ${parts.length - 1 - lines.length} more` : "";
  throw new ToolFailure(
    `\`original\` occurs ${parts.length - 1} times in ${path} (lines ${lines.join(", ")}${more}); give more lines around it so that it is unique.`,
  );
}
