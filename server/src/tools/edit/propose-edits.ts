/** `propose_edits`: the main road of every change. It proposes; a person decides; the answer says what was kept. */
import { describeOutcome } from "../../proposals/describe-outcome.ts";
import type { ProposedDocument } from "../../proposals/proposal.ts";
import type { Tool } from "../tool.ts";
import { defineEdit, propose, type EditPorts } from "./define-edit.ts";
import { editSchema, OPS, withOp } from "../edit-schema.ts";
import { editedFiles } from "./edited-files.ts";
import { planEdits } from "./plan-edits.ts";
import { plural } from "../../base/plural.ts";

const MAX_EDITS = 500;
const SHOWN = 4;

const TEXT = { type: "string" } as const;

const TOLD_EDIT = {
  type: "object",
  properties: { op: { enum: OPS }, path: TEXT, original: TEXT, modified: TEXT, symbol: TEXT, to: TEXT },
  required: ["op"],
} as const;

export function createProposeEdits(ports: EditPorts): Tool {
  return defineEdit(ports, {
    name: "propose_edits",
    description:
      "Propose changes to any number of files as ONE proposal, which the person reviews hunk by hunk; the answer says what " +
      "they did, and what the compiler says. Edits apply in order; if one cannot be made, none is proposed. All need `path` " +
      "but replace_symbol.\n" +
      "op replace: `original`, exact text that occurs once, becomes `modified`; replace_all: each occurrence. " +
      "insert_before, insert_after: whole lines beside the line(s) of `original`; insert_at_start, insert_at_end: of the " +
      "file. replace_symbol: the whole declaration of `symbol` (its doc comment stays unless `modified` begins with one). " +
      "write: the whole new text. create: a new file. move: a file or folder `to` a path; imports follow. delete: a file " +
      "or folder.",
    input: {
      type: "object",
      properties: {
        description: { type: "string", minLength: 1, description: "Why, in a sentence; the person reads it." },
        edits: { type: "array", minItems: 1, maxItems: MAX_EDITS, items: editSchema },
      },
      required: ["description", "edits"],
      additionalProperties: false,
    },
    told: {
      description: { type: "string", description: "Why, for the person." },
      edits: { type: "array", items: TOLD_EDIT },
    },
    filesOf: ({ edits }) => editedFiles(edits, ports.resolvePath),
    run: async (args, context): Promise<string> => {
      const { sessionId: conversation, signal } = context;
      const { documents, merged, notes } = await planEdits(args.edits.map(withOp), { ports, conversation, signal });
      const why = args.description;
      const reasons = [notes.length === 0 || /[.!?]$/.test(why.trimEnd()) ? why : `${why}.`, ...notes].join(" ");
      const proposal = { title: titleOf(documents), why: reasons, documents };
      const { outcome, checked } = await propose(ports, context, proposal);
      ports.seen.noteReview(conversation, documents, outcome);
      return [...merged, describeOutcome(outcome, { countApplied: true }), ...notes, ...checked].join("\n");
    },
  });
}

/** `Edit src/a.ts`; `Edit 3 files, move 1 and delete 1: src/a.ts, src/b.ts, …` */
function titleOf(documents: readonly ProposedDocument[]): string {
  const verbs = new Map<string, ProposedDocument[]>();
  for (const document of documents) {
    const verb = verbOf(document);
    verbs.set(verb, [...(verbs.get(verb) ?? []), document]);
  }
  const parts = [...verbs];
  const [first] = parts;
  const [document] = documents;
  if (first !== undefined && document !== undefined && documents.length === 1) {
    return `${first[0]} ${document.path}${document.movedTo === undefined ? "" : ` to ${document.movedTo.path}`}`;
  }
  const counts = parts.map(([verb, own], index) => {
    return index === 0 ? `${verb} ${plural(own.length, "file")}` : `${verb.toLowerCase()} ${own.length}`;
  });
  const paths = documents.slice(0, SHOWN).map(({ path }) => path);
  if (documents.length > SHOWN) paths.push("…");
  return `${counts.join(", ")}: ${paths.join(", ")}`;
}

function verbOf({ base, target, movedTo }: ProposedDocument): "Create" | "Delete" | "Move" | "Edit" {
  if (base === null) return "Create";
  if (target === null) return "Delete";
  return movedTo === undefined ? "Edit" : "Move";
}
