import { expect, it } from "vitest";
import { CHILD_FOLDER } from "../../../../server/src/repl/child-folder.ts";

it("is started from the bundle by the tests, as users start it (vitest.config.ts)", () => {
  expect(CHILD_FOLDER).toMatch(/[\\/]dist[\\/]child[\\/]$/);
});
