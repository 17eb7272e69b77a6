import { call, reply, scriptOf } from "../model/script.ts";
import { bulletList, hunkFates } from "./hunk-fates.ts";

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { allocate } from "../src/allocate.ts";
import { money, sum } from "../src/money.ts";

test("shares of money given back add up to the total", () => {
  const total = money("-10.00 EUR");
  assert.equal(String(sum(allocate(total, [1, 1, 1]), "EUR")), String(total));
});
`;

/** Creates a file: the test that was missing. */
export const newFile = scriptOf("new-file", "create the test that was missing", [
  reply(
    "No test gives `allocate` a negative total. I will add one in a file of its own.",
    call("propose_file_edit", {
      path: "test/refund.test.ts",
      modified: TEST,
      description: "Add a test for the shares of a refund",
    }),
  ),
  (turn) => {
    const { kept, turnedDown } = hunkFates(turn.result("propose_file_edit").text);
    return reply(
      kept.length > 0
        ? "The test is in `test/refund.test.ts`. Run it with `node --test`."
        : `The file was not created:\n${bulletList(turnedDown)}`,
    );
  },
]);
