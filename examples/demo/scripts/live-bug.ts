import { call, reply, scriptOf, think } from "../model/script.ts";
import type { Turn } from "../model/turn.ts";
import { bulletList, hunkFates } from "./hunk-fates.ts";

const PATH = "src/price.ts";
const SYMBOL = `${PATH}#price`;
const SERVICE = "orders";

const EDITS = [
  {
    path: PATH,
    original: "  /** In cents. */\n  readonly atMost: number;",
    modified: "  /** In cents; without it the reduction has no limit. */\n  readonly atMost?: number;",
  },
  {
    path: PATH,
    original: "Math.min(reduction, coupon.atMost)",
    modified: "Math.min(reduction, coupon.atMost ?? reduction)",
  },
];

/** Records a failing call in the running service, makes it again behind the wall, and brings the fix into the service. */
export const liveBug = scriptOf("live-bug", "find and fix the coupon that makes prices null, in the running service", [
  reply(
    "I watch `price` in the running service, and wait for a call that comes to no number.",
    call("trace_function", { symbol: SYMBOL, process: SERVICE, when: "Number.isNaN(result)", count: 1, wait: 60 }),
  ),
  (turn) => {
    turn.expect("trace_function", "= NaN");
    return reply("There it is. The whole call:", call("trace_function", { symbol: SYMBOL, process: SERVICE, call: 1 }));
  },
  (turn) =>
    reply(
      "The same call in the REPL, behind the wall, where nothing of the service can be touched.",
      call("eval_form", { form: recordedCall(turn), path: PATH }),
    ),
  (turn) => {
    turn.expect("eval_form", "NaN");
    return reply(
      think("The coupon has no atMost: its type says a number, but the data is JSON. Math.min with undefined is NaN."),
      "Reproduced: this coupon has no `atMost`, which its type hides, and `Math.min` with `undefined` is `NaN`. The " +
        "recorded call with a fix that is not yet proposed:",
      call("try_edit", { edits: EDITS, form: recordedCall(turn), path: PATH }),
    );
  },
  (turn) => {
    turn.expect("try_edit", "6080");
    return reply(
      "6080 cents, as it should be. I propose the fix.",
      call("propose_edits", { description: "Coupons without a limit", edits: EDITS }),
    );
  },
  (turn) => {
    const { kept, turnedDown } = hunkFates(turn.result("propose_edits").text);
    if (!turn.file(PATH).includes("?? reduction")) {
      return reply(`Then the service stays as it is. You turned it down:\n${bulletList(turnedDown)}`);
    }
    return reply(
      `Kept:\n${bulletList(kept)}\n\nThe function as it is now goes into the running service.`,
      call("compile_form", { form: functionIn(turn), path: PATH, process: SERVICE }),
    );
  },
  (turn) => {
    turn.expect("compile_form", "price");
    return reply("The service has it, without a restart: the next request is right.");
  },
]);

/** The form that the trace told last. */
function recordedCall(turn: Turn): string {
  const { text } = turn.results.findLast(({ name, input }) => name === "trace_function" && "call" in input) ?? {};
  return text?.split("\n").at(-1) ?? turn.fail("no call was recorded");
}

function functionIn(turn: Turn): string {
  const found = /^export function price\([^]*?^\}/m.exec(turn.file(PATH));
  return found?.[0] ?? turn.fail(`${PATH} has no function price`);
}
