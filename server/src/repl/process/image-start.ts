/** One start of the image: what is looked at before, the process, and the end of both when it is no longer wanted. */
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { planLaunch, whyNot, whyNotCovered, whyNotNamed, type LaunchPlan } from "../confinement/confinement.ts";
import { findNetworkWall, OPEN_NETWORK, type NetworkWall } from "../confinement/network.ts";
import { isInside, readableFolders } from "../confinement/readable-folders.ts";
import { checkTree, isCovered, type TreeCheck } from "../confinement/tree-check.ts";
import type { Confinement, ImageOptions, LastError } from "../image.ts";
import { ImageChild } from "./image-child.ts";
import type { ImageSession } from "./image-session.ts";
import { given } from "../../given.ts";
import { errorText } from "../../protocol/errors.ts";

export interface StartParts {
  readonly nodePath: string;
  /** Empty for none that runs. */
  readonly findNode: () => Promise<string>;
  readonly confinement: () => Confinement;
  /** What the status tells of the confinement. */
  readonly onFound: (wall: NetworkWall, tree: TreeCheck | undefined) => void;
  readonly onBackgroundError: (error: LastError) => void;
}

/** Contract: neither promise rejects; what cannot be started, and what was given up, is a sentence. */
export class ImageStart {
  /** The session as soon as there is a process. */
  readonly launched: Promise<ImageSession | string>;
  /** The same when user code may run in it. */
  readonly opened: Promise<ImageSession | string>;
  readonly #options: ImageOptions;
  readonly #parts: StartParts;
  #child: ImageChild | undefined;
  #givenUp: string | undefined;

  constructor(options: ImageOptions, parts: StartParts) {
    this.#options = options;
    this.#parts = parts;
    this.launched = this.#launch().catch((error: unknown) => cannot(errorText(error)));
    this.opened = this.#open();
  }

  /** Resolves when the process is gone, or when it is sure that there will be none. */
  async giveUp(why: string): Promise<void> {
    this.#givenUp ??= why;
    if (this.#child === undefined) return;
    this.#child.kill();
    await this.#child.gone;
  }

  async #launch(): Promise<ImageSession | string> {
    const { findNode, nodePath } = this.#parts;
    const nodeVersion = await findNode();
    if (this.#givenUp !== undefined) return this.#givenUp;
    if (nodeVersion === "") return cannot(`${nodePath} is not a Node that runs here`);
    const confinement = this.#parts.confinement();
    const refusal = this.#options.whyNotStart?.() ?? whyNot(nodeVersion, confinement);
    if (refusal !== undefined) return refusal;
    const projectRoot = realpathSync(this.#options.projectRoot);
    const place = { nodeVersion, confinement, projectRoot };
    const found = await this.#find(place);
    if (this.#givenUp !== undefined) return this.#givenUp;
    if (typeof found === "string") return found;
    const { readable, wall, tree } = found;
    this.#parts.onFound(wall, tree);
    if (tree !== undefined && !isCovered(tree)) return whyNotCovered(tree);
    const more = given({ tree, prefix: this.#options.command });
    const plan = planLaunch({ nodePath, nodeVersion, confinement, readable, wall, ...more });
    try {
      return await this.#startSession(place, plan);
    } catch (error) {
      this.#child?.kill();
      plan.dispose();
      throw error;
    }
  }

  /** What a process of this confinement may read and reach, or why it cannot be confined. */
  async #find({ nodeVersion, confinement, projectRoot }: Place): Promise<Found | string> {
    if (confinement === "open") return { readable: [], wall: OPEN_NETWORK, tree: undefined };
    const { isSecretName = () => false, command, network = "none" } = this.#options;
    const readable = readableFolders(projectRoot);
    const unnamed = whyNotNamed(readable);
    if (unnamed !== undefined) return unnamed;
    const [wall, tree] = await Promise.all([
      findNetworkWall(nodeVersion, network, [projectRoot, this.#parts.nodePath], command),
      checkTree(readable, isSecretName),
    ]);
    return { readable, wall, tree };
  }

  async #startSession({ nodeVersion, confinement, projectRoot }: Place, plan: LaunchPlan): Promise<ImageSession> {
    const { heapLimitMb, onOutput, beforeCleanup, mayQuote } = this.#options;
    const confined = confinement !== "open";
    const child = new ImageChild({ projectRoot, confined, plan, ...given({ heapLimitMb }) });
    this.#child = child;
    // The parser and the transpilers come with it, while the process starts: only an evaluation needs them.
    const { ImageSession } = await import("./image-session.ts");
    return new ImageSession({
      child,
      plan,
      nodeVersion,
      projectRoot,
      confinement,
      readSource: sourceReader(this.#options, projectRoot),
      onOutput,
      onBackgroundError: this.#parts.onBackgroundError,
      ...given({ beforeCleanup, mayQuote }),
    });
  }

  async #open(): Promise<ImageSession | string> {
    const session = await this.launched;
    if (typeof session === "string") return session;
    const { refused } = await session.ready;
    if (this.#givenUp === undefined && refused === undefined) return session;
    session.kill(this.#givenUp);
    await session.gone;
    return this.#givenUp ?? cannot(refused ?? "it is gone");
  }
}

interface Found {
  readonly readable: readonly string[];
  readonly wall: NetworkWall;
  readonly tree: TreeCheck | undefined;
}

interface Place {
  readonly nodeVersion: string;
  readonly confinement: Confinement;
  /** With links resolved. */
  readonly projectRoot: string;
}

function cannot(why: string): string {
  return `The REPL cannot start: ${why}.`;
}

/** The image speaks of real paths; an editor's document may be named by a path that goes through a link. */
function sourceReader(options: ImageOptions, realRoot: string): (path: string) => string | null | undefined {
  const { readSource, projectRoot } = options;
  if (readSource === undefined) return () => undefined;
  if (realRoot === projectRoot) return readSource;
  return (path) => {
    const text = readSource(path);
    if (text !== undefined || !isInside(path, realRoot)) return text;
    return readSource(join(projectRoot, relative(realRoot, path)));
  };
}
