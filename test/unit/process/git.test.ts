/** Git is asked about repositories of strangers: whatever their configuration names must not run. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { askGit, askGitAboutContents } from "../../../server/src/process/git.ts";

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
