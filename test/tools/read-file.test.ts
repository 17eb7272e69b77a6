import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createReadFile } from "../../server/src/tools/buffer/read-file.ts";
import { openEditFixture, type EditFixture } from "./edit-fixture.ts";

let fixture: EditFixture;

beforeEach(() => {
  fixture = openEditFixture("edits-project");
});
afterEach(() => fixture.dispose());

const read = (path: string): Promise<string> => fixture.ask(createReadFile(fixture.ports), { path });

describe("read_file", () => {
  it("says what is in the workspace folder", async () => {
    expect(await read(".")).toContain("FAILED: . is a folder. In it: package.json, tsconfig.json, src/, test/.");
  });

  it("says what is in a folder", async () => {
    mkdirSync(join(fixture.root, "src/empty"));
    expect(await read("src/empty")).toContain("FAILED: src/empty is a folder. In it: nothing.");
    expect(await read("test")).toContain("FAILED: test is a folder. In it: rates.test.ts.");
  });

  it("names the files that may be meant by a name that no file has", async () => {
    expect(await read("invoice.ts")).toContain("FAILED: invoice.ts does not exist. Did you mean src/invoice.ts?");
    expect(await read("src/Rates.js")).toContain("Did you mean src/rates.ts or test/rates.test.ts?");
    expect(await read("nothing-like-it.ts")).toContain("FAILED: nothing-like-it.ts does not exist.\n");
  });
});
