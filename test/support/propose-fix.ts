import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { fix } from "../../examples/demo/scripts/fix-bug.ts";

/**
 * Proposes the two hunks of the demo's fix at once, without a look or an evaluation before and after: for tests of what
 * becomes of a proposal.
 */
export const proposeFix = scriptOf("propose-fix", "propose the fix at once", [
  (turn) =>
    reply(call("propose_file_edit", { ...fix(turn), description: "Make the shares of negative totals add up" })),
  reply("Understood."),
]);
