/** Runs one program behind the wall, over a layer, until the program and everything it started has ended. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { killWithGroup, spawn } from "../../process/spawn.ts";
import type { Closing } from "../places/closing.ts";
import { Gate, gated } from "./gate.ts";
import type { Layer } from "../layer/layer.ts";
import { nothingInherited } from "../inherited-descriptors.ts";
import { DiskWatch, type Limits } from "../wall/limits.ts";
import { mountCommand } from "../wall/mount-script.ts";
import type { View } from "../wall/view.ts";
import { readWallStatus } from "../wall/wall-status.ts";
import { wallPath } from "../wall/wall-path.ts";
import { wallCall, type Wall } from "../wall/wall.ts";

/** So long what a stopped program wrote may be looked through. */
const LAST_LOOK_MS = 30_000;

export interface LayerRun {
  readonly layer: Layer;
  readonly view: View;
  /** The program behind the wall and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly wall: Wall;
  readonly limits: Limits;
  /** For a program that sees more than the layer: keeps closed what is closed to the program. Belongs to the caller. */
  readonly closing?: Closing;
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Buffer) => void;
  /** Called when the wall stands and the program begins. */
  readonly onBegun?: () => void;
  /** Stops the program; what it wrote until then stays. */
  readonly signal: AbortSignal;
}

export type LayerRunEnd =
  /** `code` is 128 and a signal's number where the signal ended the program. */
  | { readonly kind: "ended"; readonly code: number; readonly isStopped: boolean; readonly isDiskFull?: true }
  /** The program never ran. `isSetUp`: what shows the program its files failed, in the words of the one that does. */
  | { readonly kind: "refused"; readonly reason: string; readonly isSetUp?: true };

const STOPPED_EARLY = "it was stopped before it began";

/** Rejects where the disk refuses. Afterwards nothing of the run lives, and `LayerRoot.seen` tells what the run left. */
export async function runInLayer(run: LayerRun): Promise<LayerRunEnd> {
  const { layer, view, command, env, wall, limits, closing, onOutput, signal } = run;
  const statusFile = join(layer.folder, "status");
  const person = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const call = wallCall(wall, view, person, layer.folder);
  const path = wallPath(env, view, [view.folder]);
  await writeFile(statusFile, "");
  await writeFile(join(layer.folder, "wall.arguments"), call.words.map((word) => `${word}\0`).join(""));
  if (signal.aborted) return { kind: "refused", reason: STOPPED_EARLY };
  const [program, ...args] = mountCommand(layer.folder, limits, [
    ...(closing?.command ?? []),
    ...call.command,
    ...path.before,
    ...gated(command),
  ]);
  const child = spawn(program, args, {
    cwd: layer.folder,
    env: path.env,
    stdio: [
      "pipe",
      "pipe",
      "pipe",
      ...(closing === undefined ? nothingInherited() : (["ignore", ...closing.stdio] as const)),
    ],
    detached: true,
  });
  closing?.begun(child);
  const gate = new Gate(child, run.onBegun);
  let said = "";
  for (const stream of ["stdout", "stderr"] as const) {
    const decoder = new StringDecoder("utf8");
    child[stream]?.on("data", (raw: Buffer) => {
      const chunk = stream === "stdout" ? gate.pass(raw) : raw;
      if (chunk.length === 0) return;
      if (gate.isOpen) onOutput(stream, chunk);
      else if (said.length < 2000) said += decoder.write(chunk);
    });
  }
  const { promise: ended, resolve } = Promise.withResolvers<string | undefined>();
  child.once("error", (error) => resolve(`${program} could not be started: ${error.message}`));
  child.once("close", () => resolve(undefined));
  child.once("exit", () => killWithGroup(child));
  const stop = (): void => void stopProgram(statusFile, () => killWithGroup(child), ended);
  signal.addEventListener("abort", stop, { once: true });
  let isDiskFull = false;
  const watch = new DiskWatch(layer.folder, limits.freeBytes, () => {
    isDiskFull = true;
    stop();
  });
  const failure = await ended;
  watch.end();
  signal.removeEventListener("abort", stop);
  const { code } = await readWallStatus(statusFile);
  if (code !== undefined && !layer.roots.every(({ seen }) => existsSync(seen))) {
    return { kind: "refused", reason: "the wall was ended from outside, and nothing that was written is kept" };
  }
  if (code !== undefined) {
    return { kind: "ended", code, isStopped: signal.aborted, ...(isDiskFull ? { isDiskFull } : {}) };
  }
  if (failure !== undefined || signal.aborted) return { kind: "refused", reason: failure ?? STOPPED_EARLY };
  return { kind: "refused", reason: said.trim(), isSetUp: true };
}

/** The first process of the program's own process namespace: when it goes, all others do. */
async function stopProgram(statusFile: string, killAll: () => void, ended: Promise<unknown>): Promise<void> {
  const { pid } = await readWallStatus(statusFile);
  // Between the mounts and the program there is nothing worth keeping.
  if (pid === undefined) return killAll();
  const giveUp = setTimeout(killAll, LAST_LOOK_MS);
  void ended.then(() => clearTimeout(giveUp));
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
