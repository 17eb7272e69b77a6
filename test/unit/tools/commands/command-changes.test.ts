import { expect, it } from "vitest";
import type { WrittenPath } from "../../../../server/src/sandbox/runs/command-run.ts";
import { reviewableChanges } from "../../../../server/src/tools/commands/command-changes.ts";

it("counts what no review could show, and reads no more of it than a review holds", async () => {
  let reads = 0;
  const written = Array.from({ length: 3_000 }, (_, index): WrittenPath => {
    return {
      path: `f${index}`,
      absolute: `/project/f${index}`,
      before: undefined,
      after: { kind: "file", mode: 0o644, size: 1 },
      isWhole: false,
      inLayer: `/layer/f${index}`,
      read: async () => {
        reads += 1;
        return Buffer.from("x");
      },
    };
  });
  const resolvePath = (absolute: string) => ({
    ok: true as const,
    path: { absolute, relative: absolute.slice("/project/".length), uri: `file://${absolute}` },
  });
  const ports = {
    resolvePath,
    placeOf: (absolute: string) => {
      const { path } = resolvePath(absolute);
      return { root: "/project", names: [path.relative], path };
    },
    readDocument: async () => undefined,
    ignored: async () => new Set<string>(),
    show: (absolute: string) => absolute,
  };
  const changes = await reviewableChanges({ written, begunAt: 0 }, new Map(), ports, new AbortController().signal);
  expect(changes).toMatchObject({
    documents: [],
    dropped: ["3000 files changed, more than the 500 that one review shows"],
  });
  expect(reads).toBeLessThan(600);
});
