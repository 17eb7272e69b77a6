/** Whether this machine can wall programs in, found out by doing so once, and what to do where it cannot. */
import { access, constants, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { searchFolders } from "../process/search-path.ts";
import { readRegularText } from "../workspace/regular-file.ts";
import { errorText } from "../base/errors.ts";
import { Layer } from "./layer/layer.ts";
import { LIMITS } from "./wall/limits.ts";
import { machineMounts } from "./places/machine-places.ts";
import { runInLayer } from "./runs/run-in-layer.ts";
import type { Wall } from "./wall/wall.ts";

export type FoundWall =
  | { readonly kind: "walled"; readonly wall: Wall }
  /** `reason` is a sentence; `remedy` says what the person can type or set, where anything helps. */
  | { readonly kind: "none"; readonly reason: string; readonly remedy?: string };

export interface WallOptions {
  readonly env: Readonly<Record<string, string>>;
  /** A folder of the project, over which a layer is tried. */
  readonly folder: string;
  /** Only this wall is tried, in place of the best one. */
  readonly only?: Wall["kind"];
  readonly platform?: NodeJS.Platform;
}

const LIMIT_MS = 10_000;
const BUBBLEWRAP = ", for example: sudo apt install bubblewrap (or dnf, pacman, apk).";

/** Rejects where the disk refuses. */
export async function findWall({ env, folder, only, platform = process.platform }: WallOptions): Promise<FoundWall> {
  if (platform !== "linux") {
    const reason = `Programs are walled in on Linux only; this is ${platform}.`;
    const where = platform === "win32" ? "in WSL 2" : "in a Linux container or virtual machine";
    return { kind: "none", reason, remedy: `Run the server ${where}.` };
  }
  const places = searchFolders(env["PATH"] ?? "", [folder]);
  const program = only === "namespaces" ? undefined : await programIn(places, "bwrap");
  if (program === undefined && (await programIn(places, "unshare")) === undefined) {
    const reason = "Neither bubblewrap (bwrap) nor util-linux (unshare) is on PATH.";
    return { kind: "none", reason, remedy: `Install bubblewrap${BUBBLEWRAP}` };
  }
  const wall: Wall = program === undefined ? { kind: "namespaces" } : { kind: "bubblewrap", program };
  const problem = await tryOut(wall, env, folder);
  if (problem === undefined) return { kind: "walled", wall };
  const reason = `This system lets no program be walled in: ${problem.replace(/\.$/, "")}.`;
  const remedy = await remedyHere();
  return { kind: "none", reason, ...(remedy === undefined ? {} : { remedy }) };
}

/** Why a program cannot run in a layer over the folder; undefined when one did. */
async function tryOut(wall: Wall, env: WallOptions["env"], folder: string): Promise<string | undefined> {
  const layer = layerOver(folder);
  if (typeof layer === "string") return layer;
  const machine = machineMounts({ home: env["HOME"] ?? homedir(), path: env["PATH"] ?? "", programs: [], layer });
  try {
    const end = await runInLayer({
      layer,
      view: {
        mounts: [
          ...machine,
          ...layer.roots.map(({ root, merged }) => ({ kind: "write", path: root, from: merged }) as const),
        ],
        folder,
      },
      command: ["true"],
      env,
      wall,
      limits: LIMITS,
      onOutput: () => undefined,
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (end.kind === "refused") return end.reason.split("\n").at(-1) ?? "";
    return end.code === 0 ? undefined : `a program in it ended with code ${end.code}`;
  } finally {
    await layer.dispose().catch(() => undefined);
  }
}

function layerOver(folder: string): Layer | string {
  try {
    return new Layer([folder]);
  } catch (error) {
    return errorText(error);
  }
}

/** The settings that distributions and containers keep user namespaces closed with. */
async function remedyHere(): Promise<string | undefined> {
  const setting = async (name: string): Promise<string> =>
    (await readRegularText(join("/proc/sys", name)).catch(() => "")).trim();
  if ((await setting("kernel/apparmor_restrict_unprivileged_userns")) === "1") {
    return "AppArmor keeps user namespaces closed here: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or a profile for bwrap that allows userns.";
  }
  if ((await setting("kernel/unprivileged_userns_clone")) === "0") {
    return "User namespaces are switched off: sudo sysctl kernel.unprivileged_userns_clone=1.";
  }
  if ((await setting("user/max_user_namespaces")) === "0") {
    return "User namespaces are switched off: sudo sysctl user.max_user_namespaces=15000.";
  }
  return "In a container, allow user namespaces and mounts: with Docker, --security-opt seccomp=unconfined --security-opt apparmor=unconfined.";
}

async function programIn(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const program = join(folder, name);
    // A folder passes for something that may be executed, too.
    const isThere = await access(program, constants.X_OK).then(
      async () => (await stat(program)).isFile(),
      () => false,
    );
    if (isThere) return program;
  }
  return undefined;
}
