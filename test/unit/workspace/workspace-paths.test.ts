import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isSecretName, WorkspacePaths } from "../../../server/src/workspace/workspace-paths.ts";

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
  symlinkSync(path.join(outside, "not-yet.txt"), path.join(root, "dangling.txt"));
  symlinkSync("../not-yet", path.join(root, "dangling-folder"));
  symlinkSync("dangling.txt", path.join(root, "chain.txt"));
  symlinkSync("src/later.ts", path.join(root, "inside.ts"));
  symlinkSync(".env.later", path.join(root, "config.txt"));
  symlinkSync("src/a.ts", path.join(root, ".envrc"));
  symlinkSync("round", path.join(root, "round"));
  writeFileSync(path.join(root, "..dots"), "");
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
    ["a link that leads out to what does not exist yet", "dangling.txt"],
    ["a new file in such a folder", "dangling-folder/new.txt"],
    ["a link to such a link", "chain.txt"],
    ["a link in a circle", "round"],
    ["a link to a secret that does not exist yet", "config.txt"],
    ["a secret's name that is a link to something else", ".envrc"],
    ["a line break in a name", "src/new\nline.ts"],
    ["a name that reads backwards", "src/\u202Egpj.ts"],
    ["a name with a character nobody sees", "src/a\u200B.ts"],
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

  it("follows a link to what does not exist yet, where that lies inside", () => {
    const paths = new WorkspacePaths([root]);
    expect(paths.resolve("inside.ts")).toMatchObject({ ok: true, path: { relative: "src/later.ts" } });
    expect(paths.resolve("..dots")).toMatchObject({ ok: true, path: { relative: "..dots" } });
  });

  it.each([
    ".env",
    ".envrc",
    ".env-production",
    ".env_local",
    ".env~",
    ".env.example",
    ".git-credentials",
    ".pypirc",
    ".pgpass",
    "_netrc",
    "id_ed25519_sk",
    "ID_RSA.PUB",
    "#.npmrc#",
    "id_rsa.bak",
    "server.key.old",
    ".ssh",
    ".gnupg",
  ])("takes %s for a secret", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(["env.ts", "environment.ts", "my.env.ts", "id_rsa.ts", "keys.ts", "monkey", "ssh", ".npmignore"])(
    "takes %s for no secret",
    (name) => {
      expect(isSecretName(name)).toBe(false);
    },
  );

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
