import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { projectConfigs } from "../../../../../server/src/typescript/files/projects/project-configs.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agentq-configs-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("follows references to folders and to named files, round a circle too", () => {
  const main = join(root, "tsconfig.json");
  const app = join(root, "tsconfig.app.json");
  const core = join(root, "core", "tsconfig.json");
  mkdirSync(join(root, "core"));
  writeFileSync(
    main,
    '{ "references": [{ "path": "./core" }, { "path": "./tsconfig.app.json" }, { "path": "./gone" }] }',
  );
  writeFileSync(app, '{ "references": [{ "path": "." }] }');
  writeFileSync(core, "{ not json");
  expect(projectConfigs([main]).files).toEqual([main, core, app]);
});
