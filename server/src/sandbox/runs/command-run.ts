/** One command over a layer of its own: the person's unsaved text goes in, what the command printed and wrote comes out. */
import { lstatSync } from "node:fs";
import { join, relative } from "node:path";
import { given } from "../../base/given.ts";
import { readRegularBytes } from "../../workspace/regular-file.ts";
import { isWithin } from "../../workspace/within.ts";
import { closedName } from "../../workspace/secret-names.ts";
import { keepOnly } from "../layer/kept-layers.ts";
import { KeptOutput } from "../layer/kept-output.ts";
import { layerChanges, type LayerChange } from "../layer/layer-changes.ts";
import type { Layer } from "../layer/layer.ts";
import type { LayerRunEnd } from "./run-in-layer.ts";
import type { Sandbox } from "../sandbox.ts";
import { FILLED_FOLDERS } from "../../workspace/file-names.ts";

export interface CommandRequest {
  /** A line for the shell. */
  readonly command: string;
  /** Where the command begins: an absolute real path. */
  readonly folder: string;
  readonly timeoutMs: number;
  /** The id of an earlier run, on whose layer this one goes on. */
  readonly continues?: string;
  /** What the command may reach of the network. */
  readonly hosts: readonly string[];
  /** What open documents hold that the disk does not, by their absolute real path. */
  readonly unsaved: ReadonlyMap<string, string>;
}

/** The origin of the run: the layer, when the first run over it began, and the id by which it was kept. */
interface Ground {
  readonly layer: Layer;
  readonly firstAt: number;
  readonly id?: string;
}

export interface WrittenPath extends LayerChange {
  /** Absolute: the path in the project. */
  readonly absolute: string;
  /** What is in it is not told. */
  readonly isWhole: boolean;
  /** The bytes that the command left; rejects where there is no file. */
  readonly read: () => Promise<Buffer>;
  /** The place of the bytes in the layer. */
  readonly inLayer: string;
}

export interface CommandRun {
  readonly end: LayerRunEnd;
  readonly timedOut: boolean;
  readonly durationMs: number;
  readonly output: ReturnType<KeptOutput["text"]>;
  /** When the command began, in milliseconds since 1970. */
  readonly begunAt: number;
  /** When the first run over the layer began. */
  readonly firstAt: number;
  /** Every path in the folder of the layer, by absolute paths of the project, as `written` has them. */
  readonly changesIn: (absolute: string) => Promise<readonly WrittenPath[]>;
  /**
   * Keeps the layer with nothing in it but these absolute paths, for a run that goes on, and answers its id.
   * Undefined where the layer cannot be kept.
   */
  readonly keep: (paths: readonly string[]) => Promise<string | undefined>;
  readonly written: readonly WrittenPath[];
  /** A sentence for each host that the command could not reach. */
  readonly denials: readonly string[];
}

/**
 * Calls `use` with the outcome while the layer is still there, and drops the layer then, unless `use` has kept it.
 * Rejects with the signal's reason once it aborts: what the command wrote is dropped.
 */
export async function runCommand<Result>(
  sandbox: Sandbox,
  request: CommandRequest,
  signal: AbortSignal,
  use: (run: CommandRun) => Promise<Result>,
): Promise<Result> {
  const ground = groundOf(sandbox, request.continues);
  if (typeof ground === "string") return use(refused(ground));
  const { layer, firstAt, id } = ground;
  let isKept = false;
  const keep: CommandRun["keep"] = async (paths) => {
    for (const root of layer.roots) {
      const own = paths.filter((path) => isWithin(path, root.root)).map((path) => relative(root.root, path));
      if (!(await keepOnly(root, own))) return undefined;
    }
    isKept = true;
    return sandbox.keep(layer, firstAt, id);
  };
  try {
    for (const [absolute, text] of request.unsaved) await layer.lay(absolute, text);
    const run = await runOver(sandbox, layer, request, signal);
    signal.throwIfAborted();
    const changesIn: CommandRun["changesIn"] = (absolute) => writtenIn(layer, { below: absolute }, signal);
    return await use({ ...run, firstAt, keep, changesIn });
  } finally {
    if (!isKept) await sandbox.drop(layer);
  }
}

function groundOf(sandbox: Sandbox, continues: string | undefined): Ground | string {
  if (continues === undefined) return { layer: sandbox.open(), firstAt: Date.now() };
  const kept = sandbox.take(continues);
  return typeof kept === "string" ? kept : { layer: kept.layer, firstAt: kept.begunAt, id: kept.id };
}

function refused(reason: string): CommandRun {
  return {
    end: { kind: "refused", reason },
    timedOut: false,
    durationMs: 0,
    output: { text: "", left: 0 },
    begunAt: 0,
    firstAt: 0,
    written: [],
    denials: [],
    changesIn: async () => [],
    keep: async () => undefined,
  };
}

async function runOver(
  sandbox: Sandbox,
  layer: Layer,
  { command, folder, timeoutMs, hosts, unsaved }: CommandRequest,
  signal: AbortSignal,
): Promise<Omit<CommandRun, "firstAt" | "keep" | "changesIn">> {
  const limit = AbortSignal.timeout(timeoutMs);
  const kept = new KeptOutput();
  const begunAt = Date.now();
  const began = performance.now();
  const network = hosts.length === 0 ? undefined : await sandbox.network(layer, hosts);
  const end = await sandbox.run({
    layer,
    folder,
    command: ["sh", "-c", command],
    onOutput: (stream, chunk) => kept.take(stream, chunk),
    signal: AbortSignal.any([signal, limit]),
    ...given({ network }),
  });
  network?.dispose();
  const denials = network?.denials() ?? [];
  const durationMs = performance.now() - began;
  const written = end.kind === "ended" ? await writtenIn(layer, { unsaved }, signal) : [];
  return {
    end,
    timedOut: limit.aborted && !signal.aborted,
    durationMs,
    output: kept.text(),
    begunAt,
    written,
    denials,
  };
}

interface Wanted {
  /** What was laid over files; null for one that was taken away. */
  readonly unsaved?: ReadonlyMap<string, string | null>;
  /** An absolute path: only what is there, all of it. */
  readonly below?: string;
}

export async function writtenIn(layer: Layer, { unsaved, below }: Wanted, signal: AbortSignal): Promise<WrittenPath[]> {
  const isFolder = (path: string): boolean => layer.roots.some(({ upper }) => isFolderNow(join(upper, path)));
  const isSkipped = (path: string): boolean => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return FILLED_FOLDERS.has(name) || closedName(path.split("/"), isFolder(path)) !== undefined;
  };
  const all: WrittenPath[] = [];
  for (const root of layer.roots) {
    if (below !== undefined && !isWithin(below, root.root)) continue;
    const from = below === undefined ? undefined : relative(root.root, below);
    const options = { isSkipped: from === undefined ? isSkipped : () => false, signal, ...given({ from }) };
    for (const change of await layerChanges(root, options)) {
      const absolute = join(root.root, change.path);
      const inLayer = join(root.upper, change.path);
      const read = (): Promise<Buffer> => readRegularBytes(inLayer);
      const laid = unsaved?.get(absolute);
      const isOurs = laid !== undefined && change.after?.kind === "file" && (await read()).toString("utf8") === laid;
      if (!isOurs)
        all.push({ ...change, absolute, isWhole: from === undefined && isSkipped(change.path), read, inLayer });
    }
  }
  return all;
}

/** A place below what is a file by now does not exist. */
function isFolderNow(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
