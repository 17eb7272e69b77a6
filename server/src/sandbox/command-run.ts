/** One command over a layer of its own: the person's unsaved text goes in, what the command printed and wrote comes out. */
import { join } from "node:path";
import { readRegularBytes } from "../workspace/regular-file.ts";
import { closedName } from "../workspace/secret-names.ts";
import { KeptOutput } from "./kept-output.ts";
import { layerChanges, type LayerChange } from "./layer-changes.ts";
import type { Layer } from "./layer.ts";
import type { LayerRunEnd } from "./run-in-layer.ts";
import type { Sandbox } from "./sandbox.ts";

export interface CommandRequest {
  /** A line for the shell. */
  readonly command: string;
  /** Where the command begins: an absolute real path. */
  readonly folder: string;
  readonly timeoutMs: number;
  /** What open documents hold that the disk does not, by their absolute real path. */
  readonly unsaved: ReadonlyMap<string, string>;
}

export interface WrittenPath extends LayerChange {
  /** Absolute, where the path stands in the project. */
  readonly absolute: string;
  /** What is in it is not told. */
  readonly isWhole: boolean;
  /** The bytes that the command left; rejects where there is no file. */
  readonly read: () => Promise<Buffer>;
}

export interface CommandRun {
  readonly end: LayerRunEnd;
  readonly timedOut: boolean;
  readonly durationMs: number;
  readonly output: ReturnType<KeptOutput["text"]>;
  /** When the command began, in milliseconds since 1970. */
  readonly begunAt: number;
  readonly written: readonly WrittenPath[];
}

/** Installed or kept by programs: nobody reviews what is in them. */
const WHOLE = new Set(["node_modules", ".git"]);

/**
 * Calls `use` with the outcome while the layer still stands, and drops the layer then. Rejects with the signal's reason once it
 * aborts: what the command wrote is dropped.
 */
export async function runCommand<Result>(
  sandbox: Sandbox,
  request: CommandRequest,
  signal: AbortSignal,
  use: (run: CommandRun) => Promise<Result>,
): Promise<Result> {
  const layer = sandbox.open();
  try {
    for (const [absolute, text] of request.unsaved) await layer.lay(absolute, text);
    const run = await runOver(sandbox, layer, request, signal);
    signal.throwIfAborted();
    return await use(run);
  } finally {
    await sandbox.drop(layer);
  }
}

async function runOver(
  sandbox: Sandbox,
  layer: Layer,
  { command, folder, timeoutMs, unsaved }: CommandRequest,
  signal: AbortSignal,
): Promise<CommandRun> {
  const limit = AbortSignal.timeout(timeoutMs);
  const kept = new KeptOutput();
  const begunAt = Date.now();
  const began = performance.now();
  const end = await sandbox.run({
    layer,
    folder,
    command: ["sh", "-c", command],
    onOutput: (stream, chunk) => kept.take(stream, chunk),
    signal: AbortSignal.any([signal, limit]),
  });
  const durationMs = performance.now() - began;
  const written = end.kind === "ended" ? await writtenIn(layer, unsaved, signal) : [];
  return { end, timedOut: limit.aborted && !signal.aborted, durationMs, output: kept.text(), begunAt, written };
}

export async function writtenIn(
  layer: Layer,
  unsaved: ReadonlyMap<string, string | null>,
  signal: AbortSignal,
): Promise<WrittenPath[]> {
  const isSkipped = (path: string): boolean => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return WHOLE.has(name) || closedName([name]) !== undefined;
  };
  const all: WrittenPath[] = [];
  for (const root of layer.roots) {
    for (const change of await layerChanges(root, { isSkipped, signal })) {
      const absolute = join(root.root, change.path);
      const read = (): Promise<Buffer> => readRegularBytes(join(root.upper, change.path));
      const laid = unsaved.get(absolute);
      const isOurs = laid !== undefined && change.after?.kind === "file" && (await read()).toString("utf8") === laid;
      if (!isOurs) all.push({ ...change, absolute, isWhole: isSkipped(change.path), read });
    }
  }
  return all;
}
