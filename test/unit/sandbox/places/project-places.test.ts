import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { Layer } from "../../../../server/src/sandbox/layer/layer.ts";
import { projectMounts } from "../../../../server/src/sandbox/places/project-places.ts";
import { layerChanges, type FolderFiles } from "../../../../server/src/sandbox/sandbox.ts";
import { describeEachWall, startWall, type TestWall } from "../../../support/wall.ts";

const none = async (): Promise<FolderFiles> => ({ files: [], unread: [] });

describeEachWall("a project in the wall", (only) => {
  let t: TestWall;
  afterEach(() => t.dispose());

  it("can be asked by git, which tells no credentials and keeps nothing", async () => {
    t = startWall({ "a.txt": "one\n" }, {}, only);
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

  it("tells no credentials of any repository in it, wherever git or a person keeps them", async () => {
    t = startWall({ "a.txt": "one\n", "sub/b.txt": "b\n" }, {}, only);
    const git = (folder: string, ...args: string[]): void =>
      void execFileSync(
        "git",
        ["-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@b", ...args],
        {
          cwd: join(t.root, folder),
          stdio: "ignore",
        },
      );
    const secret = "https://me:CANARY@example.com/a.git";
    for (const folder of [".", "sub"]) {
      git(folder, "init", "-q");
      git(folder, "add", folder === "." ? "a.txt" : "b.txt");
      git(folder, "commit", "-qm", "First");
    }
    git(".", "submodule", "add", "-q", join(t.root, "sub"), "deep/module");
    git("deep/module", "remote", "add", "other", secret);
    git(".", "worktree", "add", "-q", "tree");
    git(".", "clone", "-q", "--bare", ".", "vendor/bare.git");
    git("vendor/bare.git", "remote", "add", "other", secret);
    git("sub", "remote", "add", "other", secret);
    const settings = [
      "[sendemail]\n\tsmtpPass = CANARY",
      "[imap]\n\tpass = CANARY",
      '[credential]\n\thelper = "!f() { echo password=CANARY; }; f"',
      '[http "https://example.com/"] extraheader = Authorization: CANARY',
      "[http]\n\textraheader = one \\\n  CANARY",
      "[http]\n\tcookieFile = .git/cookies",
      `[url "${secret}"]\n\tinsteadOf = https://example.com/`,
      `[branch "main"]\n\tremote = ${secret}`,
      `[remote "p"]\n\turl = https://me:CA@CANARY@example.com/p.git ; CANARY\n\tproxy = http://me:CANARY@proxy`,
      '[remote "q"]\n\turl = https://example.com/q.git?private_token=CANARY\n\tvcs = ext::sh -c CANARY',
      '[remote "e"]\n\turl = ext::sh -c CANARY',
      "[alias]\n\tx = !curl -u me:CANARY",
      "[include]\n\tpath = included",
      "# CANARY",
    ];
    appendFileSync(join(t.root, ".git/config"), settings.join("\n"));
    for (const file of [
      "config.worktree",
      "config.bak",
      "config~",
      "included",
      "cookies",
      "info/token",
      "hooks/pre-push",
      "lfs/logs/1.log",
      "lfs/credentials",
      "worktrees/tree/config.worktree",
    ])
      t.write(`.git/${file}`, "[http]\n\textraheader = CANARY\n");
    for (const folder of ["remotes", "branches", "svn/auth"]) t.write(`.git/${folder}/origin`, secret);
    for (const file of ["rebase-merge/git-rebase-todo", "rebase-apply/info", "sequencer/todo"])
      t.write(`.git/${file}`, `exec git pull ${secret}\n`);
    t.write(".git/FETCH_HEAD", `${"0".repeat(40)}\tbranch 'main' of ${secret}\n`);
    t.write(".git/logs/refs/heads/pulled", `0 1 a <a@b> 1 +0000\tpull ${secret}: Fast-forward\n`);
    const { text } = await t.sh(
      "grep -rIn CANARY . ; git -C deep/module remote -v; git config --get remote.p.url; git config --get remote.q.url; " +
        "for at in . sub deep/module tree vendor/bare.git; do git -C $at log --format=%s; done; git status --short | head -3; git reflog | wc -l",
    );
    expect(text).not.toContain("CANARY");
    expect(text).toContain("other\thttps://example.com/a.git (fetch)");
    expect(text).toContain("https://example.com/p.git\nhttps://example.com/q.git\nFirst\nFirst\nFirst\nFirst\nFirst\n");
  });

  it("shows the repository of a worktree", async () => {
    t = startWall({ "main/a.txt": "one\n" }, {}, only);
    const git = (...args: string[]): void =>
      void execFileSync("git", args, { cwd: join(t.root, "main"), stdio: "ignore" });
    git("init", "-q");
    git("add", "-A");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "First");
    git("worktree", "add", "-q", "../tree");
    const options = { home: "/nowhere", layer: new Layer([join(t.root, "tree")]), listFiles: none };
    const mounts = await projectMounts(options, new AbortController().signal);
    await options.layer.dispose();
    expect(mounts.map(({ path }) => path)).toContain(join(t.root, "main/.git"));
  });

  it.each<[string, (root: string, out: string) => void]>([
    ["a file that names a folder", (root, out) => writeFileSync(join(root, ".git"), `gitdir: ${out}\n`)],
    ["a link", (root, out) => symlinkSync(out, join(root, ".git"))],
    [
      "a common folder elsewhere",
      (root, out) => {
        mkdirSync(join(root, ".git"));
        writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
        writeFileSync(join(root, ".git/commondir"), out);
      },
    ],
    [
      "settings that are a link",
      (root, out) => {
        execFileSync("git", ["init", "-q"], { cwd: root });
        rmSync(join(root, ".git/config"));
        symlinkSync(join(out, "secret"), join(root, ".git/config"));
      },
    ],
  ])("believes no repository that leads outside: %s", async (_, make) => {
    t = startWall(
      {
        "project/a.txt": "one\n",
        "outside/secret": "CANARY\n",
        "outside/HEAD": "x\n",
        "outside/objects/x": "x\n",
      },
      {},
      only,
    );
    const [project, outside] = [join(t.root, "project"), join(t.root, "outside")];
    make(project, outside);
    const layer = new Layer([project]);
    const mounts = await projectMounts({ home: t.root, layer, listFiles: none }, new AbortController().signal);
    const shown = mounts.flatMap((mount) => ("from" in mount ? [mount.path, mount.from] : [mount.path]));
    expect(shown.filter((path) => path.startsWith(outside))).toEqual([]);
    for (const mount of mounts) {
      if (mount.kind !== "read") continue;
      const from = "from" in mount ? mount.from : mount.path;
      expect(realpathSync(from).startsWith(outside)).toBe(false);
      if (statSync(from).isFile()) expect(readFileSync(from, "utf8")).not.toContain("CANARY");
    }
    await layer.dispose();
  });

  it("reads files with secrets as empty, and those of installed packages as they are", async () => {
    t = startWall(
      {
        ".env": "CANARY",
        "node_modules/p/test.pem": "of a package\n",
        "node_modules/p/package.json": "{}",
      },
      {},
      only,
    );
    expect((await t.sh("wc -c < .env; cat node_modules/p/test.pem")).text).toBe("0\nof a package\n");
  });

  it("shows nothing of a folder that nobody could look into for secrets", async () => {
    t = startWall({ "locked/.env": "CANARY", "locked/a.txt": "a\n" }, {}, only);
    const options = { home: "/nowhere", layer: t.layer, listFiles: async () => ({ files: [], unread: ["locked"] }) };
    const mounts = await projectMounts(options, new AbortController().signal);
    expect(mounts).toContainEqual({ kind: "nothing", path: join(t.root, "locked") });
  });

  it("tells no changes where nobody saw how the last run ended", async () => {
    t = startWall({ "a.txt": "one\n" }, {}, only);
    await t.sh("echo two > b.txt");
    const [root] = t.layer.roots;
    if (root === undefined) throw new Error("no root");
    rmSync(root.seen);
    const changes = layerChanges(root, { isSkipped: () => false, signal: new AbortController().signal });
    await expect(changes).rejects.toThrow("does not exist");
  });
});
