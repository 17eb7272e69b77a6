import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { maskedNames } from "../../../../server/src/tools/commands/masked-names.ts";

it("says that a file is empty of those alone that are: in the workspace, and not in installed packages", () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "agentq-masked-")));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const project = join(top, "project");
  const files = ["project/.env", "project/.docker/config.json", "project/node_modules/dep/.env", "other/.env"];
  for (const file of files) {
    mkdirSync(dirname(join(top, file)), { recursive: true });
    writeFileSync(join(top, file), "");
  }
  const output = `./node_modules/dep/.env ${top}/other/.env ../other/.env .docker/config.json: ${project}/.env gone/.env`;
  expect(maskedNames(output, [project])).toEqual([
    `Not changed, whatever git says: .docker/config.json, ${project}/.env. Files under names of secrets are empty for commands.`,
  ]);
  expect(maskedNames(`${top}/other/.env node_modules/dep/.env`, [project])).toEqual([]);
});
