import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { plot, rowsOfCurve } from "../../../bench/support/curves.ts";
import type { Point } from "../../../bench/support/report.ts";

it("a benchmark loads the server's sources as they are, which Node itself has to understand", () => {
  const { status, stdout, stderr } = spawnSync("node", ["bench/main.ts", "--help"], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout).toContain("npm run bench");
  expect(status).toBe(0);
});

it("a curve is no worse than linear where a size costs at most as many times more as it is larger", () => {
  const point = (size: number, cost: number, bare?: number): Point => ({
    size,
    ours: [cost],
    ...(bare === undefined ? {} : { bare: [bare], limit: 1.3 }),
  });
  const verdicts = (...points: Point[]): unknown[] =>
    rowsOfCurve({ name: "one more", of: "things", unit: "ms", points }).map(({ subject, goal }) => [
      subject,
      goal?.met,
    ]);
  expect(verdicts(point(10, 5), point(1_000, 500), point(2_000, 1_001))).toEqual([
    ["10 things", true],
    ["1,000 things", true],
    ["2,000 things", false],
  ]);
  expect(verdicts(point(10, 13, 10), point(20, 14, 10))).toEqual([
    ["10 things", true],
    ["bare server, 10 things", undefined],
    ["20 things", false],
    ["bare server, 20 things", undefined],
  ]);
});

it("the picture of curves has a panel for each, with its sizes and its cheapest and dearest cost", () => {
  const points = [10, 100, 1_000].map((size) => ({ size, ours: [size / 4], bare: [size / 8] }));
  const picture = plot([
    { name: "one", of: "things", unit: "ms", points },
    { name: "two", of: "others", unit: "MB", points: points.slice(1) },
  ]);
  const words = [...picture.matchAll(/<text [^>]*>([^<]*)</g)].map(([, text]) => text);
  expect(words).toEqual(
    [
      ["one", "10", "100", "1,000", "things", "2.5 ms", "250 ms"],
      ["two", "100", "1,000", "others", "25 MB", "250 MB"],
    ].flat(),
  );
  expect(picture).not.toMatch(/NaN|Infinity|undefined/);
  // Ours rises as the line of what is linear does: from the lower left, and the bare server stays below.
  const [bare = [], ours = []] = [...picture.matchAll(/<polyline points="([^"]*)"/g)].map(([, list = ""]) =>
    list.split(" ").map((at) => Number(at.split(",")[1])),
  );
  expect(ours).toEqual(ours.toSorted((a, b) => b - a));
  bare.forEach((height, index) => expect(height).toBeGreaterThan(ours[index] ?? 0));
});
