/**
 * Whether the image has a network, and how it is closed: by Node's own permission from Node 25 on, and before that by a
 * network namespace of Linux where the system lets this user make one. The start of the image asks for both.
 */
import { spawn } from "../../../process/spawn.ts";
import { isWithin } from "../../../workspace/within.ts";

export type Network = "open" | "none";

/** The command that wraps the image's start, and the words for the state of its network. */
export interface NetworkWall {
  readonly network: Network;
  /** The command that starts the following Node; empty for no command. */
  readonly prefix: readonly string[];
  /** A clause for the status sentence. */
  readonly detail: string;
}

export const OPEN_NETWORK: NetworkWall = { network: "open", prefix: [], detail: "the network is open" };

const LIMIT_MS = 3000;

/** The clause before the first start, from the version alone: the system is not asked. */
export function expectedNetwork(nodeVersion: string, wanted: Network): string {
  if (wanted === "open") return "the network is open by choice";
  if (hasNetworkPermission(nodeVersion)) return "no network";
  return "no network where this system permits a network namespace (tried at the start)";
}

export async function findNetworkWall(
  nodeVersion: string,
  wanted: Network,
  used: readonly string[],
  elsewhere?: readonly string[],
): Promise<NetworkWall> {
  if (wanted === "open" || hasNetworkPermission(nodeVersion)) {
    return { network: wanted, prefix: [], detail: expectedNetwork(nodeVersion, wanted) };
  }
  // The other place decides about its network: a namespace that is made there may belong to somebody else.
  if (elsewhere !== undefined)
    return { network: "open", prefix: [], detail: `the network is what ${elsewhere[0]} gives it` };
  const open = "the network is open: this Node cannot close it, and this system gives no network namespace";
  if (process.platform !== "linux") return { network: "open", prefix: [], detail: open };
  const prefix = namespacePrefix(used);
  if (!(await runsHere(prefix))) return { network: "open", prefix: [], detail: open };
  return { network: "none", prefix, detail: "no network but its own loopback, by a network namespace" };
}

export function hasNetworkPermission(nodeVersion: string): boolean {
  return Number(/\d+/.exec(nodeVersion)?.[0] ?? 0) >= 25;
}

/**
 * Sockets of the desktop session, of containers and of databases are in this folder; a socket file needs no network.
 */
const SOCKETS = "/run";

/**
 * Every program of this command ends by running the next one in its place, so the image keeps the first one's process
 * id. The inner namespace restores the person's own user id and drops the rights that the outer one brought.
 */
function namespacePrefix(used: readonly string[]): string[] {
  const hide = used.some((path) => isWithin(path, SOCKETS)) ? "" : `mount -t tmpfs -o ro,size=4k none ${SOCKETS};`;
  // The first command runs in the background: Node takes ten times as long until it can ask for an address. The command
  // has a shell of its own, so that it is not a child of the image when it ends.
  const prepare = `( ip link set lo up & ${hide} ) 2>/dev/null;`;
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (uid === 0) return ["unshare", "--net", "--mount", "--", "sh", "-c", `${prepare} exec "$@"`, "sh"];
  const back = `exec unshare --user --map-user=${uid} --map-group=${gid} -- "$@"`;
  const rights = ["--user", "--map-root-user", "--net", "--mount"];
  return ["unshare", ...rights, "--", "sh", "-c", `${prepare} ${back}`, "sh"];
}

const known = new Map<string, Promise<boolean>>();

/** Each prefix is tried once: the system's answer does not change while a server runs. */
function runsHere(prefix: readonly string[]): Promise<boolean> {
  const key = prefix.join("\n");
  const answer = known.get(key) ?? runs([...prefix, "true"]);
  known.set(key, answer);
  return answer;
}

function runs(command: readonly string[]): Promise<boolean> {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", timeout: LIMIT_MS });
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
}
