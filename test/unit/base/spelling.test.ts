import { expect, it } from "vitest";
import { nearestNames } from "../../../server/src/base/spelling.ts";

it("puts the closest spelling first", () => {
  expect(nearestNames("fromat", ["format", "frame", "unrelated", "formats"], 5)).toEqual(["format", "formats"]);
});

it("counts two swapped letters as one slip", () => {
  expect(nearestNames("recieve", ["receive"], 1)).toEqual(["receive"]);
});

it("offers nothing when nothing is near", () => {
  expect(nearestNames("zebra", ["format", "round"], 5)).toEqual([]);
});
