/** What git shows behind the wall of files whose names are those of secrets. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { isSecretName } from "../../../server/src/workspace/secret-names.ts";
import { describeEachWall, startWall, type TestWall } from "../../support/wall.ts";

const NAMES =
  `.env .env.local prod.env .DEV.vars .npmrc _netrc .pgpass id_rsa id_ed25519_work server.PEM tls.key store.p12 .aws/credentials deep/.ssh/config client_secret_1.json .git-credentials .vault-token prod.tfvars credentials.json app.secrets.yml deep/.docker/config.json .yarnrc.yml my-service-account-1.json stage.env.json .m2/settings.xml .gem/credentials .vercel/project.json .secrets.toml .claude/.credentials.json deploy_rsa secrets/db.txt .config/gh/hosts.yml age/keys.txt`.split(
    " ",
  );
let t: TestWall;
afterEach(() => t.dispose());

describeEachWall("git behind the wall", (only) => {
  it.each([["a repository"], ["a submodule"]])("compares no version of a secret in %s", async (where) => {
    const at = where === "a submodule" ? "sub/" : "";
    const files = [...NAMES, "a.ts", "i18n.key.ts", "environment.ts"];
    t = startWall(Object.fromEntries(files.map((name) => [at + name, `of ${name}\n`])), {}, only);
    const git = (...args: string[]): void => {
      const person = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
      execFileSync("git", [...person, ...args], { cwd: join(t.root, at), stdio: "ignore" });
    };
    git("init", "-q");
    git("add", "-f", ".");
    git("commit", "-qm", "all");
    for (const name of files.filter((each) => !isSecretName(each.split("/")[0] ?? ""))) t.write(at + name, "changed\n");
    rmSync(join(t.root, at, "id_rsa"));
    const cd = at === "" ? "" : `cd ${at};`;
    const { text } = await t.sh(`${cd} git diff; git log -p; git show; git format-patch --stdout --root HEAD`);
    for (const name of NAMES) expect(text, name).not.toContain(`of ${name}\n`);
    for (const name of ["a.ts", "i18n.key.ts", "environment.ts"]) expect(text).toContain(`-of ${name}\n+changed`);
  });
});
