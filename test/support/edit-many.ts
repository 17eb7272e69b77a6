/** A model that edits, creates, moves and deletes in one proposal. */
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";

export const editMany = scriptOf("edit-many", "change several files at once", [
  reply(
    call("propose_edits", {
      description: "Tidy up.",
      edits: [
        { op: "insert_at_start", path: "src/invoice.ts", modified: "// Invoices." },
        { op: "create", path: "src/rounding/modes.ts", modified: 'export const mode = "half-even";\n' },
        { op: "move", path: "src/money.ts", to: "src/cash/money.ts" },
        { op: "insert_at_end", path: "src/cash/money.ts", modified: "// Money moved." },
        { op: "delete", path: "src/credit-note.ts" },
      ],
    }),
  ),
  reply("Done."),
]);
