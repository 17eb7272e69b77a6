/** Which process answers on an inspector, and why it is not attached. */
import { hostname } from "node:os";
import { plainLine } from "../../workspace/plain-text.ts";
import { EXIT } from "../exit-codes.ts";
import { NoInspector, type Address, type InspectorClient } from "./inspector-client.ts";
import { listenersOf, nodeProcess, type NodeProcess } from "./node-process.ts";

/** Why the process is not attached, as a sentence. */
export class Refused extends Error {
  readonly code: number;

  constructor(message: string, code: number = EXIT.failed) {
    super(message);
    this.code = code;
  }
}

export function known(node: NodeProcess | string): NodeProcess {
  if (typeof node === "string") throw new Refused(node);
  return node;
}

interface Identity {
  readonly pid: number;
  readonly node: string;
  readonly other: string | null;
  readonly machine: string;
  readonly user: number | null;
}

const WHO = `JSON.stringify({
  pid: process.pid, node: process.versions.node, user: process.getuid?.() ?? null,
  other: process.versions.deno ? "Deno" : process.versions.bun ? "Bun" : process.versions.electron ? "Electron" : null,
  machine: process.getBuiltinModule?.("node:os").hostname() ?? null
})`;
const OLDEST = [22, 15] as const;

/** The id of the process that answers, when it is the one that is meant and can be attached. */
export async function identified(client: InspectorClient, { host, port }: Address, meant?: number): Promise<number> {
  const told = parsed<Identity>(await client.evaluate(WHO));
  const { pid } = told;
  if (pid === undefined || !Number.isInteger(pid) || typeof told.node !== "string")
    throw new Refused(
      `What answers on ${host}:${port} is no Node that runs: with --inspect-brk it waits for a debugger.`,
    );
  if (typeof told.other === "string") throw new Refused(`Process ${pid} is ${plainLine(told.other, 20)}, and no Node.`);
  if (meant !== undefined && pid !== meant)
    throw new Refused(`The inspector on ${host}:${port} is that of process ${pid}, and not of ${meant}.`);
  const [major = 0, minor = 0] = told.node.split(".").map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    throw new Refused(`Process ${pid} is Node ${plainLine(told.node, 20)}: Node 22.15 or newer is needed.`);
  if (told.machine !== hostname()) throw new Refused(`What answers on ${host}:${port} is on another machine.`);
  if (told.user !== process.getuid?.()) throw new Refused(`Process ${pid} is another user's.`);
  if (process.platform === "linux") {
    known(nodeProcess(pid));
    if (!listenersOf(pid).some((each) => each.port === port))
      throw new Refused(`What answers on ${host}:${port} says that it is process ${pid}, which has no such port here.`);
  }
  // A module that is loaded now would keep the process longer than it can be held.
  await client.settled("new Promise((turned) => setTimeout(turned, 0))");
  return pid;
}

export function parsed<T extends object>(text: unknown): Partial<T> {
  try {
    const value: unknown = JSON.parse(String(text));
    if (typeof value === "object" && value !== null) return value;
  } catch {}
  throw new NoInspector("what answers is no Node");
}
