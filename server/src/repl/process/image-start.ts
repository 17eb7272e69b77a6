/**
 * One start of the image: the checks before it, the process, and the end of both when the start is no longer wanted.
 */
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { planWalled } from "../confinement/image-wall.ts";
import type { LaunchPlan } from "../confinement/launch-plan.ts";
import { whyNot, type Level } from "../confinement/level.ts";
import { planUnwalled, whyNotCovered, whyNotNamed } from "../confinement/limited/limited.ts";
import { findNetworkWall, OPEN_NETWORK, type Network, type NetworkWall } from "../confinement/limited/network.ts";
import { findSeatbelt, type FoundSeatbelt } from "../confinement/limited/seatbelt.ts";
import { readableFolders } from "../confinement/readable-folders.ts";
import { isWithin } from "../../workspace/shown-path.ts";
import { checkTree, isCovered } from "../confinement/limited/tree-check.ts";
import type { ImageOptions, LastError } from "../image.ts";
import { ImageChild } from "./image-child.ts";
import type { ImageSession } from "./image-session.ts";
import type { FoundAtStart } from "./image-state.ts";
import { given } from "../../base/given.ts";
import { errorText } from "../../base/errors.ts";

export interface StartParts {
  readonly nodePath: string;
  /** The version of the Node; empty when no Node runs. */
  readonly findNode: () => Promise<string>;
  readonly level: () => Level;
  /** Called with the facts about the confinement that the status shows. */
  readonly onFound: (found: FoundAtStart) => void;
  readonly onBackgroundError: (error: LastError) => void;
}

/** Contract: neither promise rejects; a start that fails or is given up resolves with a sentence. */
export class ImageStart {
  /** Resolves with the session as soon as there is a process. */
  readonly launched: Promise<ImageSession | string>;
  /** Resolves with the session when user code may run in it. */
  readonly opened: Promise<ImageSession | string>;
  readonly #options: ImageOptions;
  readonly #parts: StartParts;
  #child: ImageChild | undefined;
  #givenUp: string | undefined;
  readonly #stop = new AbortController();

  constructor(options: ImageOptions, parts: StartParts) {
    this.#options = options;
    this.#parts = parts;
    this.launched = this.#launch().catch((error: unknown) => cannot(errorText(error)));
    this.opened = this.#untilOpen();
  }

  /** Resolves when the process is gone, or when it is certain that none will start. */
  async giveUp(why: string): Promise<void> {
    this.#givenUp ??= why;
    this.#stop.abort();
    if (this.#child === undefined) return;
    this.#child.kill();
    await this.#child.gone;
  }

  async #launch(): Promise<ImageSession | string> {
    const { findNode, nodePath } = this.#parts;
    const { wall, whyNotStart } = this.#options;
    // The level depends on the wall.
    const [nodeVersion] = await Promise.all([findNode(), wall?.()]);
    if (this.#givenUp !== undefined) return this.#givenUp;
    if (nodeVersion === "") return cannot(`${nodePath} is not a Node that runs here`);
    const level = this.#parts.level();
    const refusal = whyNotStart?.() ?? whyNot(nodeVersion, level);
    if (refusal !== undefined) return refusal;
    const place = { nodeVersion, projectRoot: realpathSync(this.#options.projectRoot) };
    const plan = await this.#plan(place, level);
    if (typeof plan === "string") return plan;
    try {
      if (this.#givenUp === undefined) return await this.#startSession(place, plan);
    } catch (error) {
      this.#child?.kill();
      plan.dispose();
      throw error;
    }
    plan.dispose();
    return this.#givenUp;
  }

  /** How to start the process, or why it cannot be started. */
  #plan(place: Place, level: Level): Promise<LaunchPlan | string> {
    if (level === "walled") return this.#walled(place);
    return level === "limited" ? this.#limited(place) : Promise.resolve(this.#open(place));
  }

  async #walled(place: Place): Promise<LaunchPlan | string> {
    const { network = "none", ...options } = this.#options;
    const wall = options.wall?.peek();
    if (wall?.kind !== "walled") return cannot("there is no wall");
    const plan = await planWalled(wall, { ...place, network, nodePath: this.#parts.nodePath }, this.#stop.signal);
    this.#parts.onFound({ closed: plan.hidden.length });
    return plan;
  }

  async #limited({ nodeVersion, projectRoot }: Place): Promise<LaunchPlan | string> {
    const { isSecretName = () => false, command, network = "none" } = this.#options;
    const { nodePath } = this.#parts;
    const readable = readableFolders(projectRoot);
    const unnamed = whyNotNamed(readable);
    if (unnamed !== undefined) return unnamed;
    const [foundNetwork, tree, seatbelt] = await Promise.all([
      findNetworkWall(nodeVersion, network, [projectRoot, nodePath], command),
      checkTree(readable, isSecretName),
      process.platform === "darwin" && command === undefined ? findSeatbelt({ nodePath, network }) : undefined,
    ]);
    if (this.#givenUp !== undefined) return this.#givenUp;
    const networkWall = closedBy(seatbelt, foundNetwork, network);
    this.#parts.onFound({ networkWall, tree, ...given({ seatbelt }) });
    if (!isCovered(tree)) return whyNotCovered(tree);
    const more = given({ prefix: command, seatbelt });
    return planUnwalled({ nodePath, nodeVersion, isOpen: false, readable, wall: networkWall, tree, ...more });
  }

  #open({ nodeVersion }: Place): LaunchPlan {
    const { nodePath } = this.#parts;
    const more = given({ prefix: this.#options.command });
    return planUnwalled({ nodePath, nodeVersion, isOpen: true, readable: [], wall: OPEN_NETWORK, ...more });
  }

  async #startSession({ nodeVersion, projectRoot }: Place, plan: LaunchPlan): Promise<ImageSession> {
    const { heapLimitMb, onOutput, beforeCleanup, mayQuote } = this.#options;
    const child = new ImageChild({ projectRoot, plan, ...given({ heapLimitMb }) });
    this.#child = child;
    // This import loads the parser and the transpilers while the process starts; only an evaluation needs them.
    const { ImageSession } = await import("./image-session.ts");
    return new ImageSession({
      child,
      plan,
      nodeVersion,
      projectRoot,
      readSource: sourceReader(this.#options, projectRoot),
      onOutput,
      onBackgroundError: this.#parts.onBackgroundError,
      ...given({ beforeCleanup, mayQuote }),
    });
  }

  async #untilOpen(): Promise<ImageSession | string> {
    const session = await this.launched;
    if (typeof session === "string") return session;
    const { refused } = await session.ready;
    if (this.#givenUp === undefined && refused === undefined) return session;
    session.kill(this.#givenUp);
    await session.gone;
    return this.#givenUp ?? cannot(refused ?? "it is gone");
  }
}

interface Place {
  readonly nodeVersion: string;
  /** With links resolved. */
  readonly projectRoot: string;
}

/** Seatbelt closes the network also where Node cannot close it. */
function closedBy(seatbelt: FoundSeatbelt | undefined, found: NetworkWall, wanted: Network): NetworkWall {
  if (seatbelt?.kind !== "held" || wanted === "open" || found.network === "none") return found;
  return { network: "none", prefix: [], detail: "no network, by Seatbelt" };
}

function cannot(why: string): string {
  return `The REPL cannot start: ${why}.`;
}

/** The image speaks of real paths; an editor may name a document by a path that leads through a link. */
function sourceReader(options: ImageOptions, realRoot: string): (path: string) => string | null | undefined {
  const { readSource, projectRoot } = options;
  if (readSource === undefined) return () => undefined;
  if (realRoot === projectRoot) return readSource;
  return (path) => {
    const text = readSource(path);
    if (text !== undefined || !isWithin(path, realRoot)) return text;
    return readSource(join(projectRoot, relative(realRoot, path)));
  };
}
