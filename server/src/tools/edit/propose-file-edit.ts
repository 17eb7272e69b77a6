/** `propose_file_edit`: the main road of every change. It proposes; a person decides; the answer says what was kept. */
import { describeOutcome } from "../../proposals/describe-outcome.ts";
import { loadDiff, withLineEndingsOf } from "../../proposals/hunks.ts";
import type { ProposedDocument } from "../../proposals/proposal.ts";
import { FileError } from "../../workspace/regular-file.ts";
import { ToolFailure, type Tool } from "../tool.ts";
import { defineEdit, propose, type EditPorts } from "./define-edit.ts";

const MAX_TEXT = 2_000_000;

export function createProposeFileEdit(ports: EditPorts): Tool {
  return defineEdit(ports, {
    name: "propose_file_edit",
    description:
      "Propose a change to one file. The person reviews it hunk by hunk in the editor; nothing changes until they accept, " +
      "and the answer tells you exactly which hunks were applied, edited or rejected and why. With `original`: that exact " +
      "text (it must occur exactly once) is replaced by `modified`. Without `original`: `modified` is the whole new text " +
      "of the file; a file that does not exist is created. Keep unrelated changes out.",
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
      const document = await proposedDocument(ports, args);
      const title = document.base === null ? `Create ${document.path}` : `Edit ${document.path}`;
      const outcome = await propose(ports, context, { title, why: args.description, documents: [document] });
      return describeOutcome(outcome);
    },
  });
}

async function proposedDocument(
  ports: EditPorts,
  args: { path: string; original?: string; modified: string },
): Promise<ProposedDocument> {
  const resolution = ports.resolvePath(args.path);
  if (!resolution.ok) throw new ToolFailure(resolution.reason);
  const { uri, relative } = resolution.path;
  const current = await ports.readDocument(uri).catch((error: unknown) => {
    throw error instanceof FileError ? new ToolFailure(`NOT PROPOSED: ${error.message}`) : error;
  });
  if (current === undefined) {
    if (args.original !== undefined) {
      throw new ToolFailure(
        `${relative} does not exist, so it cannot contain \`original\`. Leave it out to create the file.`,
      );
    }
    return { uri, path: relative, base: null, target: args.modified };
  }
  if (current.text.includes("\0")) throw new ToolFailure(`${relative} is a binary file; it cannot be edited as text.`);
  if (current.text.length > MAX_TEXT) {
    throw new ToolFailure(`${relative} has ${current.text.length} characters; edits are proposed up to ${MAX_TEXT}.`);
  }
  const modified = withLineEndingsOf(current.text, args.modified);
  const target =
    args.original === undefined
      ? modified
      : replaceOnce(current.text, withLineEndingsOf(current.text, args.original), modified, relative);
  if (target === current.text) throw new ToolFailure(`Nothing to propose: ${relative} already reads like that.`);
  return { uri, path: relative, base: current, target };
}

function replaceOnce(text: string, original: string, modified: string, path: string): string {
  const first = text.indexOf(original);
  if (first === -1) {
    throw new ToolFailure(
      `\`original\` does not occur in ${path}. The closest part of the document differs like this ` +
        `(- your original, + the document):\n${differenceTo(text, original)}`,
    );
  }
  if (text.indexOf(original, first + 1) !== -1) {
    const count = text.split(original).length - 1;
    throw new ToolFailure(
      `\`original\` occurs ${count} times in ${path}; give more lines around it so that it is unique.`,
    );
  }
  return text.slice(0, first) + modified + text.slice(first + original.length);
}

/** A unified diff between what the model remembers and the stretch of the document most like it. */
function differenceTo(text: string, original: string): string {
  const lines = text.split("\n");
  const wanted = original.split("\n");
  const wantedSet = new Set(wanted.map((line) => line.trim()).filter((line) => line !== ""));
  let best = { start: 0, score: -1 };
  for (let start = 0; start < lines.length; start += 1) {
    let score = 0;
    for (let index = start; index < Math.min(lines.length, start + wanted.length); index += 1) {
      if (wantedSet.has((lines[index] ?? "").trim())) score += 1;
    }
    if (score > best.score) best = { start, score };
    if (start > 20_000) break;
  }
  const part = lines.slice(best.start, best.start + wanted.length).join("\n");
  const patch = loadDiff().createTwoFilesPatch(
    "original",
    `document from line ${best.start + 1}`,
    original,
    part,
    "",
    "",
    {
      timeout: 200,
    },
  );
  return patch === undefined ? part : patch.split("\n").slice(1, 62).join("\n");
}
