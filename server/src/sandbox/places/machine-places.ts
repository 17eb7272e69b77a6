/** What programs need of a machine beside the project: its system folders, and the toolchains of a home folder. */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { spawn } from "../../process/spawn.ts";
import { existingRealPath } from "../../workspace/real-path.ts";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import { isSecretName } from "../../workspace/secret-names.ts";
import { isWithin } from "../../workspace/within.ts";
import type { Layer } from "../layer/layer.ts";
import type { Mount } from "../wall/view.ts";

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu"];
/** The files of `/etc` that only root may read: the program may run as root. */
const CLOSED_FILES = ["shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "krb5.keytab", "machine-id"];
const CLOSED_FOLDERS = ["ssh", "ssl/private", "sudoers.d", "NetworkManager", "wireguard", "docker", "kubernetes"];

const PEOPLE_KEEP_THINGS_IN = ["/opt", "/usr/local", "/usr/src"];
const PACKAGES = ["node_modules", "site-packages", "dist-packages"];

/** Below a home folder: where version managers and package managers keep programs, and no settings or credentials. */
const TOOLCHAINS = [
  ".local/bin",
  ".nvm/versions",
  ".fnm",
  ".local/share/fnm",
  ".volta/bin",
  ".volta/tools",
  ".asdf",
  ".local/share/mise/installs",
  ".local/share/pnpm",
  ".bun/bin",
  ".deno/bin",
  ".cargo/bin",
  ".rustup/toolchains",
  ".sdkman/candidates",
  "go/bin",
];

/** Beside the `shims` of a version manager, scripts that look for the version which a folder asks for. */
const BESIDE_SHIMS = ["bin", "libexec", "plugins", "version", "versions"];
/** Headers of Node by versions, for native addons: others may be put beside them. */
const HEADERS = ".cache/node-gyp";

export interface MachineOptions {
  readonly home: string;
  /** The search path for programs, as in the environment. */
  readonly path: string;
  /** Programs that must be there wherever they lie, by their absolute path. */
  readonly programs: readonly string[];
  /** What is seen as the home folder, as `/tmp` and as the content of files that are closed. */
  readonly layer: Pick<Layer, "home" | "temporary" | "empty">;
  /** Files and folders that are closed too. */
  readonly closed?: readonly string[];
}

/**
 * The paths of `/etc` that root alone may read, where the program runs as root and only a mount can close them.
 * Rejects where they cannot be listed.
 */
export async function readByRootAlone(): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  const isOpen = "( -type d -perm -005 -o -type f -perm -004 )".split(" ");
  return namesFound(["/etc", "-xdev", "(", "-type", "d", "-o", "-type", "f", ")", "!", ...isOpen, "-prune", "-print0"]);
}

/**
 * What people keep where programs are installed: projects, and files under names of secrets. A repository in which
 * the search path finds programs is an installation. Rejects where the folders cannot be listed.
 */
export async function keptBesidePrograms(path: string, places = PEOPLE_KEEP_THINGS_IN): Promise<string[]> {
  const there = places.filter(existsSync);
  if (there.length === 0) return [];
  const pruned = ["(", ...PACKAGES.flatMap((name) => ["-name", name, "-o"]).slice(0, -1), ")", "-prune"];
  const names = await namesFound([...there, "-xdev", ...pruned, "-o", "-print0"]);
  const repositories = names.flatMap((each) => (basename(each) === ".git" ? [dirname(each)] : []));
  const installed = repositories.length === 0 ? [] : programsOn(path);
  const projects = repositories.filter((folder) => !installed.some((program) => isWithin(program, folder)));
  const secrets = names.filter(
    (each) => isSecretName(basename(each), { above: basename(dirname(each)) }) && !isPublic(each),
  );
  const found = [...new Set([...projects, ...secrets])];
  return found.filter((each) => !found.some((other) => other !== each && isWithin(each, other)));
}

/** Where the folders of a search path lead, and the links in them. */
function programsOn(path: string): string[] {
  const folders = path.split(":").filter((folder) => isAbsolute(folder) && existsSync(folder));
  const links = folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isSymbolicLink() ? [join(folder, entry.name)] : [],
    ),
  );
  return [...folders, ...links].flatMap((place) => existingRealPath(place) ?? []);
}

/** Certificates of authorities have the endings of keys. */
function isPublic(file: string): boolean {
  if (!/\.(?:pem|key)$/i.test(file)) return false;
  try {
    return !readRegularTextSync(file, { lossy: true }).includes("PRIVATE KEY");
  } catch {
    return false;
  }
}

function namesFound(args: readonly string[]): Promise<string[]> {
  const child = spawn("find", args, { stdio: ["ignore", "pipe", "ignore"] });
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (more: string) => void (text += more));
  child.once("error", reject);
  child.once("close", () => resolve(text.split("\0").filter((path) => path !== "")));
  return promise;
}

/** The mounts of the machine itself, before those of a project. */
export function machineMounts({ home, path, programs, layer, closed = [] }: MachineOptions): Mount[] {
  const system = SYSTEM.filter(existsSync).map((place): Mount => {
    return lstatSync(place).isSymbolicLink()
      ? { kind: "link", path: place, target: readlinkSync(place) }
      : { kind: "read", path: place };
  });
  const closedFolders = CLOSED_FOLDERS.map((name) => join("/etc", name));
  const inEtc = [...CLOSED_FILES.map((name) => join("/etc", name)), ...closed].filter(
    (place) => !closedFolders.some((folder) => isWithin(place, folder)),
  );
  const etc = [...new Set([...inEtc, ...closedFolders])].flatMap((place): Mount[] => {
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) return [{ kind: "nothing", path: place }];
    return stats?.isFile() === true ? [{ kind: "read", path: place, from: layer.empty }] : [];
  });
  const onPath = path.split(":").filter((folder) => folder.startsWith("/"));
  const own = new Set([
    ...[...TOOLCHAINS, ...namesIn(home, HEADERS)].map((name) => join(home, name)),
    ...onPath,
    ...onPath.flatMap(besideShims),
    ...programs.flatMap((program) => [program, ...installationOf(program)]),
  ]);
  // A folder of programs that holds the home folder, or is it, would show all of that.
  const seen = [...own].filter((place) => existsSync(place) && !isWithin(home, place) && !isSystem(place));
  return [
    ...system,
    ...etc,
    { kind: "write", path: "/tmp", from: layer.temporary },
    { kind: "write", path: home, from: layer.home },
    ...seen.map((place): Mount => ({ kind: "read", path: place })),
  ];
}

function besideShims(folder: string): string[] {
  return basename(folder) === "shims" ? BESIDE_SHIMS.map((name) => join(dirname(folder), name)) : [];
}

function namesIn(home: string, folder: string): string[] {
  const at = join(home, folder);
  return existsSync(at) ? readdirSync(at).map((name) => join(folder, name)) : [];
}

function isSystem(place: string): boolean {
  return SYSTEM.some((folder) => isWithin(place, folder));
}

/** `bin/node` is in the folder that also holds the `lib` of npm. */
function installationOf(program: string): string[] {
  if (!existsSync(program)) return [];
  const real = realpathSync(program);
  const folder = dirname(real);
  return folder.endsWith("/bin") && dirname(folder) !== "/" ? [real, dirname(folder)] : [real];
}
