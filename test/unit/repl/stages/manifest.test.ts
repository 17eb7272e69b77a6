import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compareManifests } from "../../../../server/src/repl/stages/changes/compare.ts";
import { isUntouched, takeManifest } from "../../../../server/src/repl/stages/changes/manifest.ts";
import { MAX_FILE, PreImages } from "../../../../server/src/repl/stages/changes/pre-images.ts";

let root: string;
const at = (name: string): string => join(root, name);
const put = (name: string, text: string): void => {
  mkdirSync(join(at(name), ".."), { recursive: true });
  writeFileSync(at(name), text);
};
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-manifest-")));
  put("src/a.ts", "a");
  put("src/deep/b.ts", "b");
  put("c.txt", "c");
});
afterEach(() => rmSync(root, { recursive: true }));

/** What `change` does, as the next look tells it. */
async function changesOf(change: () => void, images = new PreImages()): Promise<string[]> {
  const before = await takeManifest([root]);
  await images.keep(before);
  change();
  const after = await takeManifest([root], before);
  return compareManifests(before, after, images).map(
    ({ kind, path, preImage, content }) =>
      `${kind} ${path.slice(root.length + 1)}: ${preImage?.toString() ?? "-"} > ${content?.toString() ?? "-"}`,
  );
}

describe("a manifest", () => {
  it("tells what was created, modified and deleted, with what was there before", async () => {
    const seen = await changesOf(() => {
      put("src/a.ts", "A");
      put("src/new/d.ts", "d");
      rmSync(at("c.txt"));
    });
    expect(seen).toEqual(["deleted c.txt: c > -", "modified src/a.ts: a > A", "created src/new/d.ts: - > d"]);
  });

  it("leaves out what editors write beside a file while a person types, and nothing that is named much like it", async () => {
    const seen = await changesOf(() => {
      symlinkSync("person@machine.1:2", at(".#c.txt"));
      for (const name of ["#c.txt#", ".c.txt.swp", "c.txt~", "4913"]) put(name, "");
      for (const name of ["#1.md", ".swp", "c.swp"]) put(name, "");
    });
    expect(seen).toEqual(["created #1.md: - > ", "created .swp: - > ", "created c.swp: - > "]);
  });

  it("sees a write of the same length whose times were set back", async () => {
    utimesSync(at("src/a.ts"), 1000, 1000);
    const seen = await changesOf(() => {
      put("src/a.ts", "x");
      utimesSync(at("src/a.ts"), 1000, 1000);
    });
    expect(seen).toEqual(["modified src/a.ts: a > x"]);
  });

  it("does not take a file that was touched or rewritten alike for a change", async () => {
    const seen = await changesOf(() => {
      utimesSync(at("src/a.ts"), 1, 1);
      put("c.txt", "c");
    });
    expect(seen).toEqual([]);
  });

  it("tells a link by where it points to, and does not follow it", async () => {
    symlinkSync("src/a.ts", at("link"));
    symlinkSync(root, at("round"));
    const seen = await changesOf(() => {
      rmSync(at("link"));
      symlinkSync("c.txt", at("link"));
    });
    expect(seen).toEqual(["modified link: src/a.ts > c.txt"]);
  });

  it("leaves out node_modules and .git", async () => {
    const seen = await changesOf(() => {
      put("node_modules/x/index.js", "x");
      put(".git/HEAD", "x");
      put("src/node_modules/y.js", "y");
    });
    expect(seen).toEqual([]);
  });

  it("sees a new file in a folder that was listed before", async () => {
    const first = await takeManifest([root]);
    // A folder's listing is used again once its clock has moved on.
    while (Date.now() - statSync(at("src")).ctimeMs < 60) await new Promise((resolve) => setImmediate(resolve));
    const second = await takeManifest([root], first);
    const third = await takeManifest([root], second);
    expect(third.folders.get(at("src"))).toBe(second.folders.get(at("src")));
    put("src/late.ts", "late");
    expect((await takeManifest([root], third)).files.has(at("src/late.ts"))).toBe(true);
  });

  it("says when there were more files than it looks at, and then claims no deletion", async () => {
    const before = await takeManifest([root]);
    const after = await takeManifest([root], before, 2);
    expect(after.complete).toBe(false);
    expect(compareManifests(before, after, new PreImages())).toEqual([]);
  });

  it("keeps the small files' contents first and no file past the bound", async () => {
    put("big.bin", "x".repeat(MAX_FILE + 1));
    put("long.txt", "y".repeat(90));
    const images = new PreImages(50);
    await images.keep(await takeManifest([root]));
    expect(images.get(at("src/a.ts"))?.toString()).toBe("a");
    expect(images.get(at("long.txt"))).toBeUndefined();
    expect(images.get(at("big.bin"))).toBeUndefined();
  });

  it("answers for a folder that is gone with nothing", async () => {
    expect((await takeManifest([at("nowhere")])).files.size).toBe(0);
    const manifest = await takeManifest([root]);
    const stamp = manifest.files.get(at("c.txt"));
    expect(stamp !== undefined && isUntouched(stamp, stamp)).toBe(true);
    expect(readFileSync(at("c.txt"), "utf8")).toBe("c");
  });
});
