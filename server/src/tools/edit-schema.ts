/** One edit of `propose_edits`, flat, so that every model can fill it; which fields an op needs is checked by `planEdits`. */
import type { SchemaType } from "../schema/schema-type.ts";

export const OPS = [
  "replace",
  "replace_all",
  "insert_before",
  "insert_after",
  "insert_at_start",
  "insert_at_end",
  "replace_symbol",
  "write",
  "create",
  "move",
  "delete",
] as const;

export const editSchema = {
  type: "object",
  properties: {
    op: { enum: OPS, description: "Default: what the other fields are of: replace, replace_symbol, move, or write." },
    path: {
      type: "string",
      description: "The file, from the workspace folder; move, delete: or a folder.",
    },
    original: { type: "string", description: "Exact current text: replaced, or the line(s) to insert beside." },
    modified: { type: "string", description: "The new text." },
    symbol: { type: "string", description: "replace_symbol: src/a.ts#Outer.member." },
    to: { type: "string", description: "move: the whole new path." },
  },
  additionalProperties: false,
} as const;

const text = { type: "string" } as const;
const MAX_TRIED = 200;

/** Edits that a call only tries. */
export const triedEditsSchema = {
  type: "array",
  minItems: 1,
  maxItems: MAX_TRIED,
  description: "Edits that count as made, in this order, for this call alone. Fields as in propose_edits.",
  items: editSchema,
} as const;

/** What models are told of them; the fields are those of `editSchema`. */
export const toldEdits = {
  type: "array",
  items: { type: "object", additionalProperties: text },
  description: "{op, path, original, modified, symbol, to}, only tried.",
} as const;

export type TriedEdits = SchemaType<typeof triedEditsSchema>;
type AskedEdit = SchemaType<typeof editSchema>;

/** With the op that its fields leave no doubt about. */
export function withOp(edit: AskedEdit): Edit {
  const { original, symbol, to } = edit;
  const fields =
    original !== undefined ? "replace" : symbol !== undefined ? "replace_symbol" : to !== undefined ? "move" : "write";
  return { ...edit, op: edit.op ?? fields };
}

/** The forms for programs insert by line, which a model, whose lines move with its own edits, is not offered. */
export type Edit = Omit<AskedEdit, "op"> & {
  readonly op: (typeof OPS)[number] | "insert_at_line";
  /** Counted from 1; one more than there are lines is the end. */
  readonly line?: number;
};
export type Op = Edit["op"];

/** What an op needs beside its path, and what it cannot use. */
export const FIELDS: Readonly<Record<Op, readonly (keyof Edit)[]>> = {
  replace: ["path", "original", "modified"],
  replace_all: ["path", "original", "modified"],
  insert_before: ["path", "original", "modified"],
  insert_after: ["path", "original", "modified"],
  insert_at_line: ["path", "line", "modified"],
  insert_at_start: ["path", "modified"],
  insert_at_end: ["path", "modified"],
  replace_symbol: ["symbol", "modified"],
  write: ["path", "modified"],
  create: ["path", "modified"],
  move: ["path", "to"],
  delete: ["path"],
};

const CAN_BE_EMPTY = new Set<keyof Edit>(["modified"]);

/** Why the fields do not fit the op, as a sentence that says what to do; undefined when they do. */
export function fieldProblem(edit: Edit): string | undefined {
  const needed = FIELDS[edit.op];
  const isGiven = (field: keyof Edit): boolean => {
    const value = edit[field];
    return value !== undefined && (value !== "" || CAN_BE_EMPTY.has(field));
  };
  const missing = needed.filter((field) => !isGiven(field));
  if (missing.length > 0) return `op ${edit.op} needs ${missing.map((field) => `\`${field}\``).join(" and ")}.`;
  // An empty text means nothing to these ops; a text that is left aside would be a surprise.
  const unused = (["original", "modified", "symbol", "to"] as const).filter(
    (field) => !needed.includes(field) && edit[field] !== undefined && edit[field] !== "",
  );
  if (unused.length === 0) return undefined;
  const hint =
    edit.op === "write" && unused.includes("original") ? " To replace a part of the file use op replace." : "";
  return `op ${edit.op} takes no ${unused.map((field) => `\`${field}\``).join(", ")}.${hint}`;
}
