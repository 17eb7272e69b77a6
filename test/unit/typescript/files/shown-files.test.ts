/** Which files an answer may show, while links come, go and lead elsewhere. */
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ShownFiles } from "../../../../server/src/typescript/files/shown-files.ts";

let home: string;
let shown: ShownFiles;
const at = (path: string): string => join(home, path);
const write = (path: string): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), "");
};
const hidden = async (...files: string[]): Promise<string[]> => {
  const found = await shown.hiddenAmong(files.map(at), (file) => file === at("project/src/typed.ts"));
  return [...found].map((file) => file.slice(home.length + 1));
};
const CHANGED = (): string[] => [at("project/src/other.ts")];

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "agentq-shown-")));
  for (const path of ["project/src/dir/c.ts", "project/src/a.ts", "outside/c.ts", "lib/lib.d.ts"]) write(path);
  shown = new ShownFiles([at("project")], at("lib"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it("shows what stands in a workspace folder and the compiler's own files, and hides what stands elsewhere", async () => {
  expect(await hidden("project/src/a.ts", "project/src/dir/c.ts", "lib/lib.d.ts", "outside/c.ts")).toEqual([
    "outside/c.ts",
  ]);
  expect(shown.hides("bundled:///libs/lib.d.ts")).toBe(false);
});

it("shows what a tsconfig reaches by .. out of a folder and back", async () => {
  symlinkSync("src", at("project/alias"));
  expect(await hidden("project/alias/a.ts")).toEqual([]);
});

describe("a link that leads out", () => {
  it("hides what is behind it when it was away as the file was first judged", async () => {
    const file = "project/src/out/c.ts";
    expect(shown.hides(at(file))).toBe(false);
    symlinkSync("../../outside", at("project/src/out"));
    shown.forget(CHANGED());
    expect(shown.hides(at(file))).toBe(true);
  });

  it("hides what the compiler had read behind it while it is away, and shows a text that somebody typed there", async () => {
    expect(await hidden("project/src/out/c.ts", "project/src/gone.ts", "project/src/typed.ts")).toEqual([
      "project/src/out/c.ts",
      "project/src/gone.ts",
    ]);
  });

  it("hides what is behind it when it takes the place of a folder, and no file below has changed", async () => {
    const files = ["project/src/dir/c.ts", "project/src/a.ts"];
    expect(await hidden(...files)).toEqual([]);
    renameSync(at("project/src/dir"), at("outside/dir"));
    symlinkSync("../../outside/dir", at("project/src/dir"));
    shown.forget(CHANGED());
    expect(await hidden(...files)).toEqual(["project/src/dir/c.ts"]);
    rmSync(at("project/src/dir"));
    renameSync(at("outside/dir"), at("project/src/dir"));
    shown.forget(CHANGED());
    expect(await hidden(...files)).toEqual([]);
  });

  it("hides a file whose link leads out since its folder has", async () => {
    symlinkSync("dir/c.ts", at("project/src/link.ts"));
    expect(await hidden("project/src/link.ts")).toEqual([]);
    renameSync(at("project/src/dir"), at("outside/dir"));
    rmSync(at("project/src/link.ts"));
    symlinkSync("../../outside/dir/c.ts", at("project/src/link.ts"));
    shown.forget(CHANGED());
    expect(await hidden("project/src/link.ts")).toEqual(["project/src/link.ts"]);
  });

  it("hides a file whose link leads to nothing outside, and to a circle", async () => {
    symlinkSync("../../outside/none.ts", at("project/src/hanging.ts"));
    symlinkSync("circle.ts", at("project/src/circle.ts"));
    const files = ["project/src/hanging.ts", "project/src/circle.ts"];
    expect(await hidden(...files)).toEqual(files);
    expect(shown.hides(at("project/src/hanging.ts"))).toBe(true);
  });
});
