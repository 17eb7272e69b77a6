/**
 * A process of this machine as the system tells of it, before anything is said to the process: whose it is, whether it is a
 * Node that opens its inspector on SIGUSR1, and which ports it listens on. Only Linux tells all of that.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { constants } from "node:os";
import { basename } from "node:path";
import { readRegularTextSync } from "../../workspace/regular-file.ts";

export interface NodeProcess {
  readonly pid: number;
  /** The words of the command line. */
  readonly command: readonly string[];
  /** When the process began, as the system counts: another process with the same id began at another time. */
  readonly began: string;
  readonly opensOnSignal: boolean;
  /** The port of its inspector, as its options say; 0 for any. */
  readonly port: number;
  readonly isInspectedFromStart: boolean;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  readonly inode: string;
  readonly user: number;
}

export const DEFAULT_PORT = 9229;
const NODE = /^(?:node|nodejs)(?:-?\d[\w.-]*)?$/;
const OPTION = /^--inspect(?:-brk|-wait)?(?:=(.*))?$/;
const PORT_OPTION = /^--(?:inspect-port|debug-port)(?:=(.*))?$/;
const LISTENS = "0A";

/** A sentence where the process is none to be attached. `proc` is where the system tells of processes. */
export function nodeProcess(pid: number, proc = "/proc"): NodeProcess | string {
  const place = `${proc}/${pid}`;
  const status = readText(`${place}/status`);
  if (status === undefined) return `There is no process ${pid}.`;
  const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1] ?? "";
  const leader = field("Tgid");
  if (leader !== String(pid)) return `${pid} is a thread of process ${leader}: name the process.`;
  const users = field("Uid").split(/\s+/);
  const own = String(process.getuid?.());
  if (users.some((user) => user !== own)) return `Process ${pid} is another user's.`;
  if (field("State").startsWith("Z")) return `Process ${pid} has ended.`;
  const program = basename(linkOf(`${place}/exe`)?.replace(/ \(deleted\)$/, "") ?? "");
  if (!NODE.test(program)) {
    const what = program === "" ? "" : `: it runs ${program}`;
    return `Process ${pid} is not known to be Node${what}. Start it with --inspect, and name the port.`;
  }
  if (field("State").startsWith("T")) return `Process ${pid} is stopped: let it go on first (kill -CONT ${pid}).`;
  const command = wordsOf(readText(`${place}/cmdline`));
  const options = wordsOf(readText(`${place}/environ`))
    .filter((each) => each.startsWith("NODE_OPTIONS="))
    .flatMap((each) => each.slice("NODE_OPTIONS=".length).split(/\s+/));
  const caught = BigInt(`0x${field("SigCgt") || "0"}`);
  return {
    pid,
    command,
    began: beganOf(readText(`${place}/stat`)),
    opensOnSignal: ((caught >> BigInt(constants.signals.SIGUSR1 - 1)) & 1n) === 1n,
    ...inspectorOptions([...options, ...command.slice(1)]),
  };
}

export function isSame(process: NodeProcess, proc = "/proc"): boolean {
  return beganOf(readText(`${proc}/${process.pid}/stat`)) === process.began;
}

/** The ports that the process listens on. */
export function listenersOf(pid: number, proc = "/proc"): readonly Listener[] {
  let descriptors: string[];
  try {
    descriptors = readdirSync(`${proc}/${pid}/fd`);
  } catch {
    return [];
  }
  const open = new Set(
    descriptors.map((each) => /^socket:\[(\d+)\]$/.exec(linkOf(`${proc}/${pid}/fd/${each}`) ?? "")?.[1]),
  );
  return allListeners(`${proc}/${pid}`).filter(({ inode }) => open.has(inode));
}

/** Whoever listens on the port; `place` is a process as the system tells of it, in whose network is looked. */
export function allListeners(place = "/proc/self"): readonly Listener[] {
  return ["tcp", "tcp6"].flatMap((table) => {
    const [, ...lines] = (readText(`${place}/net/${table}`) ?? "").split("\n");
    return lines.flatMap((line): Listener[] => {
      const [, local = "", , state, , , , user, , inode = ""] = line.trim().split(/\s+/);
      const [address = "", port = ""] = local.split(":");
      if (state !== LISTENS) return [];
      return [{ host: hostOf(address), port: Number.parseInt(port, 16), inode, user: Number(user) }];
    });
  });
}

/** The inspector's own options, the last of which counts. */
function inspectorOptions(words: readonly string[]): Pick<NodeProcess, "port" | "isInspectedFromStart"> {
  let port = DEFAULT_PORT;
  let isInspectedFromStart = false;
  for (const [at, word] of words.entries()) {
    // What stands behind the script is the script's own.
    if (/\.[cm]?[jt]sx?$/.test(word) && !word.startsWith("-")) break;
    const inspect = OPTION.exec(word);
    const named = inspect?.[1] ?? (PORT_OPTION.test(word) ? (PORT_OPTION.exec(word)?.[1] ?? words[at + 1]) : undefined);
    if (inspect !== null) isInspectedFromStart = true;
    const [, digits] = /(?:^|:)(\d+)$/.exec(named ?? "") ?? [];
    if (digits !== undefined) port = Number(digits);
  }
  return { port, isInspectedFromStart };
}

/** The words of four bytes stand there in the machine's order. An address of all is reached on this machine itself. */
function hostOf(address: string): string {
  const words = address.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).toReversed());
  const last = bytes.slice(-4).map((byte) => Number.parseInt(byte, 16));
  const isMapped = words.length === 4 && /^0{20}f{4}$/i.test(bytes.slice(0, 12).join(""));
  if (words.length === 1 || isMapped) return last.every((byte) => byte === 0) ? "127.0.0.1" : last.join(".");
  const groups = Array.from({ length: 8 }, (_, at) => `${bytes[at * 2]}${bytes[at * 2 + 1]}`);
  return groups.every((group) => group === "0000")
    ? "::1"
    : groups
        .map((group) => group.replace(/^0{1,3}/, ""))
        .join(":")
        .replace(/^(?:0:){7}1$/, "::1");
}

/** Behind the name, which may have spaces and brackets, the 20th of the other fields. */
function beganOf(stat: string | undefined): string {
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function wordsOf(text: string | undefined): readonly string[] {
  return (text ?? "").split("\0").filter((word) => word !== "");
}

function readText(path: string): string | undefined {
  try {
    return readRegularTextSync(path, { lossy: true });
  } catch {
    return undefined;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
