import { describe, expect, it } from "vitest";
import { findRequired, MAX_HUNKS } from "../../../../server/src/proposals/subset/required-hunks.ts";
import type { Check } from "../../../../server/src/protocol/proposal-shapes.ts";

function checkWith(...messages: readonly string[]): Check {
  const introduced = messages.map((message) => ({ uri: "file:///p/a.ts", severity: "error" as const, message }));
  return { state: "done", introduced, resolved: [] };
}

/** What is found among hunks of which the function tells the errors, and how many checks that took. */
async function search(
  ids: readonly string[],
  errorsOf: (ids: readonly string[]) => string[],
): Promise<{ found: Record<string, readonly string[]>; checks: number }> {
  const found: Record<string, readonly string[]> = {};
  let checks = 0;
  await findRequired(
    ids,
    checkWith(...errorsOf(ids)),
    (some) => {
      checks += 1;
      return Promise.resolve(checkWith(...errorsOf(some)));
    },
    (id, requires) => (found[id] = requires),
  );
  return { found, checks };
}

describe("what a hunk requires", () => {
  it("is the hunk with which its error goes, and nothing the other way round", async () => {
    const { found } = await search(["declares", "uses", "other"], (ids) =>
      ids.includes("uses") && !ids.includes("declares") ? ["Cannot find name 'a'."] : [],
    );
    expect(found).toEqual({ uses: ["declares"] });
  });

  it("is every hunk that takes one of its errors away", async () => {
    const { found } = await search(["a", "b", "uses"], (ids) =>
      ids.includes("uses") ? ["a", "b"].filter((id) => !ids.includes(id)).map((id) => `Cannot find name '${id}'.`) : [],
    );
    expect(found).toEqual({ uses: ["a", "b"] });
  });

  it("counts the same words twice where two errors say them", async () => {
    const { found } = await search(["a", "b", "uses"], (ids) =>
      ids.includes("uses") ? ["a", "b"].filter((id) => !ids.includes(id)).map(() => "Expected 1 argument.") : [],
    );
    expect(found).toEqual({ uses: ["a", "b"] });
  });

  it("is nothing where an error stays with all hunks", async () => {
    const { found, checks } = await search(["a", "b"], (ids) => (ids.includes("a") ? ["Always."] : []));
    expect(found).toEqual({});
    expect(checks).toBe(2);
  });

  it("is not looked for among too many hunks", async () => {
    const ids = Array.from({ length: MAX_HUNKS + 1 }, (_each, index) => `h${index + 1}`);
    expect(await search(ids, (some) => (some.length === 1 ? ["Broken."] : []))).toEqual({ found: {}, checks: 0 });
  });
});
