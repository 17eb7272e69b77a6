/**
 * The Seatbelt of macOS (`sandbox-exec`) around an image that Node's permissions hold: the kernel refuses what code in
 * Node could do past the permissions. Seatbelt is only trusted when a probe behind it was refused everything, at the
 * first start of an image, because these lines were written without access to a Mac.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { errorText } from "../../../base/errors.ts";
import { makeOwnFolder } from "../../../process/own-folder.ts";
import { spawn } from "../../../process/spawn.ts";
import { given } from "../../../base/given.ts";
import type { SeatbeltPlaces } from "../../child/limited/seatbelt-probe.ts";
import { CHILD_EXTENSION, CHILD_FOLDER } from "../../child-folder.ts";
import type { Network } from "./network.ts";

export interface Belt {
  /** Absolute real path, as Seatbelt judges paths. Nothing else can be written to. */
  readonly scratch: string;
  /** Absolute real paths of files and folders that cannot be read. */
  readonly closed: readonly string[];
  readonly network: Network;
}

/** `held` answers the command that starts the following Node. `reason` is a clause. */
export type FoundSeatbelt =
  | { readonly kind: "held"; readonly held: (belt: Belt) => readonly string[] }
  | { readonly kind: "none"; readonly reason: string };

export interface SeatbeltOptions {
  readonly nodePath: string;
  readonly network: Network;
  /** A program to use instead of that of macOS. */
  readonly program?: string;
  readonly limitMs?: number;
}

const PROBE = join(CHILD_FOLDER, `limited/seatbelt-probe${CHILD_EXTENSION}`);
const HELD = "held";
const SANDBOX_EXEC = "/usr/bin/sandbox-exec";
const LIMIT_MS = 5_000;

/** The later of two matching rules holds. Node's permissions narrow reading; the rules here only keep things back. */
export function seatbeltProfile({ scratch, closed, network }: Belt): string {
  const places = closed.map((path) => `(subpath ${quoted(path)})`);
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* (subpath ${quoted(scratch)}) (literal "/dev/null"))`,
    ...(places.length === 0 ? [] : [`(deny file-read* ${places.join(" ")})`]),
    "(deny process-fork)",
    "(deny signal)",
    "(allow signal (target self))",
    ...(network === "open" ? [] : ["(deny network*)"]),
  ].join("\n");
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;
}

const known = new Map<string, Promise<FoundSeatbelt>>();

/** Tries Seatbelt once for each combination: the answer does not change while a server runs. Never rejects. */
export function findSeatbelt(options: SeatbeltOptions): Promise<FoundSeatbelt> {
  const { nodePath, network, program = SANDBOX_EXEC } = options;
  const key = [program, nodePath, network].join("\n");
  const found = known.get(key) ?? tryOut(options);
  known.set(key, found);
  return found;
}

async function tryOut(options: SeatbeltOptions): Promise<FoundSeatbelt> {
  const { nodePath, network, program = SANDBOX_EXEC, limitMs = LIMIT_MS } = options;
  const held = (belt: Belt): readonly string[] => [program, "-p", seatbeltProfile(belt)];
  let folder: string | undefined;
  let listener: Server | undefined;
  try {
    folder = makeOwnFolder("agentq-seatbelt-");
    const [scratch, closed] = [join(folder, "scratch"), join(folder, "closed")];
    mkdirSync(scratch);
    writeFileSync(closed, "x");
    listener = await listening();
    const port = network === "open" ? undefined : (listener.address() as AddressInfo).port;
    const places: SeatbeltPlaces = { folder, scratch, closed, ...given({ port }) };
    const command = [...held({ scratch, closed: [closed], network }), nodePath, PROBE, JSON.stringify(places)];
    const said = await outputOf(command, limitMs);
    return said === HELD ? { kind: "held", held } : { kind: "none", reason: `Seatbelt did not hold: ${said}` };
  } catch (error) {
    return { kind: "none", reason: `Seatbelt could not be tried: ${errorText(error)}` };
  } finally {
    listener?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function listening(): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

/** The output of the probe; for a program that ended without output, how it ended. */
function outputOf(command: readonly string[], timeout: number): Promise<string> {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], timeout, killSignal: "SIGKILL" });
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (more: string) => {
      text += more;
    });
    child.once("error", (error) => resolve(errorText(error)));
    child.once("close", (code, signal) => resolve(text.trim() || `the probe ended with ${signal ?? `code ${code}`}`));
  });
}
