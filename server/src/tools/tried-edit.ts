/** An edit that a call only tries. */
export interface TriedEdit {
  readonly path: string;
  readonly original?: string;
  readonly modified: string;
}

const MAX_EDITS = 200;

export const editsSchema = {
  type: "array",
  maxItems: MAX_EDITS,
  description:
    "Edits that count as made, in this order, for this call alone. With `original`: that exact text (once in the file) " +
    "is replaced; without: `modified` is the whole text of the file, which may be new.",
  items: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1 },
      original: { type: "string", minLength: 1 },
      modified: { type: "string" },
    },
    required: ["path", "modified"],
    additionalProperties: false,
  },
} as const;
