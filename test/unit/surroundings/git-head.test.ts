/** The branch that is read from git's files is the one that git itself tells. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { headOf } from "../../../server/src/surroundings/git-head.ts";
import { currentBranch } from "../../../server/src/surroundings/git-state.ts";

let top: string;
let repository: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-head-")));
  repository = path.join(top, "repository");
  mkdirSync(path.join(repository, "packages/core"), { recursive: true });
  git("init", "-q", "-b", "main");
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

function git(...args: readonly string[]): string {
  const own = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...own, ...args], { cwd: repository, encoding: "utf8" }).trim();
}

function branch(folder: string): Promise<string | undefined> {
  return currentBranch(folder, AbortSignal.timeout(20_000));
}

it("is told before the first commit, and from a folder below", async () => {
  expect(await headOf(repository)).toEqual({ branch: "main" });
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("checkout", "-q", "-b", "fix/the-rounding");
  expect(await branch(path.join(repository, "packages/core"))).toBe("fix/the-rounding");
});

it("is told of another working tree, which has its own", async () => {
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("worktree", "add", "-q", "-b", "side", path.join(top, "side"));
  expect(await headOf(path.join(top, "side"))).toEqual({ branch: "side" });
});

it("is the commit where none is checked out", async () => {
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("checkout", "-q", "--detach");
  expect(await headOf(repository)).toBe("elsewhere");
  expect(await branch(repository)).toBe(git("rev-parse", "--short", "HEAD"));
});

it("is none outside of repositories, and git's word where the files are strange", async () => {
  expect(await headOf(top)).toBeUndefined();
  expect(await branch(top)).toBeUndefined();
  writeFileSync(path.join(repository, ".git/HEAD"), "ref: refs/heads/.invalid\n");
  expect(await headOf(repository)).toBe("elsewhere");
});
