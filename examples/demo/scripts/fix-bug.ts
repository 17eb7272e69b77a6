import { call, reply, scriptOf, think } from "../model/script.ts";
import type { Turn } from "../model/turn.ts";
import { bulletList, hunkFates } from "./hunk-fates.ts";

const PATH = "src/allocate.ts";

/** Shares out ten euros given back, and adds the shares up again. */
const REFUND_FORM = `import { allocate } from "./src/allocate.ts";
import { money, sum } from "./src/money.ts";
const shares = allocate(money("-10.00 EUR"), [1, 1, 1]);
shares.join(" + ") + " = " + sum(shares, "EUR")`;

const LOST_A_CENT = "-9.99 EUR";
const ADDS_UP = "-3.34 EUR = -10.00 EUR";

/** Reproduces the lost cent, proposes the fix together with a tidy-up, and verifies what was kept. */
export const fixBug = scriptOf("fix-bug", "find, fix and verify the cent that refunds lose", [
  reply(
    think("A cent that is lost in refunds only: something is rounded towards zero. First what allocate promises."),
    "I will look at what `allocate` promises first.",
    call("describe_symbol", { symbol: "allocate", package: PATH }),
  ),
  (turn) => {
    turn.expect("describe_symbol", "allocate", PATH);
    return reply(
      "Its comment says that the shares always add up to the total. Who relies on that?",
      call("who_calls", { symbol: `${PATH}#allocate` }),
    );
  },
  (turn) => {
    turn.expect("who_calls", "src/credit-note.ts");
    return reply(
      "Credit notes pass a negative total, and no test does. I will run that in your project.",
      call("eval_form", { form: REFUND_FORM }),
    );
  },
  (turn) => {
    turn.expect("eval_form", LOST_A_CENT);
    return reply(
      think(
        "Math.trunc leaves a negative rest, and the loop hands out only positive cents. Math.floor leaves 0 or more.",
      ),
      "Reproduced: three shares of −3.33 make −9.99. `Math.trunc` rounds a negative share up to zero, so the rest is " +
        "negative and `left > 0` never hands it out. `Math.floor` always leaves a rest of zero or more. While I am in " +
        "this file I would also shorten `splitEvenly`; that is not part of the fix.",
      call("propose_file_edit", {
        ...fix(turn),
        description: "Make the shares of negative totals add up; shorten splitEvenly",
      }),
    );
  },
  (turn) => {
    turn.result("propose_file_edit");
    return reply("The same evaluation again, on the code as it is now.", call("eval_form", { form: REFUND_FORM }));
  },
  (turn) => reply(summary(turn)),
]);

const FROM = "  const shares = weights.map(";
const TO = "  return allocate(total, weights);";
const ONES = "Array.from({ length: parts }, () => 1)";

/** One stretch with two changes far apart: the one word that is wrong, and the loop of `splitEvenly`. */
export function fix(turn: Turn): { readonly path: string; readonly original: string; readonly modified: string } {
  const text = turn.file(PATH);
  const original = text.slice(text.indexOf(FROM), text.indexOf(TO) + TO.length);
  const modified = original
    .replace("Math.trunc(", "Math.floor(")
    .replace(/ {2}const weights: number\[\] = \[\];\n[^]*$/, `  return allocate(total, ${ONES});`);
  return modified === original ? turn.fail(`${PATH} has nothing left to fix`) : { path: PATH, original, modified };
}

function summary(turn: Turn): string {
  const { kept, turnedDown } = hunkFates(turn.result("propose_file_edit").text);
  const value = turn.result("eval_form").text;
  const verdict = value.includes(ADDS_UP)
    ? "Fixed: the refund now adds up to −10.00 EUR."
    : "The refund still loses a cent: the essential change is not in the code.";
  return [
    verdict,
    kept.length === 0 ? "\nNothing of the proposal was kept." : `\nKept:\n${bulletList(kept)}`,
    turnedDown.length === 0
      ? "\nNothing was turned down."
      : `\nTurned down, and left as it was:\n${bulletList(turnedDown)}`,
  ].join("\n");
}
