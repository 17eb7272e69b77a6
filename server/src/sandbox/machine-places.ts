/** What programs need of a machine beside the project: its system folders, and the toolchains of a home folder. */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isWithin } from "../workspace/shown-path.ts";
import type { Layer } from "./layer.ts";
import type { Mount } from "./view.ts";

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu"];
/** Of `/etc`, what only root may read, who the program may run as. */
const CLOSED_FILES = ["shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "krb5.keytab", "machine-id"];
const CLOSED_FOLDERS = ["ssh", "ssl/private", "sudoers.d", "NetworkManager", "wireguard", "docker", "kubernetes"];

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
}

/** The mounts of the machine itself, before those of a project. */
export function machineMounts({ home, path, programs, layer }: MachineOptions): Mount[] {
  const system = SYSTEM.filter(existsSync).map((place): Mount => {
    return lstatSync(place).isSymbolicLink()
      ? { kind: "link", path: place, target: readlinkSync(place) }
      : { kind: "read", path: place };
  });
  const closedFiles = CLOSED_FILES.map((name) => join("/etc", name)).filter(existsSync);
  const closedFolders = CLOSED_FOLDERS.map((name) => join("/etc", name)).filter(existsSync);
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
    ...closedFiles.map((file): Mount => ({ kind: "read", path: file, from: layer.empty })),
    ...closedFolders.map((folder): Mount => ({ kind: "nothing", path: folder })),
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

/** `bin/node` stands in the folder that also holds the `lib` of npm. */
function installationOf(program: string): string[] {
  if (!existsSync(program)) return [];
  const real = realpathSync(program);
  const folder = dirname(real);
  return folder.endsWith("/bin") && dirname(folder) !== "/" ? [real, dirname(folder)] : [real];
}
