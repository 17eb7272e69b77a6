/**
 * How the image's process is started: its flags, its environment, its scratch folder, and the honest sentence about
 * what that confinement stops. A seat belt, not a wall: Node gives no guarantee against malicious code.
 */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Confinement } from "./image.ts";
import { createScratch } from "./scratch.ts";

export interface LaunchPlan {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Folders whose files the image may read; the server supplies module text only from these. */
  readonly readable: readonly string[];
  readonly dispose: () => void;
}

export const IMAGE_FOLDER = fileURLToPath(new URL("./image/", import.meta.url));

/** Where the image's own code runs from and, as Node maps compiled code back by its source map, where it was written. */
export function kernelFolders(): string[] {
  const own = ownPackage();
  if (own === undefined) return [IMAGE_FOLDER];
  return [IMAGE_FOLDER, ...["dist/image", "server/src/repl/image"].map((code) => join(own, code))];
}

const NEEDED = "24.21 or 26.3";

/** True where a running Node can give up its own rights (`process.permission.drop`). */
export function canConfine(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = versionParts(nodeVersion);
  return major > 26 || (major === 26 && minor >= 3) || (major === 24 && minor >= 21);
}

/** Why this Node cannot run an image at all, or not in this confinement; undefined when it can. */
export function whyNot(nodeVersion: string, confinement: Confinement): string | undefined {
  const [major = 0, minor = 0] = versionParts(nodeVersion);
  if (major < 22 || (major === 22 && minor < 18)) {
    return `The REPL needs Node 22.18 or later; this is Node ${nodeVersion}.`;
  }
  if (confinement === "open" || canConfine(nodeVersion)) return undefined;
  return `Node ${nodeVersion} cannot confine the REPL: use Node ${NEEDED} or later, or allow the open mode (full rights).`;
}

export function describeConfinement(nodeVersion: string, confinement: Confinement): string {
  if (confinement === "open") {
    return canConfine(nodeVersion)
      ? "Open by choice: evaluations run with all of your rights (files, processes, network)."
      : `Open: evaluations run with all of your rights; confinement needs Node ${NEEDED} or later.`;
  }
  if (!canConfine(nodeVersion)) return `Not running: confinement needs Node ${NEEDED} or later.`;
  const [major = 0] = versionParts(nodeVersion);
  const network = major >= 26 ? "no network" : "the network is open on this Node";
  return (
    "Confined: reads the project and its dependencies only, writes only to a scratch folder, starts no process, " +
    `thread or native addon, sees no secret of your environment; ${network}. ` +
    "Links inside the project that lead out and signals to other processes are not stopped. A seat belt, not a wall."
  );
}

export function planLaunch(projectRoot: string, nodeVersion: string, confinement: Confinement): LaunchPlan {
  const readable = readableFolders(projectRoot);
  const scratch = createScratch();
  const [major = 0] = versionParts(nodeVersion);
  const flags = ["--no-force-async-hooks-checks", "--enable-source-maps", "--disable-sigusr1", "--no-warnings"];
  if (major === 22) flags.push("--experimental-async-context-frame");
  if (confinement === "confined") {
    flags.push("--permission", "--allow-worker", "--allow-inspector", "--no-experimental-sqlite");
    for (const folder of [...readable, scratch.path, ...kernelFiles()]) flags.push(`--allow-fs-read=${folder}`);
    flags.push(`--allow-fs-write=${scratch.path}`);
  }
  return {
    flags,
    env: imageEnvironment(process.env, scratch.path),
    readable,
    dispose: scratch.dispose,
  };
}

const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|NODE_ENV|SYSTEMROOT|WINDIR|COMSPEC)$/i;

/** An allow-list: a secret with an unusual name must not slip through a list of forbidden ones. */
export function imageEnvironment(env: NodeJS.ProcessEnv, scratch: string): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && PASSED_ON.test(name)) passed[name] = value;
  }
  return { ...passed, TMPDIR: scratch, TMP: scratch, TEMP: scratch, NO_COLOR: "1" };
}

/** The project, the `node_modules` of the folders above it, and workspace packages that are linked into them. */
export function readableFolders(projectRoot: string): string[] {
  const folders = new Set([projectRoot, realpathSync(projectRoot)]);
  const repository = enclosingRepository(realpathSync(projectRoot));
  for (let folder = realpathSync(projectRoot); ; folder = dirname(folder)) {
    const modules = join(folder, "node_modules");
    if (existsSync(modules)) {
      folders.add(modules);
      for (const target of linkedPackages(modules)) if (isInside(target, repository)) folders.add(target);
    }
    if (folder === dirname(folder)) break;
  }
  return [...folders];
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A link is followed only to a package of the same repository: a link to /etc grants nothing. */
function linkedPackages(modules: string): string[] {
  const found: string[] = [];
  const look = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name.startsWith("@")) look(path);
      if (!entry.isSymbolicLink() || !existsSync(join(path, "package.json"))) continue;
      found.push(realpathSync(path));
    }
  };
  look(modules);
  return found;
}

function enclosingRepository(folder: string): string {
  for (let at = folder; at !== dirname(at); at = dirname(at)) if (existsSync(join(at, ".git"))) return at;
  return folder;
}

/** Node asks for the package.json beside its entry file, to know what kind of module it is. */
function kernelFiles(): string[] {
  const own = ownPackage();
  return own === undefined ? [IMAGE_FOLDER] : [IMAGE_FOLDER, join(own, "package.json")];
}

function ownPackage(): string | undefined {
  for (let at = dirname(IMAGE_FOLDER); at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) return at;
  }
  return undefined;
}

function versionParts(version: string): number[] {
  return version.replace(/^v/, "").split(".").map(Number);
}
