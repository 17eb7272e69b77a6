import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { checkTree } from "../../../../server/src/repl/confinement/limited/tree-check.ts";
import { grantAround } from "../../../../server/src/repl/confinement/limited/read-grants.ts";
import { isSecretName } from "../../../../server/src/workspace/secret-names.ts";
import { describeEachNode } from "../../../support/node-versions.ts";
import { startTestImage, type TestImage } from "../with-image.ts";

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
    // Links behind links, as the workspaces of npm and pnpm are made of.
    t.write("packages/api/package.json", "{}");
    t.write("packages/web/package.json", "{}");
    for (const folder of [
      "node_modules/@own",
      "node_modules/.pnpm/node_modules/@own",
      "packages/web/node_modules/@own",
    ]) {
      mkdirSync(join(t.root, folder), { recursive: true });
    }
    symlinkSync("../../packages/web", join(t.root, "node_modules/@own/web"));
    symlinkSync("../../../../packages/api", join(t.root, "node_modules/.pnpm/node_modules/@own/api"));
    symlinkSync("../../../../packages/api", join(t.root, "packages/web/node_modules/@own/api"));
    symlinkSync(outside, join(t.root, "packages/web/out"));
    symlinkSync(".", join(t.root, "loop"));
    symlinkSync("packages", join(t.root, "alias"));
    t.write("packages/env/.env/key", "KEY=1");
    t.write("a*star/.env", "KEY=1");
    t.write("a*star/x.txt", "KEY=1");
    t.write("a-neighbour.txt", "mine");
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
      "loop/.env",
      "loop/loop/.env",
      "loop/loop/loop/packages/api/server.key",
      "alias/api/server.key",
      "alias/out.txt",
      "alias/web/out/secret.txt",
      "alias/web/node_modules/@own/api/server.key",
      "packages/web/node_modules/@own/api/server.key",
      "node_modules/@own/web/node_modules/@own/api/server.key",
      "node_modules/@own/web/out/secret.txt",
      "node_modules/.pnpm/node_modules/@own/api/server.key",
      "packages/env/.env/key",
      "a*star/.env",
    ])("keeps %s from the image", async (name) => {
      const { outcome, error } = await t.evaluate(`${fs}fs.readFileSync('${name}', 'utf8')`);
      expect(outcome).toBe("error");
      expect(error?.name).toContain("ERR_ACCESS_DENIED");
    });

    it.for([
      "fs.readFileSync(PATH, 'utf8')",
      "process.loadEnvFile(PATH)",
      "fs.cpSync(PATH, require('os').tmpdir() + '/copy')",
      "fs.copyFileSync(PATH, require('os').tmpdir() + '/copy')",
      "await (await fs.openAsBlob(PATH)).text()",
      "await fs.promises.readFile(PATH)",
      "require('module')._extensions['.json']({ exports: {} }, PATH)",
    ])("keeps a secret that is behind a link behind a link from %s", async (code) => {
      const secret = `${t.root}/node_modules/@own/web/node_modules/@own/api/server.key`;
      const { error } = await t.evaluate(fs + code.replace("PATH", JSON.stringify(secret)));
      expect(error?.name).toContain("ERR_ACCESS_DENIED");
    });

    it("keeps them from a copy of a folder by the name under which it is listed", async () => {
      const listed = "const at = require('os').tmpdir(), listed = at.replace(/-(.{6})$/, '-of-$1/0'); ";
      expect(await t.value(`${fs}${listed}fs.readdirSync(listed).includes('.env')`)).toBe("true");
      const copied = await t.evaluate(
        `${fs}${listed}fs.cpSync(listed, at + '/all', { recursive: true, dereference: true })`,
      );
      expect(copied.error?.name).toContain("ERR_ACCESS_DENIED");
      expect(await t.value(`${fs}fs.existsSync(require('os').tmpdir() + '/all/.env')`)).toBe("false");
    });

    // From there two folders up is the project, whatever the letters say.
    const through = "packages/web/node_modules/@own/api/../..";
    it.for([
      `fs.readFileSync('${through}/.env', 'utf8')`,
      `fs.readFileSync('${through}/../agentq-outside.txt', 'utf8')`,
      `fs.readFileSync(Buffer.from('${through}/.env'), 'utf8')`,
      `fs.readFileSync({ href: 'x', protocol: 'file:', hostname: '', pathname: process.cwd() + '/${through}/.env' }, 'utf8')`,
      `await fs.promises.readFile('${through}/.env', 'utf8')`,
      `await fs.promises.readFile(process.cwd() + '/${through}/.env', 'utf8')`,
      `fs.copyFileSync('${through}/.env', require('os').tmpdir() + '/up')`,
      `let text = ''; for await (const part of fs.createReadStream('${through}/.env')) text += part; text`,
      `await (await fs.openAsBlob('${through}/.env')).text()`,
      `process.loadEnvFile('${through}/.env'); 'loaded'`,
      `Object.defineProperty(Array.prototype, 0, { configurable: true, set() {}, get: () => '${through}/.env' }); try { fs.readFileSync('none.txt', 'utf8') } finally { delete Array.prototype[0] }`,
      `WeakSet.prototype.has = () => true; fs.readFileSync({ href: 'x', protocol: 'file:', hostname: '', pathname: process.cwd() + '/${through}/.env' }, 'utf8')`,
    ])("follows no link before the folder above it in %s", async (code) => {
      const { outcome, preview } = await t.evaluate(fs + code);
      expect(preview).toBeUndefined();
      expect(outcome).toBe("error");
    });

    it("reads and writes where a path led when it was asked for, whatever the folder is by then", async () => {
      const busy = "for (let i = 0; i < 4; i++) require('crypto').pbkdf2('a', 'b', 50_000, 64, 'sha512', () => {}); ";
      const tell = ".then((text) => text ?? 'written', ({ code }) => code)";
      const asked = `const asked = [fs.promises.readFile('.env', 'utf8')${tell}, (fs.promises.writeFile('racing.txt', 'x')${tell})]; `;
      const race = `${fs}const own = process.cwd(); process.chdir(require('os').tmpdir()); ${busy}${asked}`;
      const ended = await t.value(`${race}process.chdir(own); (await Promise.all(asked)).join()`);
      expect(ended).toBe('"ENOENT,written"');
      expect(existsSync(join(t.root, "racing.txt"))).toBe(false);
    });

    it("leaves the scratch folder to be listed", async () => {
      expect(await t.value(`${fs}fs.writeFileSync(require('os').tmpdir() + '/own.txt', ''); 1`)).toBe("1");
      expect(await t.value(`${fs}fs.readdirSync(require('os').tmpdir()).includes('own.txt')`)).toBe("true");
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
      expect(await t.value("import { main as twice } from './alias/api/main.ts'; twice")).toBe("1");
      expect(await t.value(`${fs}fs.readFileSync('packages/web/package.json', 'utf8')`)).toBe('"{}"');
      expect(await t.value(`${fs}fs.readFileSync('a-neighbour.txt', 'utf8')`)).toBe('"mine"');
      expect(await t.value("require('dep').dep")).toBe("1");
      expect(await t.value(`${fs}fs.readFileSync('new-folder/deep/file.txt', 'utf8')`)).toBe('"new"');
    });

    it("can still be listed, asked for and gone into, in every way", async () => {
      const names = /^"\.env,a\*star,a-neighbour\.txt,alias,api,env\.txt,environment\.ts,loop,new-folder,/;
      expect(await t.value(`${fs}fs.readdirSync('.').join()`)).toMatch(names);
      expect(await t.value(`${fs}(await fs.promises.readdir(process.cwd() + '/')).join()`)).toMatch(names);
      expect(
        await t.value(
          `${fs}await new Promise((ok, no) => fs.readdir('.', (e, names) => (e ? no(e) : ok(names.join()))))`,
        ),
      ).toMatch(names);
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
        "Kept from it inside the project: 4 files that may hold secrets and 4 links that lead out.",
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
});

describeEachNode([24, 26], ({ path }) => {
  const startIn = (make: (write: TestImage["write"]) => void): TestImage => {
    const t = startTestImage({ nodePath: path, isSecretName });
    onTestFinished(t.dispose);
    make(t.write);
    return t;
  };
  const read = (name: string): string => `require('node:fs').readFileSync('${name}', 'utf8')`;

  it("keeps all of many secrets in many folders, and leaves the rest", async () => {
    const secrets = Array.from({ length: 60 }, (_, index) => `packages/package-number-${index}/.env`);
    secrets.push(...secrets.map((name) => `${name}.local`));
    const t = startIn((write) => {
      for (const name of secrets) write(name, "KEY");
      for (let index = 0; index < 60; index++) {
        for (const name of ["index.ts", ".editorconfig", ".eslintrc", ".eslintrc.json", ".e/x.txt", ".e.txt"]) {
          write(`packages/package-number-${index}/${name}`, "1");
        }
      }
    });
    const answer = `const seen = ${JSON.stringify(secrets)}.filter((name) => { try { require('node:fs').readFileSync(name); return true } catch {} }); seen`;
    expect(await t.value(answer)).toBe("[]");
    for (const name of ["index.ts", ".editorconfig", ".eslintrc", ".eslintrc.json", ".e/x.txt", ".e.txt", "later.ts"]) {
      if (name === "later.ts") t.write("packages/package-number-7/later.ts", "1");
      expect(await t.value(read(`packages/package-number-7/${name}`))).toBe('"1"');
    }
    expect(await t.value(`require('node:fs').readdirSync('packages/package-number-7/.e').join()`)).toBe('"x.txt"');
    expect(await t.value(`require('node:fs').readdirSync('packages/package-number-1').length`)).toBe("8");
    expect(t.image.status().confinementDetail).toContain("120 files that may hold secrets");
  });

  it("keeps all of many secrets in one folder", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `certificates/a-certificate-for-host-${index}.pem`);
    const t = startIn((write) => {
      for (const name of [...names, "certificates/a-certificate.txt"]) write(name, "KEY");
    });
    for (const name of names) expect((await t.evaluate(read(name))).error?.name).toContain("ERR_ACCESS_DENIED");
    expect(await t.value(read("certificates/a-certificate.txt"))).toBe('"KEY"');
  });

  it("does not start confined, and says why, where a secret would be left", async () => {
    const t = startIn((write) => {
      for (let index = 0; index < 2000; index++) {
        write(`a-long-name-of-a-folder/${String(index).padStart(200, "folder")}/.env`, "");
        write(`a-long-name-of-a-folder/${String(index).padStart(200, "folder")}/index.ts`, "");
      }
    });
    const { outcome, error } = await t.evaluate("1");
    expect(outcome).toBe("error");
    expect(error?.message).toMatch(
      /^The REPL cannot be confined: the project has 2000 files that may hold secrets, more than .*allow the open mode/,
    );
    expect(t.image.status().state).toBe("dead");
  });

  it("does not start confined in a folder whose name has a star, which would be a wildcard", async () => {
    const t = startTestImage({ nodePath: path, isSecretName }, "repl-project", "agentq-my*project-");
    onTestFinished(t.dispose);
    const { outcome, error } = await t.evaluate("1");
    expect(outcome).toBe("error");
    expect(error?.message).toMatch(/^The REPL cannot be confined: .*my\*project-.* has a star in its name/);
  });
});

describe("the look at the project", () => {
  it("keeps what it does not come to from the image, and says so", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-many-files-")));
    onTestFinished(() => rmSync(root, { recursive: true }));
    for (const name of ["many/1.txt", "many/2.txt", "many/3.txt", "far/away/.env", "far/near.txt"]) {
      mkdirSync(join(root, name, ".."), { recursive: true });
      writeFileSync(join(root, name), "");
    }
    symlinkSync("far/away", join(root, "link"));
    const { secrets, unseen, closed, grants } = await checkTree([root], isSecretName, 7);
    expect({ secrets, unseen, closed }).toEqual({
      secrets: [],
      unseen: [join(root, "far/away")],
      closed: [join(root, "link")],
    });
    const isGranted = (path: string): boolean =>
      grants?.grants.some((each) => (each.endsWith("*") ? path.startsWith(each.slice(0, -1)) : each === path)) === true;
    expect(isGranted(join(root, "far/near.txt"))).toBe(true);
    for (const path of ["far/away/.env", "link/.env"]) expect(isGranted(join(root, path))).toBe(false);
  });
});
