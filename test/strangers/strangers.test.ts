import { afterAll, describe, expect, it } from "vitest";
import { caseGroups } from "./cases.ts";
import { startImageRepl, writeFiles, type ImageRepl } from "./image-repl.ts";
import { judge } from "./judge.ts";

/** Wrong answers that are known, each with what it says instead. A case that became right must leave this list. */
const WRONG: Readonly<Record<string, string>> = {
  "a proxy whose trap throws can be shown": "[Proxy]",
};

it("holds at least sixty cases, each with a name of its own and the thread that reported it", () => {
  const all = caseGroups.flatMap(({ cases }) => cases);
  expect(all.length).toBeGreaterThanOrEqual(60);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(all.filter(({ source }) => !/^[\w.-]+\/[\w.-]+(?:#\d+)?$/.test(source))).toEqual([]);
  expect(Object.keys(WRONG).filter((name) => !all.some((each) => each.name === name))).toEqual([]);
});

for (const { title, cases } of caseGroups) {
  describe(title, () => {
    // One image for a whole group: a long session is what strangers have. Whatever spoils it gets one of its own.
    let shared: ImageRepl | undefined;
    afterAll(() => shared?.dispose());

    for (const each of cases) {
      it(each.name, async () => {
        const own = each.spoils === true ? startImageRepl() : undefined;
        const repl = own ?? (shared ??= startImageRepl());
        try {
          writeFiles(each, repl.write);
          const verdict = await judge(each, repl);
          const known = WRONG[each.name];
          if (known === undefined) expect(verdict).toEqual({ outcome: "right" });
          else expect(verdict).toMatchObject({ outcome: "wrong", why: expect.stringContaining(known) });
        } finally {
          await own?.dispose();
        }
      });
    }
  });
}
