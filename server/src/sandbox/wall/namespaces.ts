/** A view as work for `unshare`, `mount` and `setpriv` (util-linux), where bubblewrap is missing. */
import { existsSync } from "node:fs";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import { isWithin } from "../../workspace/within.ts";
import { ENTER_SCRIPT, FIRST_SCRIPT, MOUNTS_SCRIPT } from "./namespace-scripts.ts";
import { MEMORY_FOLDER, SETTINGS, type Mount, type Person, type View } from "./view.ts";

const NAMESPACES = "--user --map-root-user --mount --propagation slave --pid --ipc --uts --cgroup".split(" ");
const UNTIL_PARENT_ENDS = ["setpriv", "--pdeathsig", "KILL", "--"];

/** See `WallCall`. */
export function namespaceCommand({ mounts, folder, isOnline }: View, { uid, gid }: Person): [string, ...string[]] {
  const kinds = new Map(mounts.map(({ path, kind }) => [path, kind]));
  const writable = [...kinds.values()].filter((kind) => kind === "write").length;
  const scripts = [FIRST_SCRIPT, "sh", ENTER_SCRIPT, MOUNTS_SCRIPT];
  const values = [String(uid), String(gid), folder, String(writable), SETTINGS.join(" "), String(MEMORY_FOLDER)];
  const network = isOnline === true ? "open" : "none";
  const taken = isOnline === true ? NAMESPACES : [...NAMESPACES, "--net"];
  return ["unshare", ...taken, "--", ...UNTIL_PARENT_ENDS, "sh", "-c", ...scripts, ...values, network];
}

/** Four words for each mount: its kind, its path, what is shown there, and what the mount allows. */
export function namespaceArguments({ mounts }: View): string[] {
  const machine = mountsOf(readRegularTextSync("/proc/self/mountinfo"));
  return mounts.flatMap((mount) => mountWords(mount, machine));
}

interface MachineMount {
  readonly path: string;
  readonly options: readonly string[];
}

function mountWords(mount: Mount, machine: readonly MachineMount[]): string[] {
  const { kind, path } = mount;
  if (kind === "link") return [kind, path, mount.target, ""];
  if (kind === "nothing") return [kind, path, "", ""];
  if (kind === "write") return [kind, path, mount.from, ""];
  if (!("from" in mount) && !existsSync(path)) return [];
  const from = "from" in mount ? mount.from : path;
  // A disk that is mounted inside comes along, and has rights of its own.
  const inside = machine.filter((each) => each.path !== from && isWithin(each.path, from));
  const own = [kind, path, from, readOnly(machine.findLast((each) => isWithin(from, each.path)))];
  return own.concat(inside.flatMap((each) => ["shut", path + each.path.slice(from.length), "", readOnly(each)]));
}

/** What is forbidden on a disk stays forbidden: nobody without rights may allow it. */
function readOnly(mount: MachineMount | undefined): string {
  return ["ro", "nosuid", "nodev", ...(mount?.options.includes("noexec") === true ? ["noexec"] : [])].join(",");
}

function mountsOf(mountinfo: string): MachineMount[] {
  return mountinfo
    .split("\n")
    .map((line) => line.split(" "))
    .flatMap(([, , , , path, options]) =>
      path === undefined ? [] : [{ path: unescaped(path), options: options?.split(",") ?? [] }],
    )
    .toSorted((a, b) => a.path.length - b.path.length);
}

/** Blanks, tabs, line ends and backslashes of a path are written as their octal codes, byte by byte. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 8)));
}
