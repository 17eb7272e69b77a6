import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkTree } from "../../../server/src/repl/confinement/tree-check.ts";
import { grantAround } from "../../../server/src/repl/confinement/read-grants.ts";
import { isSecretName } from "../../../server/src/workspace/workspace-paths.ts";
import { describeEachNode } from "../../support/node-versions.ts";
import { startTestImage, type TestImage } from "./with-image.ts";

describeEachNode([24, 26], ({ path }) => {
  let t: TestImage;
  let outside: string;
  beforeAll(() => {
    outside = realpathSync(mkdtempSync(join(tmpdir(), "agentq-hidden-outside-")));
    writeFileSync(join(outside, "secret.txt"), "outside");
    writeFileSync(join(outside, "package.json"), '{ "name": "stranger", "main": "secret.txt" }');
    t = startTestImage({ nodePath: path, isSecretName });
    t.write(".env", "KEY=1");
    t.write("packages/api/server.key", "KEY");
    t.write("packages/api/main.ts", "export const main = 1;");
    t.write("environment.ts", "export const name = 'environment';");
    t.write("node_modules/dep/index.js", "exports.dep = 1");
    symlinkSync(outside, join(t.root, "out"));
    symlinkSync(join(outside, "secret.txt"), join(t.root, "packages/out.txt"));
    symlinkSync(outside, join(t.root, "node_modules/stranger"));
    symlinkSync("packages/api", join(t.root, "api"));
    symlinkSync(".env", join(t.root, "env.txt"));
  });
  afterAll(async () => {
    await t.dispose();
    rmSync(outside, { recursive: true });
  });
  const fs = "const fs = require('node:fs'); ";

  describe("a project with secrets and with links that lead out", () => {
    it.for([
      ".env",
      "./packages/../.env",
      ".env.local",
      "packages/api/server.key",
      "out/secret.txt",
      "packages/out.txt",
      "node_modules/stranger/secret.txt",
      "api/server.key",
      "env.txt",
    ])("keeps %s from the image", async (name) => {
      const { outcome, error } = await t.evaluate(`${fs}fs.readFileSync('${name}', 'utf8')`);
      expect(outcome).toBe("error");
      expect(error?.name).toContain("ERR_ACCESS_DENIED");
    });

    it("keeps them from an import too, which the server reads", async () => {
      expect((await t.evaluate("import text from './.env'; text")).outcome).toBe("error");
      expect((await t.evaluate("import './out/secret.txt'")).outcome).toBe("error");
      const forged = await t.evaluate(
        `const e = new Error('x'); e.stack = 'Error: x\\n    at f (${t.root}/.env:1:1)'; throw e`,
      );
      expect(JSON.stringify(forged)).not.toContain("KEY=1");
    });

    it("does not let it write through such a link", async () => {
      const { error } = await t.evaluate(`${fs}fs.writeFileSync('out/secret.txt', 'x')`);
      expect(error?.name).toContain("ERR_ACCESS_DENIED");
    });

    it("leaves everything beside them readable, also what is made later", async () => {
      t.write("packages/api/later.ts", "export const later = 2;");
      t.write("new-folder/deep/file.txt", "new");
      expect(await t.value("import { main } from './packages/api/main.ts'; main")).toBe("1");
      expect(await t.value("import { later } from './api/later.ts'; later")).toBe("2");
      expect(await t.value("import { name } from './environment.ts'; name")).toBe('"environment"');
      expect(await t.value("require('dep').dep")).toBe("1");
      expect(await t.value(`${fs}fs.readFileSync('new-folder/deep/file.txt', 'utf8')`)).toBe('"new"');
    });

    it("can still be listed, asked for and gone into, in every way", async () => {
      const names = '".env,api,env.txt,environment.ts,new-folder,';
      expect(await t.value(`${fs}fs.readdirSync('.').join()`)).toContain(names);
      expect(await t.value(`${fs}(await fs.promises.readdir(process.cwd() + '/')).join()`)).toContain(names);
      expect(
        await t.value(
          `${fs}await new Promise((ok, no) => fs.readdir('.', (e, names) => (e ? no(e) : ok(names.join()))))`,
        ),
      ).toContain(names);
      expect(
        await t.value(`${fs}fs.readdirSync('.', { withFileTypes: true }).every((e) => e.parentPath === process.cwd())`),
      ).toBe("true");
      expect(await t.value(`${fs}fs.readdirSync('.', { recursive: true }).includes('packages/api/main.ts')`)).toBe(
        "true",
      );
      expect(await t.value(`${fs}fs.globSync('**/*.ts').includes('packages/api/main.ts')`)).toBe("true");
      expect(await t.value(`${fs}fs.lstatSync('packages').isDirectory() && fs.existsSync('.')`)).toBe("true");
      expect(await t.value(`${fs}fs.opendirSync('packages').readSync() !== null`)).toBe("true");
      expect(await t.value(`process.chdir('packages'); const at = process.cwd(); process.chdir('..'); at`)).toContain(
        "/packages",
      );
    });

    it("says in its status what it keeps", () => {
      expect(t.image.status().confinementDetail).toContain(
        "Kept from it inside the project: 2 files that may hold secrets and 3 links that lead out.",
      );
    });
  });
});

describe("the grants around what is hidden", () => {
  it("are the folder alone when there is nothing to hide", () => {
    expect(grantAround("/p", ["/other/.env"])).toEqual({ grants: ["/p"], unlisted: [] });
  });

  it("name every beginning but the hidden one, and never a folder above", () => {
    const { grants, unlisted } = grantAround("/p", ["/p/.env"]);
    expect(unlisted).toEqual(["/p"]);
    expect(grants).toEqual(expect.arrayContaining(["/p/a*", "/p/..*", "/p/.g*", "/p/.en", "/p/.envx*"]));
    for (const wrong of ["/p", "/p/*", "/p/.*", "/p/.", "/p/..", "/p/.env", "/p/.env*", "/p/.env.*", "/p/.e*"]) {
      expect(grants).not.toContain(wrong);
    }
    for (const grant of grants) expect(grant.startsWith("/p/")).toBe(true);
  });

  it("are given up for what no command line would hold, which is counted", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-many-secrets-")));
    for (let index = 0; index < 60; index++) {
      const folder = join(root, `package-number-${index}`, "a-folder-with-a-long-name");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "another-long-name.key"), "");
    }
    const { secrets, left } = await checkTree([root], isSecretName);
    expect(secrets.length).toBeGreaterThan(0);
    expect(secrets.length + left).toBe(60);
    expect(left).toBeGreaterThan(0);
    rmSync(root, { recursive: true });
  });
});
