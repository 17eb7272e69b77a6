import { call, reply, scriptOf } from "../model/script.ts";
import type { Turn } from "../model/turn.ts";
import { hunkFates } from "./hunk-fates.ts";

const PATH = "src/credit-note.ts";

const EXPORT_FORM = `import { billOrder, parseOrder, refund, results } from "./src/index.ts";
const order = results.unwrap(parseOrder("order 7 for Harbour Books\\n2 x atlas @ 38.00 EUR reduced"));
const note = refund(billOrder("2026-9", order), "C-9", "returned");
note.serialize()`;

const EXPORTED = "CRN;C-9;Harbour Books;2026-9;-81.32 EUR";

/** Looks at a class and at how its sibling does it, then adds a method and calls it. */
export const addMethod = scriptOf("add-method", "give CreditNote the serialize method that Invoice has", [
  reply(
    "I will look at the class, and at what there is to serialize with.",
    call("describe_symbol", { symbol: "CreditNote" }),
    call("apropos_search", { pattern: "serialize" }),
  ),
  (turn) => {
    turn.expect("describe_symbol", "CreditNote", PATH);
    turn.expect("apropos_search", "serialize", "src/invoice.ts");
    const title = titleGetter(turn);
    return reply(
      "`Invoice.serialize` writes one line of the export file. `CreditNote` gets the same, with the number of the " +
        "invoice that it takes back.",
      call("propose_file_edit", {
        path: PATH,
        original: title,
        modified: `${title}

  /** One line of the export file: fields parted by semicolons. */
  serialize(): string {
    return ["CRN", this.number, this.customer, this.invoice.number, this.gross].join(";");
  }`,
        description: "Add CreditNote.serialize",
      }),
    );
  },
  (turn) => {
    const decided = turn.result("propose_file_edit");
    const { kept, turnedDown } = hunkFates(decided.text);
    if (turnedDown.length > 0 && kept.length === 0) {
      return reply(`Then \`CreditNote\` stays as it is. You turned it down: ${turnedDown.join("; ")}`);
    }
    return reply("Added. I will call it.", call("eval_form", { form: EXPORT_FORM }));
  },
  (turn) => {
    turn.expect("eval_form", EXPORTED);
    return reply(`It works: the credit note is exported as \`${EXPORTED}\`.`);
  },
]);

function titleGetter(turn: Turn): string {
  const found = /^ {2}override get title\(\): string \{\n[^]*?\n {2}\}/m.exec(turn.file(PATH));
  return found?.[0] ?? turn.fail(`${PATH} has no title to put the method after`);
}
