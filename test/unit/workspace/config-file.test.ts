import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readConfigFile } from "../../../server/src/workspace/config-file.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agentq-config-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function read(text: string): unknown {
  writeFileSync(join(root, "tsconfig.json"), text);
  return readConfigFile(join(root, "tsconfig.json"));
}

it("reads JSON with comments, trailing commas and a byte order mark", () => {
  const text = '\uFEFF{ // one\n "a": "// not a comment, }", /* two */ "b": [1, 2,], }';
  expect(read(text)).toEqual({ a: "// not a comment, }", b: [1, 2] });
});

it("reads nothing from a file that is not there, does not parse, or holds no object", () => {
  expect(readConfigFile(join(root, "gone.json"))).toEqual({});
  expect(read("{ not json")).toEqual({});
  expect(read("null")).toEqual({});
});
