import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { fix } from "../../examples/demo/scripts/fix-bug.ts";

/**
 * Proposes the demo's fix and, in a hunk of its own, other words for an error whose words a test expects: 1 of the 12 tests
 * that import the file fails with that hunk.
 */
export const proposeBreak = scriptOf("propose-break", "propose a fix and a hunk that breaks a test", [
  (turn) => {
    const { path, original, modified } = fix(turn);
    return reply(
      call("propose_file_edit", {
        path,
        original,
        modified: modified.replace("there is nothing to divide by", "the weights are all zero"),
        description: "Make the shares of negative totals add up",
      }),
    );
  },
  reply("Understood."),
]);
