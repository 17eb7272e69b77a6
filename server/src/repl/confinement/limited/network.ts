/**
 * Whether the image has a network, and what takes it away: Node's own permission from 26 on, before that a network
 * namespace of Linux where the system lets this user make one. Both are asked for at the start of the image.
 */
import { spawn } from "../../../process/spawn.ts";
import { isWithin } from "../../../workspace/shown-path.ts";

export type Network = "open" | "none";

/** What the image's start is wrapped in, and the words for its state. */
export interface NetworkWall {
  readonly network: Network;
  /** The command that starts the Node which follows it; empty for none. */
  readonly prefix: readonly string[];
  /** A clause of the status sentence. */
  readonly detail: string;
}

export const OPEN_NETWORK: NetworkWall = { network: "open", prefix: [], detail: "the network is open" };

const LIMIT_MS = 3000;

/** Answers without asking the system: what the status says before the first start. */
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
  // What the other place gives is its own business: a namespace made there could be anybody's.
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

/** Sockets of the desktop session, of containers and of databases lie here; a socket file is reached without a network. */
const SOCKETS = "/run";

/**
 * Every program here ends by becoming the next, so the image keeps the process id of the first. The inner namespace
 * gives the person's own user id back and takes away the rights that making the outer one brought.
 */
function namespacePrefix(used: readonly string[]): string[] {
  const hide = used.some((path) => isWithin(path, SOCKETS)) ? "" : `mount -t tmpfs -o ro,size=4k none ${SOCKETS};`;
  // Nobody waits for the first: Node needs ten times as long until it can ask for an address. In a shell of its own it is
  // nobody's child when it ends, least of all the image's.
  const prepare = `( ip link set lo up & ${hide} ) 2>/dev/null;`;
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (uid === 0) return ["unshare", "--net", "--mount", "--", "sh", "-c", `${prepare} exec "$@"`, "sh"];
  const back = `exec unshare --user --map-user=${uid} --map-group=${gid} -- "$@"`;
  const rights = ["--user", "--map-root-user", "--net", "--mount"];
  return ["unshare", ...rights, "--", "sh", "-c", `${prepare} ${back}`, "sh"];
}

const known = new Map<string, Promise<boolean>>();

/** Asked once: what the system permits a person stays as it is while a server runs. */
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
