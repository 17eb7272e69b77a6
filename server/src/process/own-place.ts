/**
 * Folders outside of every project that outlive a process: of compiled code, the database, sockets. What another user
 * could have put there would run, or be believed, as the person's own. So a folder is made, and judged, here alone.
 */
import { existsSync, lstatSync, mkdirSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { readRegularTextSync } from "../workspace/regular-file.ts";

const ONLY_OWNER = 0o700;
/** From a folder with this bit nobody takes away what is another's. */
const STICKY = 0o1000;

/** `problem` is the end of a sentence, and says what to do. */
export type OwnPlace = { readonly folder: string } | { readonly problem: string };

/**
 * The folder by its real path, which is made where it is missing; `others` are the rights that nobody else may have in it.
 * Throws what the disk says.
 */
export function ownPlace(named: string, others = 0o022): OwnPlace {
  if (!path.isAbsolute(named)) return { problem: `${named} is no absolute path` };
  makeFolder(named);
  const own = process.getuid?.();
  // The folders of Windows that a person's variables name are the person's own.
  if (own === undefined) return { folder: named };
  const folder = path.join(realpathSync(path.dirname(named)), path.basename(named));
  const stats = lstatSync(folder);
  if (stats.isSymbolicLink()) return { problem: `${named} is a link: put the folder itself there` };
  if (!stats.isDirectory()) return { problem: `${named} is no folder` };
  if (stats.uid !== own) return { problem: `${named} belongs to another user` };
  if ((stats.mode & others & ~(isOwnGroup(stats.gid) ? 0o070 : 0)) !== 0)
    return { problem: `others have rights in ${named}: chmod go= ${named}` };
  const problem = whoElseReplaces(path.dirname(folder));
  return problem === undefined ? { folder } : { problem };
}

/** Who else could put something in the place of what is in the folder, as the end of a sentence; undefined where nobody could. */
export function whoElseReplaces(folder: string): string | undefined {
  const own = process.getuid?.();
  if (own === undefined) return undefined;
  for (let at = realpathSync(folder); ; at = path.dirname(at)) {
    const stats = lstatSync(at);
    if (stats.uid !== own && stats.uid !== 0 && stats.uid !== unknownUser()) return `${at} belongs to another user`;
    if (mayOthersWrite(stats) && (stats.mode & STICKY) === 0) return `others may write into ${at}: chmod go-w ${at}`;
    if (at === path.dirname(at)) return undefined;
  }
}

/** In a container that knows few users, the system's own folders belong to this one, which nobody can be. */
function unknownUser(): number | undefined {
  try {
    const isEverybodyKnown = /^\s*0\s+0\s+4294967295\s*$/.test(
      readRegularTextSync("/proc/self/uid_map", { lossy: true }),
    );
    if (isEverybodyKnown) return undefined;
    return Number(readRegularTextSync("/proc/sys/kernel/overflowuid", { lossy: true }));
  } catch {
    return undefined;
  }
}

function mayOthersWrite({ mode, gid }: Stats): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isOwnGroup(gid));
}

function isOwnGroup(gid: number): boolean {
  try {
    return isPrivateGroup(
      gid,
      readRegularTextSync("/etc/group", { lossy: true }),
      readRegularTextSync("/etc/passwd", { lossy: true }),
    );
  } catch {
    return false;
  }
}

/**
 * Whether the group has this user alone in it, as where each user has a group of their own and new folders are open
 * to it. Who is in a group that these files do not name, nobody knows.
 */
export function isPrivateGroup(gid: number, groups: string, users: string, own = process.getuid?.() ?? 0): boolean {
  if (own === 0 || gid !== own) return false;
  const having = (lines: string, column: number): string[][] =>
    lines
      .split("\n")
      .map((line) => line.split(":"))
      .filter((fields) => fields[column] === String(gid));
  const [group, ...others] = having(groups, 2);
  const members = having(users, 3);
  const isAlone = members.length === 1 && members[0]?.[2] === String(own);
  const [name] = members[0] ?? [];
  const isNamed = (group?.[3] ?? "").split(",").every((member) => member === "" || member === name);
  return group !== undefined && others.length === 0 && isAlone && isNamed;
}

/** Node's own recursive mkdir never returns where the system lets nobody make folders, as below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: ONLY_OWNER });
  } catch (error) {
    // Another server may have made the folder meanwhile; a link to a missing place is not ours to fill.
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) throw error;
  }
}
