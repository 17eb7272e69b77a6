/**
 * The wall: programs see a project that they can write to, and nothing they write is real.
 */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { given } from "../base/given.ts";
import { errorText } from "../base/errors.ts";
import { existingRealPath } from "../workspace/real-path.ts";
import { sweepStaged } from "../process/staged-names.ts";
import { isWithin, outermost } from "../workspace/within.ts";
import { findWall, type FoundWall, type WallOptions } from "./find-wall.ts";
import { GIT_SETTINGS, gitAttributes } from "./places/git-attributes.ts";
import { KeptLayers, type KeptLayer } from "./layer/kept-layers.ts";
import { Layer, sweepLayers } from "./layer/layer.ts";
import { LIMITS, type Limits } from "./wall/limits.ts";
import { keepClosed, type Closing } from "./places/closing.ts";
import { closedFile, liveWall } from "./wall/live-wall.ts";
import type { LiveProgram, LiveWall } from "../process/live-wall.ts";
import { keptBesidePrograms, machineMounts, readByRootAlone, type MachineOptions } from "./places/machine-places.ts";
import { openNetwork, type Network } from "./network/network.ts";
import { packagesAbove, projectMounts, type ProjectOptions } from "./places/project-places.ts";
import { runInLayer, type LayerRun, type LayerRunEnd } from "./runs/run-in-layer.ts";
import { specialFiles } from "./places/special-files.ts";
import type { Mount, View } from "./wall/view.ts";
import type { Variables } from "../base/variables.ts";

export { layerChanges, type LayerChange, type Written } from "./layer/layer-changes.ts";
export type { Layer, LayerRoot } from "./layer/layer.ts";
export type { FolderFiles } from "./places/project-places.ts";
export type { FoundWall } from "./find-wall.ts";
export type { LayerRunEnd } from "./runs/run-in-layer.ts";

export interface SandboxOptions extends Pick<ProjectOptions, "listFiles">, Pick<WallOptions, "only"> {
  /** The workspace folders, as absolute paths. */
  readonly folders: () => readonly string[];
  /** Why the person wants no wall, as a sentence: then there is none. */
  readonly unwanted?: string | undefined;
  /** What programs get of the server's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The server's whole environment, of which programs with a network get certificates and the address of a registry. */
  readonly variables?: Variables;
  /** Others than the usual ones. */
  readonly limits?: Partial<Limits>;
}

export type SandboxRun = Pick<LayerRun, "layer" | "command" | "onOutput" | "onBegun" | "signal"> & {
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
  readonly #dropping = new Set<Promise<void>>();
  readonly #kept = new KeptLayers((layer) => this.drop(layer));
  #found: Promise<FoundWall> | undefined;
  #known: FoundWall | undefined;
  #closed: Promise<readonly string[]> | undefined;

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
      const { env, only, unwanted } = this.#options;
      if (unwanted !== undefined) return { kind: "none", reason: unwanted };
      return await findWall({ env, folder: this.#roots()[0] ?? homedir(), ...given({ only }) });
    } catch (error) {
      return { kind: "none", reason: `Whether commands can be walled in here could not be tried: ${errorText(error)}` };
    }
  }

  /** Why nothing can be walled in here, and what would help; undefined where it can. Until `wall` has settled nobody knows that. */
  whyNot(): string | undefined {
    if (this.#known !== undefined) return whyNone(this.#known);
    return this.#options.unwanted ?? "Nobody has tried yet whether programs can be walled in here.";
  }

  /** The same, tried out where nobody has. Never rejects. */
  async findWhyNot(): Promise<string | undefined> {
    return whyNone(await this.wall());
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
  async run(run: SandboxRun): Promise<LayerRunEnd> {
    const end = await this.#run(run);
    // A folder of the machine may go between the look at it and its mount; nothing has run then.
    const isWorthAnother = end.kind === "refused" && end.isSetUp === true && !run.signal.aborted;
    return isWorthAnother ? this.#run(run) : end;
  }

  async #run({ folder, network, isLive = false, env: more = {}, ...run }: SandboxRun): Promise<LayerRunEnd> {
    const found = await this.wall();
    if (found.kind === "none") return { kind: "refused", reason: whyNone(found) ?? "" };
    const limits = { ...LIMITS, ...this.#options.limits };
    const { layer, signal, needed = [] } = run;
    let closing: Closing | undefined;
    try {
      const mounts = await this.#mounts({ layer, needed, beside: isLive ? this.#roots() : [] }, signal);
      const view = { mounts: [...mounts, ...(network?.mounts ?? [])], folder };
      const command = [...(network?.command ?? []), ...run.command] as [string, ...string[]];
      const env = { ...this.#env(), ...network?.env, ...more };
      closing = isLive ? await keepClosed(view, { closed: layer.empty, roots: this.#roots() }) : undefined;
      const shown = { view: closing?.view ?? view, ...given({ closing }) };
      return await runInLayer({ ...run, ...shown, command, env, wall: found.wall, limits });
    } catch (error) {
      return { kind: "refused", reason: signal.aborted ? "it was stopped before it began" : errorText(error) };
    } finally {
      closing?.dispose();
    }
  }

  /**
   * The wall for a process that the caller starts. Rejects with a sentence where there is none, and with the signal's reason
   * once it aborts.
   */
  async live(program: LiveProgram, signal: AbortSignal): Promise<LiveWall> {
    const found = await this.wall();
    if (found.kind === "none") throw new Error(whyNone(found));
    const layer = this.openOver([]);
    const dispose = (): Promise<void> => this.drop(layer);
    try {
      const closed = closedFile(layer);
      const { home, temporary } = layer;
      const own = { folder: layer.folder, roots: [], home, temporary, empty: closed };
      const shown = await this.#liveView(own, program, signal);
      const { fileBytes, processes } = { ...LIMITS, ...this.#options.limits };
      const limits = { fileBytes, processes };
      return await liveWall({
        ...shown,
        wall: found.wall,
        layer,
        closed,
        env: this.#env(),
        limits,
        isCurrent: async (...asked) => isDeepStrictEqual(await this.#liveView(own, ...asked), shown),
        dispose,
      });
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  /** What a program that lives on sees, and the folders in which something may come to be closed. */
  async #liveView(
    layer: Shown["layer"],
    { folder, needed = [], readable, isOnline }: LiveProgram,
    signal: AbortSignal,
  ): Promise<{ readonly view: View; readonly roots: readonly string[] }> {
    const own = outermost([...this.#roots(), folder]);
    const roots = [...own, ...outermost(readable).filter((each) => !own.some((root) => isWithin(each, root)))];
    const mounts = await this.#mounts({ layer, needed, beside: roots }, signal);
    return { view: { mounts: [...mounts, ...(isOnline ? resolver() : [])], folder, ...given({ isOnline }) }, roots };
  }

  /** What a program sees. Of `beside`, which is shown as it is at every moment, nobody outside is asked for anything. */
  async #mounts({ layer, needed, beside }: Shown, signal: AbortSignal): Promise<Mount[]> {
    const { env, listFiles } = this.#options;
    const home = homeOf(env);
    this.#closed ??= Promise.all([readByRootAlone(), keptBesidePrograms(env["PATH"] ?? "")]).then((all) => all.flat());
    const [project, special, closed] = await Promise.all([
      projectMounts({ home, layer, listFiles, beside }, signal),
      specialFiles(beside, signal),
      this.#closed,
    ]);
    const programs = [process.execPath, ...needed];
    const shown = [...layer.roots.map(({ root }) => root), ...beside, ...programs];
    const apart = closed.filter((path) => !shown.some((each) => isWithin(each, path) || isWithin(path, each)));
    const machine = machineMounts({ home, path: env["PATH"] ?? "", programs, layer, closed: apart });
    const masks = special.map((path): Mount => ({ kind: "read", path, from: layer.empty }));
    return [...machine, gitAttributes(layer), ...project, ...masks];
  }

  #env(): Record<string, string> {
    const { env } = this.#options;
    return walledEnvironment(env, homeOf(env));
  }

  /** For programs of the layer; belongs to the caller, who disposes of it. Rejects where the disk refuses. */
  network(layer: Layer, hosts: readonly string[]): Promise<Network> {
    const { env, variables = {} } = this.#options;
    const npmrcFolders = [...this.#roots(), homeOf(env)];
    return openNetwork({ hosts, folder: layer.folder, variables, npmrcFolders });
  }

  /** Never rejects. */
  async drop(layer: Layer): Promise<void> {
    this.#layers.delete(layer);
    const dropped = layer.dispose().catch(() => undefined);
    this.#dropping.add(dropped);
    await dropped;
    this.#dropping.delete(dropped);
  }

  /** Settles when every folder is gone, also of layers that somebody else is dropping: the server ends then. */
  async dispose(): Promise<void> {
    for (const layer of this.#layers) void this.drop(layer);
    await Promise.all(this.#dropping);
  }

  /** A folder inside of another one is part of that one. */
  #roots(): string[] {
    return outermost(this.#options.folders().flatMap((folder) => existingRealPath(folder) ?? []));
  }
}

type Shown = Pick<ProjectOptions, "layer"> &
  Pick<MachineOptions, "layer"> & { readonly needed: readonly string[]; readonly beside: readonly string[] };

/** Who knows the names of the network may be told by a file outside of `/etc`. */
function resolver(): Mount[] {
  const file = existingRealPath("/etc/resolv.conf");
  return file === undefined || isWithin(file, "/etc") ? [] : [{ kind: "read", path: file }];
}

function homeOf(env: Readonly<Record<string, string>>): string {
  return env["HOME"] ?? homedir();
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
