import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createListDirectory } from "../../server/src/tools/files/list-directory.ts";
import { createReadFile } from "../../server/src/tools/buffer/read-file.ts";
import { openEditFixture, type EditFixture } from "./edit-fixture.ts";

let fixture: EditFixture;

beforeEach(() => {
  fixture = openEditFixture("edits-project");
});
afterEach(() => fixture.dispose());

const read = (path: string): Promise<string> => fixture.ask(createReadFile(fixture.ports), { path });

describe("read_file", () => {
  it("lists the workspace folder, as list_directory does", async () => {
    const answer = await read(".");
    expect(answer).toContain("./ 12 files (10 TS/JS)\n  src/ 9 files\n    entry.ts, index.ts, invoice.ts,");
    expect(answer).toBe(await fixture.ask(createListDirectory(fixture.ports), { path: "." }));
  });

  it("lists a folder", async () => {
    mkdirSync(join(fixture.root, "src/empty"));
    expect(await read("src/empty")).toContain("src/empty/ empty\n");
    expect(await read("test/")).toContain("test/ 1 file\n  rates.test.ts\n");
  });

  it("names the files that may be meant by a name that no file has", async () => {
    expect(await read("invoice.ts")).toContain("FAILED: invoice.ts does not exist. Did you mean src/invoice.ts?");
    expect(await read("src/Rates.js")).toContain("Did you mean src/rates.ts or test/rates.test.ts?");
    expect(await read("src/invocie.ts")).toContain("Did you mean src/invoice.ts?");
    expect(await read("nothing-like-it.ts")).toContain("FAILED: nothing-like-it.ts does not exist.\n");
  });

  it("reads the lines that the path names, as compilers, stacks and people write them", async () => {
    fixture.write("src/long.ts", Array.from({ length: 100 }, (_, index) => `line ${index + 1};`).join("\n"));
    const shown = async (path: string, more: object = {}): Promise<string[]> => {
      const answer = await fixture.ask(createReadFile(fixture.ports), { path, ...more });
      return [...answer.matchAll(/^ *(\d+)  line \1;$/gm)].map(([, line]) => line ?? "");
    };
    const lines = (from: number, to: number): string[] =>
      Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
    expect(await shown("src/long.ts:10-12")).toEqual(lines(10, 12));
    expect(await shown("src/long.ts#L10-L12")).toEqual(lines(10, 12));
    expect(await shown("src/long.ts:10-12,99-100")).toEqual([...lines(10, 12), ...lines(99, 100)]);
    expect(await shown("src/long.ts:50")).toEqual(lines(40, 80));
    expect(await shown("src/long.ts:50:7")).toEqual(lines(40, 80));
    expect(await shown("src/long.ts:2")).toEqual(lines(1, 32));
    expect(await shown("src/long.ts:50", { start: 98 })).toEqual(lines(98, 100));
    expect(await read("src/long.ts:500")).toContain("src/long.ts has 100 lines; there are no lines 490-530.");
    expect(await read("../long.ts:5")).toContain("outside the workspace");
    expect(await read("src/lonk.ts:5")).toContain("src/lonk.ts does not exist. Did you mean src/long.ts?");
  });

  it("reads a file whose name ends like a place", async () => {
    fixture.write("src/odd.ts:3", "odd\n");
    expect(await read("src/odd.ts:3")).toContain("src/odd.ts:3 (on disk, 1 line)\n1  odd");
  });
});
