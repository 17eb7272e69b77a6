/** The cases put to the image, as tests. */
import { afterAll, describe, expect, it } from "vitest";
import { describeEachNode, type NodeMajor } from "../support/node-versions.ts";
import { caseGroups } from "./cases.ts";
import { startImageRepl, writeFiles, type ImageRepl } from "./image-repl.ts";
import { judge } from "./judge.ts";

/** Wrong answers that are known, each with what it says instead. A case that became right must leave this list. */
export type KnownWrong = Readonly<Record<string, string>>;

export function strangersIn(majors: readonly NodeMajor[], wrong: KnownWrong): void {
  it("knows its wrong cases by names that are there", () => {
    const names = caseGroups.flatMap(({ cases }) => cases.map(({ name }) => name));
    expect(Object.keys(wrong).filter((name) => !names.includes(name))).toEqual([]);
  });

  describeEachNode(majors, (node) => {
    for (const { title, cases } of caseGroups) {
      describe(title, () => {
        // One image for a whole group: a long session is what strangers have. Whatever spoils it gets one of its own.
        let shared: ImageRepl | undefined;
        afterAll(() => shared?.dispose());

        for (const each of cases) {
          it(each.name, async () => {
            const own = each.spoils === true ? startImageRepl(node) : undefined;
            const repl = own ?? (shared ??= startImageRepl(node));
            try {
              writeFiles(each, repl.write);
              const verdict = await judge(each, repl);
              const known = wrong[each.name];
              if (known === undefined) expect(verdict).toEqual({ outcome: "right" });
              else expect(verdict).toMatchObject({ outcome: "wrong", why: expect.stringContaining(known) });
            } finally {
              await own?.dispose();
            }
          });
        }
      });
    }
  });
}
