import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WorkspacePaths } from "../../../server/src/workspace/workspace-paths.ts";

let outside: string;
let root: string;

beforeAll(() => {
  outside = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-paths-")));
  root = path.join(outside, "project");
  mkdirSync(path.join(root, "src"), { recursive: true });
  writeFileSync(path.join(root, "src/a.ts"), "");
  writeFileSync(path.join(outside, "secret.txt"), "");
  symlinkSync(outside, path.join(root, "out"));
  symlinkSync(root, path.join(outside, "alias"));
});

afterAll(() => rmSync(outside, { recursive: true }));

describe("a workspace path", () => {
  it.each([
    ["a relative path", "src/a.ts"],
    ["a path with dots that stays inside", "src/../src/a.ts"],
  ])("resolves %s", (_title, name) => {
    expect(new WorkspacePaths([root]).resolve(name)).toMatchObject({
      ok: true,
      path: { relative: "src/a.ts", absolute: path.join(root, "src/a.ts") },
    });
  });

  it("resolves absolute paths, file URIs and files that do not exist yet", () => {
    const paths = new WorkspacePaths([root]);
    expect(paths.resolve(path.join(root, "src/new.ts"))).toMatchObject({ ok: true, path: { relative: "src/new.ts" } });
    expect(paths.resolve(`file://${root}/src/a.ts`)).toMatchObject({ ok: true, path: { relative: "src/a.ts" } });
  });

  it.each([
    ["a parent folder", "../secret.txt"],
    ["an absolute path elsewhere", "/etc/passwd"],
    ["a link that leads out", "out/secret.txt"],
    ["a new file behind a link that leads out", "out/new.txt"],
    ["another scheme", "https://example.com/a.ts"],
    ["nothing", "  "],
    ["a NUL character", "src/a.ts\0.png"],
    ["git's own folder", ".git/config"],
    ["git's own folder in another case, which is the same on some file systems", ".GIT/config"],
    ["a nested .git", "src/.git/hooks/pre-commit"],
    ["an environment file", ".env"],
    ["an environment file of a stage", "src/.env.production"],
    ["a private key", "deploy/id_rsa"],
    ["a certificate's key", "server.pem"],
  ])("refuses %s", (_title, name) => {
    expect(new WorkspacePaths([root]).resolve(name).ok).toBe(false);
  });

  it("keeps the client's own spelling of a folder that is a link", () => {
    const alias = path.join(outside, "alias");
    expect(new WorkspacePaths([alias]).resolve("src/a.ts")).toMatchObject({
      ok: true,
      path: { absolute: path.join(alias, "src/a.ts") },
    });
  });

  it("says when no folder is open", () => {
    expect(new WorkspacePaths([]).resolve("a.ts")).toEqual({ ok: false, reason: "No workspace folder is open." });
  });
});
