/**
 * A separate program. It tries what Seatbelt shall refuse, and prints "held", or what was not refused. argv[2] names
 * the places, as JSON.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { connect } from "node:net";

export interface SeatbeltPlaces {
  /** The folder in which nothing may be written, except in `scratch`, which is inside of it. */
  readonly folder: string;
  readonly scratch: string;
  /** A file of the folder that may not be read. */
  readonly closed: string;
  /** A port of 127.0.0.1 on which somebody listens; undefined where the network shall be open. */
  readonly port?: number;
}

const { folder, scratch, closed, port } = JSON.parse(process.argv[2] ?? "") as SeatbeltPlaces;
const wrong: string[] = [];
if (!goesThrough(() => writeFileSync(`${scratch}/a`, "x"))) wrong.push("the scratch folder cannot be written to");
attempt("a file was written outside", () => writeFileSync(`${folder}/a`, "x"));
attempt("a file was moved outside", () => renameSync(`${scratch}/a`, `${folder}/b`));
attempt("a file was changed outside", () => writeFileSync(closed, "y"));
attempt("a closed file was read", () => readFileSync(closed));
attempt("another process was reached by a signal", () => process.kill(process.ppid, 0));
if (await isStarted()) wrong.push("a program was started");
if (port !== undefined && (await isReached(port))) wrong.push("the network was reached");
process.stdout.write(wrong.length === 0 ? "held" : wrong.join(", "));

function attempt(whatWentThrough: string, what: () => unknown): void {
  if (goesThrough(what)) wrong.push(whatWentThrough);
}

function goesThrough(what: () => unknown): boolean {
  try {
    what();
    return true;
  } catch {
    return false;
  }
}

function isStarted(): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const child = process
        .getBuiltinModule("node:child_process")
        .spawn(process.execPath, ["--version"], { stdio: "ignore" });
      child.once("error", () => resolve(false));
      child.once("spawn", () => resolve(true));
    } catch {
      resolve(false);
    }
  });
}

function isReached(at: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(at, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
