/**
 * The wall: programs see a project that they can write to, and nothing they write is real.
 */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { given } from "../given.ts";
import { errorText } from "../protocol/errors.ts";
import { existingRealPath } from "../workspace/real-path.ts";
import { sweepStaged } from "../workspace/staged-names.ts";
import { isWithin } from "../workspace/shown-path.ts";
import { findWall, type FoundWall, type WallOptions } from "./find-wall.ts";
import { GIT_SETTINGS, gitAttributes } from "./git-attributes.ts";
import { KeptLayers, type KeptLayer } from "./kept-layers.ts";
import { Layer, sweepLayers } from "./layer.ts";
import { LIMITS, type Limits } from "./limits.ts";
import { machineMounts } from "./machine-places.ts";
import { openNetwork, type Network } from "./network/network.ts";
import { packagesAbove, projectMounts, type ProjectOptions } from "./project-places.ts";
import { specialFiles } from "./special-files.ts";
import type { Mount } from "./view.ts";
import { runInLayer, type LayerRun, type LayerRunEnd } from "./run-in-layer.ts";

export { layerChanges, type LayerChange, type Written } from "./layer-changes.ts";
export type { Layer, LayerRoot } from "./layer.ts";
export type { FolderFiles } from "./project-places.ts";
export type { FoundWall } from "./find-wall.ts";
export type { LayerRunEnd } from "./run-in-layer.ts";

export interface SandboxOptions extends Pick<ProjectOptions, "listFiles">, Pick<WallOptions, "only"> {
  /** The workspace folders, as absolute paths. */
  readonly folders: () => readonly string[];
  /** What programs get of the server's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The server's whole environment, of which programs with a network get certificates and the address of a registry. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Others than the usual ones. */
  readonly limits?: Partial<Limits>;
}

export type SandboxRun = Pick<LayerRun, "layer" | "command" | "onOutput" | "signal"> & {
  /** Where the program begins: a folder of the project, by its real path. */
  readonly folder: string;
  /** The workspace folders are shown as they are at every moment, and only what the layer lies over can be written to. */
  readonly isLive?: boolean;
  /** What the program may reach of the network; without, nothing. */
  readonly network?: Network;
  /** Read from outside of the project, by absolute paths. */
  readonly needed?: readonly string[];
  /** Beside what every program gets. */
  readonly env?: Readonly<Record<string, string>>;
};

export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #layers = new Set<Layer>();
  readonly #kept = new KeptLayers((layer) => this.drop(layer));
  #found: Promise<FoundWall> | undefined;
  #known: FoundWall | undefined;

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /** What this machine can do, tried out at the first question. Never rejects. */
  wall(): Promise<FoundWall> {
    this.#found ??= this.#find().then((found) => (this.#known = found));
    return this.#found;
  }

  async #find(): Promise<FoundWall> {
    try {
      await Promise.all([sweepLayers(), sweepStaged(this.#roots())]);
      const { env, only } = this.#options;
      return await findWall({ env, folder: this.#roots()[0] ?? homedir(), ...given({ only }) });
    } catch (error) {
      return { kind: "none", reason: `Whether commands can be walled in here could not be tried: ${errorText(error)}` };
    }
  }

  /** Why nothing can be walled in here, and what would help; undefined where it can, and where nobody has tried yet. */
  whyNot(): string | undefined {
    return this.#known === undefined ? undefined : whyNone(this.#known);
  }

  /**
   * A new layer over the workspace folders; belongs to the caller, who drops it. With `isOverPackages` programs may also write
   * to packages that are installed above. Throws where the disk refuses.
   */
  open({ isOverPackages = false }: { readonly isOverPackages?: boolean } = {}): Layer {
    const roots = this.#roots();
    const packages = isOverPackages ? roots.flatMap(packagesAbove).map((folder) => realpathSync(folder)) : [];
    return this.openOver(outermost([...roots, ...packages]));
  }

  /** The same over these folders alone, by their real paths; none lies inside of another. */
  openOver(folders: readonly string[]): Layer {
    if (this.#layers.size === 0) void sweepLayers();
    const layer = new Layer(folders);
    this.#layers.add(layer);
    return layer;
  }

  /** Keeps a layer for a later run, and answers its id. From now on the layer does not belong to the caller. */
  keep(layer: Layer, begunAt: number, id?: string): Promise<string> {
    return this.#kept.keep(layer, begunAt, id);
  }

  /** The layer of an earlier run, which belongs to the caller again, or why there is none. */
  take(id: string): KeptLayer | string {
    return this.#kept.take(id, this.#roots());
  }

  /** Never rejects. */
  async run({
    folder,
    network,
    isLive = false,
    needed = [],
    env: more = {},
    ...run
  }: SandboxRun): Promise<LayerRunEnd> {
    const found = await this.wall();
    if (found.kind === "none") return { kind: "refused", reason: whyNone(found) ?? "" };
    const { env, listFiles } = this.#options;
    const limits = { ...LIMITS, ...this.#options.limits };
    const { layer, signal } = run;
    const home = env["HOME"] ?? homedir();
    try {
      const machine = machineMounts({ home, path: env["PATH"] ?? "", programs: [process.execPath, ...needed], layer });
      const beside = isLive ? this.#roots() : [];
      const project = await projectMounts({ home, layer, listFiles, beside }, signal);
      // Nobody outside is asked for anything.
      const special = (await specialFiles(beside, signal)).map((path): Mount => ({
        kind: "read",
        path,
        from: layer.empty,
      }));
      const view = {
        mounts: [...machine, gitAttributes(layer), ...project, ...special, ...(network?.mounts ?? [])],
        folder,
      };
      const command = [...(network?.command ?? []), ...run.command] as [string, ...string[]];
      const walledEnv = { ...walledEnvironment(env, home), ...network?.env, ...more };
      return await runInLayer({ ...run, command, view, env: walledEnv, wall: found.wall, limits });
    } catch (error) {
      return { kind: "refused", reason: signal.aborted ? "it was stopped before it began" : errorText(error) };
    }
  }

  /** For programs of the layer; belongs to the caller, who disposes of it. Rejects where the disk refuses. */
  network(layer: Layer, hosts: readonly string[]): Promise<Network> {
    const { env, variables = {} } = this.#options;
    const npmrcFolders = [...this.#roots(), env["HOME"] ?? homedir()];
    return openNetwork({ hosts, folder: layer.folder, variables, npmrcFolders });
  }

  async drop(layer: Layer): Promise<void> {
    this.#layers.delete(layer);
    await layer.dispose().catch(() => undefined);
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#layers].map((layer) => this.drop(layer)));
  }

  /** A folder inside of another one is part of that one. */
  #roots(): string[] {
    return outermost(this.#options.folders().flatMap((folder) => existingRealPath(folder) ?? []));
  }
}

function outermost(folders: readonly string[]): string[] {
  return [...new Set(folders)].filter((each) => !folders.some((other) => other !== each && isWithin(each, other)));
}

function whyNone(found: FoundWall): string | undefined {
  return found.kind === "walled" ? undefined : [found.reason, found.remedy ?? ""].join(" ").trim();
}

function walledEnvironment(env: Readonly<Record<string, string>>, home: string): Record<string, string> {
  return {
    ...env,
    HOME: home,
    TMPDIR: "/tmp",
    TMP: "/tmp",
    TEMP: "/tmp",
    NO_COLOR: "1",
    TERM: "dumb",
    ...GIT_SETTINGS,
  };
}
