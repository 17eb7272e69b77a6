/** What a package manager cannot run without is seen behind the wall, but for credentials. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isNeeded } from "../../../../server/src/sandbox/places/needed-settings.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "agentq-needed-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function asks(name: string, text: string): boolean {
  const path = join(folder, name);
  writeFileSync(path, text);
  return isNeeded(path);
}

it.each([
  [".yarnrc.yml", "nodeLinker: node-modules\nyarnPath: .yarn/releases/yarn-4.9.1.cjs\n"],
  [".yarnrc.yml", 'npmScopes:\n  mine:\n    npmAuthToken: "${NPM_TOKEN}"\n    npmAlwaysAuth: \n'],
  ["bunfig.toml", '[install.scopes]\nmine = { token = "$NPM_TOKEN", url = "https://example.org" }\n'],
])("%s without a credential is: %j", (name, text) => {
  expect(asks(name, text)).toBe(true);
});

it.each([
  [".yarnrc.yml", "npmAuthToken: npm_0123456789\n"],
  [".yarnrc.yml", "npmRegistries:\n  //example.org:\n    npmAuthIdent: 'me:word'\n"],
  [".yarnrc.yml", "npmRegistryServer: https://me:word@example.org\n"],
  ["bunfig.toml", '[install]\nregistry = { url = "https://example.org", token = "123456" }\n'],
  ["bunfig.toml", 'registry = { username = "me", password = "word" }\n'],
  [".npmrc", "save-exact=true\n"],
])("%s with one, or of another name, is not: %j", (name, text) => {
  expect(asks(name, text)).toBe(false);
});
