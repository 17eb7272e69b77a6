import { expect, it } from "vitest";
import { tapOutcomes } from "../../../../server/src/repl/testing/walled/tap.ts";

const ERROR = "  ---\n    name: Error\n    message: no\n  ...";

it.each([
  ["ok 1 - plain", "passed", "plain"],
  ["ok 1 - parses # SKIP lines", "passed", "parses # SKIP lines"],
  [`not ok 1 - parses # SKIP lines\n${ERROR}`, "failed", "parses # SKIP lines"],
  [`not ok 1 - knows # TODO\n${ERROR}`, "failed", "knows # TODO"],
  [`not ok 1 - knows # SKIP\n${ERROR}`, "failed", "knows # SKIP"],
  ["ok 1 - left out # SKIP", "skipped", "left out"],
  ["not ok 1 - to come # TODO", "todo", "to come"],
  ["not ok 1 - a.js exited with a non-zero exit code: 1", "failed", "a.js exited with a non-zero exit code: 1"],
])("the line %j of ava is a test that is %s", (line, state, title) => {
  const { outcomes } = tapOutcomes(line, () => ({ file: "a.js", named: 0 }));
  expect(outcomes).toMatchObject([{ state, titles: [title] }]);
});
