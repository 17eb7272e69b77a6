import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { contentOf, describeEntry, type Entry } from "../../../server/src/proposals/entries/entry.ts";
import { putEntry } from "../../../server/src/proposals/entries/put-entry.ts";
import { whyNotLinked } from "../../../server/src/workspace/link-target.ts";
import { STAGED, sweepStaged } from "../../../server/src/process/staged-names.ts";
import { WorkspacePaths } from "../../../server/src/workspace/workspace-paths.ts";
import { treeOf } from "../../support/wall.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-entries-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = (text: string, mode = 0o644): Entry => ({ kind: "file", mode, content: contentOf(Buffer.from(text)) });
const put = (path: string, before: Entry | null, after: Entry | null): Promise<string | undefined> =>
  putEntry({ root, names: path.split("/") }, { before, after });

describe.runIf(process.platform === "linux")("an entry that is put in its place", () => {
  it("makes the folders that are missing, and takes those away that become empty", async () => {
    expect(await put("a/b/c", null, file("x", 0o4755))).toBeUndefined();
    expect(treeOf(root)).toMatchObject({ "a/b/c": "file 755 eA==" });
    expect(await put("a/b/c", file("x", 0o755), null)).toBeUndefined();
    expect(treeOf(root)).toEqual({});
  });

  it.each<[string, Entry | null, Entry | null, string]>([
    ["a file came", null, file("new"), "printf person > a"],
    ["its text changed", file("old"), file("new"), "printf person > a"],
    ["its mode changed", file("old"), null, "printf old > a; chmod 600 a"],
    ["it became a link", file("old"), file("new"), "ln -s b a"],
    ["a folder with a file stands there", null, file("new"), "mkdir a; touch a/b"],
    ["it is gone", file("old"), null, "true"],
  ])("stays away where %s, and leaves everything as it is", async (_, before, after, script) => {
    execFileSync("sh", ["-c", script], { cwd: root });
    const tree = treeOf(root);
    expect(await put("a", before, after)).toMatch(/\.$/);
    expect(treeOf(root)).toEqual(tree);
  });

  it("follows no link on its way, wherever that leads", async () => {
    const outside = mkdtempSync(join(tmpdir(), "agentq-outside-"));
    try {
      symlinkSync(outside, join(root, "out"));
      symlinkSync("real", join(root, "in"));
      mkdirSync(join(root, "real"));
      expect(await put("out/a", null, file("x"))).toBe("a part of its path is no folder any more.");
      expect(await put("in/a", null, file("x"))).toBe("a part of its path is no folder any more.");
      expect([treeOf(outside), treeOf(join(root, "real"))]).toEqual([{}, {}]);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it("changes no mode of a file that has another name", async () => {
    writeFileSync(join(root, "a"), "x", { mode: 0o644 });
    linkSync(join(root, "a"), join(root, "b"));
    expect(await put("a", { kind: "file", mode: 0o644 }, { kind: "file", mode: 0o755 })).toContain("another name");
    expect(treeOf(root)["b"]).toMatch(/^file 644/);
  });

  it("leaves nothing on its way that the next server does not remove", async () => {
    writeFileSync(join(root, `${STAGED}999999999-x`), "");
    mkdirSync(join(root, `${STAGED}${process.pid}-x`));
    await sweepStaged([root, join(root, "nowhere")]);
    expect(Object.keys(treeOf(root))).toEqual([`${STAGED}${process.pid}-x`]);
  });
});

describe("the place of an entry", () => {
  it.each([
    ["../x", "outside the workspace"],
    [".git/hooks/pre-commit", "inside .git"],
    ["a/.env", "may hold secrets"],
    ["a/id_rsa", "may hold secrets"],
    ["", "is a workspace folder itself"],
    ["a\u202Etxt.exe", "readers do not see"],
  ])("is refused at %j", (path, why) => {
    expect(new WorkspacePaths([root]).placeOf(join(root, path))).toContain(why);
  });

  it("is that of a link itself", () => {
    symlinkSync(tmpdir(), join(root, "l"));
    expect(new WorkspacePaths([root]).placeOf(join(root, "l"))).toMatchObject({ root, names: ["l"] });
  });
});

describe("a link that a program made", () => {
  it.each(["b", "./b", "../a/b", "d/e", "..", "../nowhere/yet"])("may lead to %j", (target) => {
    mkdirSync(join(root, "a"));
    expect(whyNotLinked(root, ["a", "l"], target)).toBeUndefined();
  });

  it("may lead to an absolute path of the workspace folder, and to no other", () => {
    expect(whyNotLinked(root, ["l"], join(root, "a"))).toBeUndefined();
    expect(whyNotLinked(root, ["l"], `${root}-other/a`)).toContain("out of the workspace");
  });

  it.each(["../..", "../../x", "/etc/passwd", "/", "d/../../x", "d/..", "../.env", "../.git/config", "", "out/x", "e"])(
    "must not lead to %j",
    (target) => {
      mkdirSync(join(root, "a"));
      symlinkSync(tmpdir(), join(root, "a/out"));
      symlinkSync("../.env", join(root, "a/e"));
      expect(whyNotLinked(root, ["a", "l"], target)).toMatch(/\.$|touch/);
    },
  );
});

it.each([
  [null, file("\0"), "create p (binary, 1 byte)"],
  [null, { kind: "link", target: "b\nc" }, "create p (link to b<U+000A>c)"],
  [file("a"), { kind: "link", target: "b" }, "replace p (text, 1 byte) by link to b"],
  [
    null,
    { kind: "file", mode: 0o777, content: contentOf(Buffer.from("x")) },
    "create p (text, 1 byte, executable, writable by everybody)",
  ],
  [{ kind: "file", mode: 0o644 }, { kind: "file", mode: 0o755 }, "p becomes executable"],
  [{ kind: "file", mode: 0o755 }, { kind: "file", mode: 0o644 }, "p becomes not executable"],
  [{ kind: "file", mode: 0o644 }, { kind: "file", mode: 0o600 }, "mode of p: 644 → 600"],
  [null, { kind: "folder", files: 1200, bytes: 2 ** 21 }, "add p (1,200 files, 2.0 MB, as they are)"],
] as const)("an entry is told in words, %#", (before, after, words) => {
  expect(describeEntry("p", { before, after })).toBe(words);
});
