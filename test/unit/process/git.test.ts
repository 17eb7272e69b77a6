/** Git is asked about repositories of strangers: whatever their configuration names must not run. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { askGitForNames } from "../../../server/src/process/git-names.ts";
import { askGit, askGitAboutContents, ignoredBelow } from "../../../server/src/process/git.ts";

let folder: string;
let marker: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-git-")));
  marker = path.join(folder, "ran");
  git("init", "-q", "-b", "main");
  writeFileSync(path.join(folder, "a.txt"), "one\n");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "first");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): void {
  execFileSync("git", args, { cwd: folder, env: { PATH: process.env["PATH"] ?? "", HOME: folder }, stdio: "ignore" });
}

/** The file looks changed to git, so that git has to compare its content. */
function touch(): void {
  utimesSync(path.join(folder, "a.txt"), new Date(), new Date(Date.now() + 5_000));
}

const STATUS = ["status", "--porcelain=v2", "-z", "--untracked-files=no"];

it("a folder that looks like a repository is none, and names no other folder as its files", async () => {
  const [inside, outside] = [path.join(folder, "docs/x"), mkdtempSync(path.join(tmpdir(), "agentq-outside-"))];
  onTestFinished(() => rmSync(outside, { recursive: true }));
  writeFileSync(path.join(outside, "secret"), "");
  mkdirSync(inside, { recursive: true });
  execFileSync("git", ["init", "-q", "--bare", inside], { stdio: "ignore" });
  writeFileSync(path.join(inside, "config"), `[core]\n\trepositoryformatversion = 0\n\tworktree = ${outside}\n`);
  expect(await askGit(inside, ["ls-files", "--others"])).toBeUndefined();
});

describe("a repository that names another folder as its files", () => {
  it.each<[string, (at: string, outside: string) => void]>([
    ["by its settings", (at, outside) => setting(at, outside)],
    ["by a path from where git lies", (at, outside) => setting(at, path.relative(path.join(at, ".git"), outside))],
    [
      "by settings that are included",
      (at, outside) => {
        writeFileSync(path.join(at, "more"), `[core]\n\tworktree = ${outside}\n`);
        execFileSync("git", ["config", "include.path", "../more"], { cwd: at });
        // Git believes no worktree of an included file, so the settings say so too.
        setting(at, outside);
      },
    ],
    [
      "by settings of the worktree",
      (at, outside) => {
        execFileSync("git", ["config", "extensions.worktreeConfig", "true"], { cwd: at });
        execFileSync("git", ["config", "--worktree", "core.worktree", outside], { cwd: at });
      },
    ],
    [
      "and lies elsewhere",
      (at, outside) => {
        execFileSync("git", ["clone", "-q", "--bare", at, path.join(at, ".git/modules/x")], { stdio: "ignore" });
        mkdirSync(path.join(at, "x"));
        writeFileSync(path.join(at, "x/.git"), "gitdir: ../.git/modules/x\n");
        setting(path.join(at, "x"), outside);
        setting(at, outside);
      },
    ],
  ])("is asked about its own files all the same: %s", async (_what, make) => {
    const outside = mkdtempSync(path.join(tmpdir(), "agentq-outside-"));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    for (const [name, text] of [
      ["secret", "CANARY"],
      ["a.txt", "CANARY\n"],
    ] as const)
      writeFileSync(path.join(outside, name), text);
    for (const at of [folder, path.join(folder, "nested/deep")]) {
      mkdirSync(path.join(at, "below"), { recursive: true });
      if (at !== folder) execFileSync("git", ["init", "-q"], { cwd: at });
      make(at, outside);
      const answers = [
        await askGit(at, ["ls-files", "--others"]),
        await askGit(path.join(at, "below"), ["ls-files", "--others", "--full-name"]),
        await askGitAboutContents(at, ["status", "--porcelain"]),
        await askGitAboutContents(at, ["diff"]),
      ];
      expect(answers.join("\n")).not.toMatch(/secret|CANARY/);
      expect(await askGit(at, ["rev-parse", "--show-prefix"])).toBe("\n");
    }
  });

  it("and a submodule, a worktree and a folder in them, are asked as they are", async () => {
    const sub = path.join(folder, "sub");
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", folder, "sub");
    git("worktree", "add", "-q", "tree");
    for (const at of [sub, path.join(folder, "tree")]) {
      writeFileSync(path.join(at, "new.txt"), "");
      mkdirSync(path.join(at, "in"));
      mkdirSync(path.join(at, "in/.git"));
      expect(await askGit(at, ["ls-files", "--others"])).toBe("new.txt\n");
      expect(await askGit(path.join(at, "in"), ["rev-parse", "--show-prefix"])).toBe("in/\n");
      expect(await askGitAboutContents(at, ["status", "--porcelain"])).toBe("?? new.txt\n");
    }
  });

  it.each<[string, (at: string, other: string) => void]>([
    ["a file", (at, other) => writeFileSync(path.join(at, ".git"), `gitdir: ${other}\n`)],
    [
      "a file with a path from there",
      (at, other) => writeFileSync(path.join(at, ".git"), `gitdir: ${path.relative(at, other)}\n`),
    ],
    ["a link", (at, other) => symlinkSync(other, path.join(at, ".git"))],
    [
      "what lies in common",
      (at, other) => {
        execFileSync("git", ["init", "-q"], { cwd: at });
        writeFileSync(path.join(at, ".git/commondir"), other);
      },
    ],
  ])("is not asked where it is another project's, by %s", async (_what, make) => {
    const top = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-other-")));
    onTestFinished(() => rmSync(top, { recursive: true }));
    const at = path.join(top, "at");
    mkdirSync(path.join(at, "in"), { recursive: true });
    make(at, path.join(folder, ".git"));
    for (const asked of [at, path.join(at, "in")]) {
      expect(await askGit(asked, ["ls-files"])).toBeUndefined();
      expect(await askGitAboutContents(asked, ["diff"])).toBeUndefined();
      const names: string[] = [];
      const hear = (name: string): void => void names.push(name);
      expect(await askGitForNames({ folder: asked, args: ["ls-files", "-z"], limitMs: 20_000 }, hear)).toBe(false);
      expect(names).toEqual([]);
    }
  });

  function setting(at: string, outside: string): void {
    execFileSync("git", ["config", "core.worktree", outside], { cwd: at });
  }
});

describe("a repository's configuration", () => {
  const program = (): string => {
    const file = path.join(folder, "program.sh");
    writeFileSync(file, `#!/bin/sh\ntouch "${marker}"\ncat\n`);
    chmodSync(file, 0o755);
    return file;
  };

  it("runs no filter, with whatever name", async () => {
    for (const name of ["evil", "with.dots", "with space"]) git("config", `filter.${name}.clean`, program());
    git("config", "filter.long.process", program());
    git("config", "filter.long.required", "true");
    for (const name of ["evil", "with.dots", "long"]) {
      writeFileSync(path.join(folder, ".gitattributes"), `*.txt filter=${name}\n`);
      touch();
      expect(await askGitAboutContents(folder, STATUS), name).toBeDefined();
      expect(existsSync(marker), name).toBe(false);
    }
    writeFileSync(path.join(folder, ".gitattributes"), `*.txt filter=evil\n`);
    git("status");
    expect(existsSync(marker), "the filter is a real one").toBe(true);
  });

  it("is asked nothing about contents where a filter cannot be overruled", async () => {
    writeFileSync(path.join(folder, ".git/config"), `[filter "a=b"]\n  clean = ${program()}\n`, { flag: "a" });
    writeFileSync(path.join(folder, ".gitattributes"), `*.txt filter=a=b\n`);
    touch();
    expect(await askGitAboutContents(folder, STATUS)).toBeUndefined();
    expect(existsSync(marker)).toBe(false);
  });

  it("runs no file monitor, no hook and no pager", async () => {
    git("config", "core.fsmonitor", program());
    git("config", "core.pager", program());
    git("config", "pager.status", program());
    git("config", "core.hooksPath", path.join(folder, "hooks"));
    mkdirSync(path.join(folder, "hooks"));
    for (const hook of ["post-index-change", "fsmonitor-watchman"]) {
      writeFileSync(path.join(folder, "hooks", hook), `#!/bin/sh\ntouch "${marker}"\n`);
      chmodSync(path.join(folder, "hooks", hook), 0o755);
    }
    touch();
    expect(await askGitAboutContents(folder, STATUS)).toBeDefined();
    expect(await askGit(folder, ["symbolic-ref", "--short", "-q", "HEAD"])).toBe("main\n");
    expect(existsSync(marker)).toBe(false);
    git("status");
    expect(existsSync(marker), "the configuration is a real one").toBe(true);
  });
});

describe("git", () => {
  it("answers nothing where there is no repository, no folder, and once the caller has gone", async () => {
    expect(await askGit(tmpdir(), ["rev-parse", "--show-prefix"])).toBeUndefined();
    expect(await askGit(path.join(folder, "none"), ["rev-parse", "--show-prefix"])).toBeUndefined();
    expect(await askGit(folder, ["rev-parse", "--show-prefix"], AbortSignal.abort())).toBeUndefined();
  });
});

it("says which paths of several folders git ignores, and asks about none outside of them", async () => {
  writeFileSync(path.join(folder, ".gitignore"), "out/\n*.log\n");
  const other = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-no-git-")));
  onTestFinished(() => rmSync(other, { recursive: true }));
  const asked = [`${folder}/`, `${folder}/out/a`, `${folder}/b.log`, `${folder}/a.txt`, `${other}/c.log`, "/etc/d.log"];
  const ignored = await ignoredBelow([folder, other], asked);
  expect([...ignored].filter((each) => each !== "").toSorted()).toEqual([`${folder}/b.log`, `${folder}/out/a`]);
});
