// A VS Code that tests can drive: code-server's npm package, built once into `.cache/vscode` as far as the tests need it, the extension
// packed from this checkout, and a browser of the machine's.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { runNpm } from "../bootstrap/packages.mjs";
import { findOnPath } from "../editors/find.ts";
import { withLock } from "../lock.mjs";
import { root } from "../paths.mjs";

const VERSION = "4.139.1";
const store = join(root, ".cache/vscode");
const client = join(root, "client-vscode");

/** Of the packages that must be compiled, those that a window needs; others, such as `kerberos`, need libraries of the system. */
const COMPILED = ["node-pty", "@vscode/spdlog", "@vscode/native-watchdog", "@vscode/sqlite3", "@parcel/watcher"];

export interface ProvidedVsCode {
  /** The program of code-server, to be run with Node 24. */
  readonly program: string;
  readonly browser: string;
  /** The packed extension. */
  readonly vsix: string;
}

/** Throws an error whose message is meant for the user. */
export function provideVsCode(): ProvidedVsCode {
  const browser = ["chromium", "chromium-browser", "google-chrome"].map(findOnPath).find((each) => each !== undefined);
  if (browser === undefined) throw new Error("No Chromium is on the PATH: `apt-get install chromium` brings one.");
  mkdirSync(store, { recursive: true });
  const folder = join(store, `code-server-${VERSION}`);
  withLock(join(store, "lock"), () => {
    if (!existsSync(folder)) build(folder);
  });
  npm(client, "run", "package", "--silent");
  return {
    program: join(folder, "node_modules/code-server/out/node/entry.js"),
    browser,
    vsix: join(client, "agentq.vsix"),
  };
}

/** Made beside its place and renamed when it is whole, so that a build that was cut off is made again. */
function build(folder: string): void {
  process.stderr.write(`Building ${basename(folder)}, which takes some minutes ...\n`);
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  // npm would else take the checkout for the package that is meant.
  writeFileSync(join(partial, "package.json"), "{}");
  npm(partial, "install", "--no-save", "--no-package-lock", "--ignore-scripts", `code-server@${VERSION}`);
  const installed = join(partial, "node_modules/code-server");
  // What its own script does after an installation, without the packages that no window needs.
  const vscode = join(installed, "lib/vscode");
  for (const place of [vscode, join(vscode, "extensions")]) npm(place, "install", "--omit=dev", "--ignore-scripts");
  npm(vscode, "rebuild", ...COMPILED);
  renameSync(partial, folder);
}

function npm(cwd: string, ...args: string[]): void {
  // Node's headers of the system serve every version: what is compiled here uses Node-API.
  const headers = existsSync("/usr/include/node/node_api.h") ? { npm_config_nodedir: "/usr" } : {};
  const env = {
    ...process.env,
    ...headers,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_loglevel: "error",
  };
  if (runNpm(cwd, args, env) !== 0) throw new Error(`npm ${args[0]} failed in ${cwd}; its own message is above.`);
}
