import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closedPaths } from "../../../server/src/workspace/closed-paths.ts";
import { closedName, isSecretName, SECRET_PATTERNS } from "../../../server/src/workspace/secret-names.ts";
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
  symlinkSync(path.join(outside, "not-yet.txt"), path.join(root, "dangling.txt"));
  symlinkSync("../not-yet", path.join(root, "dangling-folder"));
  symlinkSync("dangling.txt", path.join(root, "chain.txt"));
  symlinkSync("src/later.ts", path.join(root, "inside.ts"));
  symlinkSync(".env.later", path.join(root, "config.txt"));
  symlinkSync("src/a.ts", path.join(root, ".envrc"));
  symlinkSync("src", path.join(root, ".ssh"));
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

  // Other systems have one file by both names.
  it.runIf(process.platform === "linux")(
    "means the one file that has the same letters, in whatever form of Unicode",
    () => {
      const inner = path.join(root, "Größe".normalize("NFD"));
      mkdirSync(inner);
      for (const name of ["Maß.md", "plän.md".normalize("NFD"), "zwei-ä.md", "zwei-ä.md".normalize("NFD")])
        writeFileSync(path.join(inner, name), "");
      const paths = new WorkspacePaths([root]);
      const relative = (name: string): string => {
        const resolution = paths.resolve(name);
        return resolution.ok ? resolution.path.relative : resolution.reason;
      };
      const folder = "Größe".normalize("NFD");
      expect(relative("Größe/Maß.md")).toBe(`${folder}/Maß.md`);
      expect(relative(path.join(root, "Größe/plän.md"))).toBe(`${folder}/${"plän.md".normalize("NFD")}`);
      expect(relative("Größe/neu.md")).toBe(`${folder}/neu.md`);
      // Two stand there: the one whose bytes are the same is meant.
      expect(relative("Größe/zwei-ä.md")).toBe(`${folder}/zwei-ä.md`);
      expect(relative("Größe/zwei-ä.md".normalize("NFD"))).toBe(`${folder}/${"zwei-ä.md".normalize("NFD")}`);
      rmSync(inner, { recursive: true });
    },
  );

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
    ["a folder's secret name that is a link to something else", ".ssh/a.ts"],
    ["git's own folder with a character that HFS+ does not see", ".g\u200Cit/config"],
    ["git's own folder by its short name on Windows", "GIT~1/config"],
    ["git's own folder by a stream of Windows", ".git::$INDEX_ALLOCATION/config"],
    ["a drive of Windows", "C:\\Windows\\system.ini"],
    ["a drive of Windows with slashes", "c:/Windows/system.ini"],
    ["a share of Windows", "\\\\server\\share\\a.ts"],
    ["a new name with backslashes", "src\\new.ts"],
    ["a name that no file has", `src/${"x".repeat(300)}.ts`],
    ["a URI of another host", "file://server/share/a.ts"],
    ["a URI that leaves by escaped dots", "file:///%2e%2e/etc/passwd"],
    ["a URI with an escaped NUL", "file:///tmp/a%00.ts"],
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
    "ID_RSA",
    "id_ecdsa-work",
    "prod.env",
    ".dev.vars",
    ".authinfo",
    ".vault-token",
    "client_secret_12.json",
    "key.p8",
    ".kube",
    // As Windows, HFS+ and APFS read these names.
    ".env::$DATA",
    "id_rsa.",
    "id_rsa ",
    "id_r\u017Fa",
    ".n\u200Cpmrc",
    "#.npmrc#",
    "id_rsa.bak",
    "server.key.old",
    ".ssh",
    ".gnupg",
    ...".yarnrc.yml .yarnrc .pnpmrc bunfig.toml auth.json nuget.config terraform.tfvars prod.auto.tfvars terraform.tfstate".split(
      " ",
    ),
    ...".terraform.tfstate.backup credentials.json Credentials.yml aws-credentials.csv credentials service-account.json".split(
      " ",
    ),
    ..."x-firebase-adminsdk-1.json my_service_account_prod.json secrets.json secrets.yml app.secrets.yaml secret.toml .secrets".split(
      " ",
    ),
    ...".secret local.settings.json .sentryclirc .databrickscfg key.properties keystore.properties .flaskenv env.local".split(
      " ",
    ),
    ...".vercel .netlify .huggingface kaggle.json rclone.conf prod.env.json stage.env.yml secrets.json.bak credentials~".split(
      " ",
    ),
  ])("takes %s for a secret", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    ".docker/config.json",
    ".cargo/credentials.toml",
    ".cargo/credentials",
    ".gem/credentials",
    ".composer/auth.json",
    ".m2/settings.xml",
    ".config/gh/hosts.yml",
    ".huggingface/token",
    ".pulumi/credentials.json",
    ".kaggle/kaggle.json",
    ".vercel/project.json",
    ".DOCKER/Config.json",
    ".docker/config.json.bak",
    ".secrets.toml",
    "config/.secrets.yml",
    ".secret.json",
    ".claude/.credentials.json",
    ".gemini/oauth_creds.json",
    ".sbt/.credentials",
    "aws_credentials",
    "my-credentials.txt",
    "creds.json",
    "token.json",
    "access_token.txt",
    "api_key.txt",
    ".token",
    "passwords.txt",
    "db-password.txt",
    "secrets/db.txt",
    "env.prod",
    "env.production.local",
    "prod.kubeconfig",
    "kubeconfig.yaml",
    ".config/glab-cli/config.yml",
    ".clasprc.json",
    ".ngrok2/ngrok.yml",
    ".rclone.conf",
    ".pg_service.conf",
    "pip.ini",
    ".config/pypoetry/auth.toml",
    "ssh_host_rsa_key",
    "github_ed25519",
    "deploy_key",
    "keys/private-key",
    "private.asc",
    "sops/age/keys.txt",
    ".config/stripe/config.toml",
    ".fly/config.yml",
    ".psql_history",
    ".node_repl_history",
    "cookies.txt",
    "secrets.prod.json",
    "secrets-production.yml",
    "store.pem.gz",
    ".netrc.gpg",
    ".hg/hgrc",
    "sftp.json",
    ".vscode/sftp.json",
    "site.publishsettings",
    ".cache/huggingface/token",
    ".Secrets.Toml",
    "\uFF0Esecrets.toml",
    "SECRETS.PROD.JSON::$DATA",
    ...".dvc/config.local .doppler.yaml .snowsql/config .gitcookies .smbcredentials .claude.json storageState.json".split(
      " ",
    ),
    ...".auth/user.json playwright/.auth/user.json http.keytab wg0.conf api-keys.json token.txt passwords.csv".split(
      " ",
    ),
    ...".sops/age.txt .age/keys.txt .jfrog/jfrog-cli.conf.v6 .config/hub .config/op/config .supabase/access-token".split(
      " ",
    ),
    ...".gradle/gradle.properties .config/pnpm/rc etc/npmrc msal_token_cache.json .ibmcloud/config.json scw/config.yaml".split(
      " ",
    ),
    ...".hcloud/cli.toml .gsutil/credstore2 sa-key.json gcp-key.json rootkey.csv my_accessKeys.csv .mc/config.json".split(
      " ",
    ),
    ...".s3cmd.ini .circleci/cli.yml .vnc/passwd key4.db .mnemonic mnemonic.txt UTC--2026-01-01T00-00-00Z--ab".split(
      " ",
    ),
    ...".config/solana/id.json .near-credentials/x.json .aptos/config.yaml".split(" "),
  ])("takes what stands at %s for a secret, at any depth", (file) => {
    for (const at of [file, `deep/${file}`, `a/b/${file}`]) expect(closedName(at.split("/"))?.kind, at).toBe("secret");
    expect(closedPaths(isSecretName)(`deep/${file}`)).toBe(true);
  });

  it.each([
    ".docker/Dockerfile",
    ".cargo/config.toml",
    "ansible/hosts.yml",
    "src/config.json",
    "settings.xml",
    "src/credentials/github.ts",
    "src/secrets/index.ts",
    "src/secrets.ts",
    "src/service-account.ts",
    "app.env.ts",
    "src/credentials.ts",
    "env.d.ts",
    "tokens.json",
    ".github/workflows/secret-scanning.yml",
    "packages/aws-credentials/index.ts",
    "packages/node_rsa/index.ts",
    "src/api-key.ts",
    "src/id_rsa-parser.ts",
    "src/secrets/readme.md",
    "i18n/passwords.json",
    "src/history.ts",
    "password.txt.ts",
    "stripe/index.toml",
    "src/auth/user.json",
    "design-tokens.json",
    "gradle.properties",
    "google-services.json",
    "hub/config",
    "src/mc/config.ts",
    "key.db.ts",
    "utc.ts",
  ])("takes what stands at %s for no secret", (file) => {
    expect(closedName(file.split("/"))).toBeUndefined();
    expect(closedPaths(isSecretName)(file)).toBe(false);
  });

  it.each([
    "env.ts",
    "environment.ts",
    "my.env.ts",
    "id_rsa.ts",
    "id_rsa.pub",
    "ID_ED25519.PUB",
    "id_map.py",
    "credentials.ts",
    "keys.ts",
    "monkey",
    "ssh",
    ".npmignore",
  ])("takes %s for no secret", (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it("knows the same names as git is told", () => {
    // What stands for any character stands for one here.
    for (const pattern of SECRET_PATTERNS) {
      const file = pattern
        .replace(/^\*\*\//, "deep/")
        .replaceAll("**", "x")
        .replaceAll("*", "x")
        .replaceAll(/\[(.)[^\]]*\]/g, "$1");
      for (const at of [file, file.toUpperCase()]) expect(closedName(at.split("/"))?.kind, pattern).toBe("secret");
    }
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
