/** A folder that holds everything is no project. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { projectAbove, projectFolders } from "../../../server/src/workspace/project-folders.ts";

it("leaves out the root of the disk and the home folder, by whatever name, and says so", () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "agentq-home-")));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const [home, project, link] = [join(top, "home"), join(top, "home/project"), join(top, "link")];
  mkdirSync(project, { recursive: true });
  symlinkSync(home, link);
  const asked = ["/", "//", `${top}/../../../../../..`, home, `${home}/`, link, project];
  const { kept, why } = projectFolders(asked, home);
  expect(kept).toEqual([project]);
  expect(why).toMatch(/are no projects, and nothing there is read or changed: open the folder of a project/);
  expect(projectFolders([project], home)).toEqual({ kept: [project] });
  expect(projectFolders(["/"], home).why).toMatch(/^\/ is no project.* start agentq in it\.$/);
  expect(projectFolders([link], home).why).toMatch(/ with HOME set to another folder of yours\.$/);
  expect(projectFolders([home], join(top, "elsewhere"))).toEqual({ kept: [home] });
});

it("knows the project above a folder that begins none", () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "agentq-home-")));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const [shop, deep, bare] = [join(home, "shop"), join(home, "shop/src/deep"), join(home, "bare/src")];
  for (const folder of [deep, bare]) mkdirSync(folder, { recursive: true });
  for (const folder of [home, shop]) writeFileSync(join(folder, "package.json"), "{}");
  expect(projectAbove(deep, home)).toBe(shop);
  // A home folder is no project, whatever lies in it.
  expect([shop, bare, home, "/"].map((folder) => projectAbove(folder, home))).toEqual(Array(4).fill(undefined));
});
