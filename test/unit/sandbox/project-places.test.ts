import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { projectMounts } from "../../../server/src/sandbox/project-places.ts";
import { layerChanges } from "../../../server/src/sandbox/sandbox.ts";
import { describeWalled, startWall, type TestWall } from "../../support/wall.ts";

describeWalled("a project in the wall", () => {
  let t: TestWall;
  afterEach(() => t.dispose());

  it("can be asked by git, which tells no credentials and keeps nothing", async () => {
    t = startWall({ "a.txt": "one\n" });
    const git = (...args: string[]): void => void execFileSync("git", args, { cwd: t.root, stdio: "ignore" });
    git("init", "-q");
    git("add", "-A");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "First");
    git("remote", "add", "origin", "https://me:CANARY@example.com/a.git");
    git("config", "http.https://example.com/.extraheader", "Authorization: CANARY");
    const { text } = await t.sh(
      "echo two >> a.txt; git log --format=%s; git status --short; git config --list; git commit -qam x",
    );
    expect(text).toMatch(/^First\n M a\.txt\n/);
    expect(text).toContain("remote.origin.url=https://example.com/a.git");
    expect(text).not.toContain("CANARY");
    expect(text).toMatch(/Read-only file system|read-only/i);
  });

  it("reads files with secrets as empty, and those of installed packages as they are", async () => {
    t = startWall({
      ".env": "CANARY",
      "node_modules/p/test.pem": "of a package\n",
      "node_modules/p/package.json": "{}",
    });
    expect((await t.sh("wc -c < .env; cat node_modules/p/test.pem")).text).toBe("0\nof a package\n");
  });

  it("shows nothing of a folder that nobody could look into for secrets", async () => {
    t = startWall({ "locked/.env": "CANARY", "locked/a.txt": "a\n" });
    const options = { home: "/nowhere", layer: t.layer, listFiles: async () => ({ files: [], unread: ["locked"] }) };
    const mounts = await projectMounts(options, new AbortController().signal);
    expect(mounts).toContainEqual({ kind: "nothing", path: join(t.root, "locked") });
  });

  it("tells no changes where nobody saw how the last run ended", async () => {
    t = startWall({ "a.txt": "one\n" });
    await t.sh("echo two > b.txt");
    const [root] = t.layer.roots;
    if (root === undefined) throw new Error("no root");
    rmSync(root.seen);
    const changes = layerChanges(root, { isSkipped: () => false, signal: new AbortController().signal });
    await expect(changes).rejects.toThrow("does not exist");
  });
});
