/** A layer for several programs one after another, which get texts, leave texts, and whose other changes are only named. */
import { realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readRegularText } from "../../workspace/regular-file.ts";
import { isWithin } from "../../workspace/within.ts";
import { writtenIn } from "./command-run.ts";
import { makeFolder, removeTree, type Layer } from "../layer/layer.ts";
import type { LayerRunEnd } from "./run-in-layer.ts";
import type { Sandbox, SandboxRun } from "../sandbox.ts";

export interface RoomOptions {
  readonly sandbox: Sandbox;
  /** Files and folders outside of the project that programs read, by absolute paths. */
  readonly needed: readonly string[];
  /** What open documents hold that the disk does not, by their absolute real paths. */
  readonly unsaved: () => Promise<ReadonlyMap<string, string>>;
  /** Those of these paths that git ignores. */
  readonly ignored: (paths: readonly string[], signal: AbortSignal) => Promise<ReadonlySet<string>>;
}

/** Texts by absolute path; null for a file that is to be absent. */
export type LaidOver = ReadonlyMap<string, string | null>;

export interface LayerRoom {
  readonly run: (
    program: Pick<SandboxRun, "command" | "folder" | "env">,
    onOutput: SandboxRun["onOutput"],
    signal: AbortSignal,
  ) => Promise<LayerRunEnd>;
  readonly pathOf: (name: string) => string;
  readonly hand: (name: string, text: string) => Promise<string>;
  readonly left: (name: string) => Promise<string | undefined>;
  readonly written: () => Promise<readonly string[]>;
}

/** What is handed and left, in the `/tmp` of programs. */
const EXCHANGE = "agentq";
/** Programs that are about colours find them as in a terminal's environment. */
const COLOURS = ["env", "-u", "NO_COLOR"] as const;
const LOOK_LIMIT_MS = 10_000;

/** Answers what opens a room with these texts in it; the room goes when `use` has ended. */
export function layerRooms(
  options: RoomOptions,
): <Result>(texts: LaidOver, use: (room: LayerRoom) => Promise<Result>) => Promise<Result> {
  return async (texts, use) => {
    const layer = options.sandbox.open({ isOverPackages: true });
    try {
      const laid = new Map<string, string | null>([...(await options.unsaved()), ...texts]);
      for (const [absolute, text] of laid) await layer.lay(absolute, text);
      return await use(roomIn(layer, laid, options));
    } finally {
      await options.sandbox.drop(layer);
    }
  };
}

function roomIn(layer: Layer, laid: LaidOver, { sandbox, needed, ignored }: RoomOptions): LayerRoom {
  const exchange = join(layer.temporary, EXCHANGE);
  const pathOf = (name: string): string => join("/tmp", EXCHANGE, name);
  return {
    run: ({ command, folder, env = {} }, onOutput, signal) =>
      sandbox.run({ layer, command: [...COLOURS, ...command], folder, env, needed, onOutput, signal }),
    pathOf,
    // A program that ran before may have put a link in the place of the file or of the folder.
    hand: async (name, text) => {
      await makeFolder(exchange, 0o700);
      await removeTree(join(exchange, name));
      await writeFile(join(exchange, name), text, { flag: "wx" });
      return pathOf(name);
    },
    // A program may have put a link there, which would lead this process to a file of the person's.
    left: async (name) => {
      const real = await realpath(join(exchange, name)).catch(() => undefined);
      if (real === undefined || !isWithin(real, layer.temporary)) return undefined;
      return readRegularText(real, { lossy: true }).catch(() => undefined);
    },
    written: async () => {
      const limit = AbortSignal.timeout(LOOK_LIMIT_MS);
      try {
        const changes = (await writtenIn(layer, { unsaved: laid }, limit)).filter(
          ({ absolute, isWhole, after, before }) => {
            return !isWhole && !absolute.includes("/node_modules/") && (after ?? before)?.kind === "file";
          },
        );
        const paths = changes.map(({ absolute }) => absolute).filter((path) => laid.get(path) !== null);
        const dropped = await ignored(paths, limit);
        return paths.filter((path) => !dropped.has(path));
      } catch {
        // Only a line of the answer is missing then.
        return [];
      }
    },
  };
}
