/** `propose_file_edit`: one place of one file, or its whole text, as a form of `propose_edits`. */
import type { Tool } from "../tool.ts";
import { defineEdit, type EditPorts } from "./define-edit.ts";
import { editedFiles } from "./edited-files.ts";
import { proposeEdits } from "./propose-edits.ts";

export function createProposeFileEdit(ports: EditPorts): Tool {
  return defineEdit(ports, {
    name: "propose_file_edit",
    isOffered: false,
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
    filesOf: ({ path }) => editedFiles([{ op: "write", path }], ports.resolvePath),
    run: ({ description, ...edit }, context) => {
      const op = edit.original === undefined ? "write" : "replace";
      return proposeEdits(ports, context, { edits: [{ op, ...edit }], why: description, isNumbered: false });
    },
  });
}
