/** One start of the image: what is looked at before, the process, and the end of both when it is no longer wanted. */
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { planLaunch, whyNot, whyNotCovered, whyNotNamed } from "../confinement/confinement.ts";
import { findNetworkWall, OPEN_NETWORK, type NetworkWall } from "../confinement/network.ts";
import { isInside, readableFolders } from "../confinement/readable-folders.ts";
import { checkTree, isCovered, type TreeCheck } from "../confinement/tree-check.ts";
import type { Confinement, ImageOptions, LastError } from "../image.ts";
import { startImageChild, type ImageChild } from "./image-child.ts";
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
export interface ImageStart {
  /** The session as soon as there is a process. */
  readonly launched: Promise<ImageSession | string>;
  /** The same when user code may run in it. */
  readonly opened: Promise<ImageSession | string>;
  /** Resolves when the process is gone, or when it is sure that there will be none. */
  readonly giveUp: (why: string) => Promise<void>;
}

export function startImage(options: ImageOptions, parts: StartParts): ImageStart {
  let givenUp: string | undefined;
  let child: ImageChild | undefined;

  const launch = async (): Promise<ImageSession | string> => {
    const { nodePath } = parts;
    const nodeVersion = await parts.findNode();
    if (givenUp !== undefined) return givenUp;
    if (nodeVersion === "") return cannot(`${nodePath} is not a Node that runs here`);
    const confinement = parts.confinement();
    const refusal = options.whyNotStart?.() ?? whyNot(nodeVersion, confinement);
    if (refusal !== undefined) return refusal;
    const projectRoot = realpathSync(options.projectRoot);
    const isOpen = confinement === "open";
    const readable = isOpen ? [] : readableFolders(projectRoot);
    const unnamed = isOpen ? undefined : whyNotNamed(readable);
    if (unnamed !== undefined) return unnamed;
    const [wall, tree] = await Promise.all([
      isOpen
        ? OPEN_NETWORK
        : findNetworkWall(nodeVersion, options.network ?? "none", [projectRoot, nodePath], options.command),
      isOpen ? undefined : checkTree(readable, options.isSecretName ?? (() => false)),
    ]);
    if (givenUp !== undefined) return givenUp;
    parts.onFound(wall, tree);
    if (tree !== undefined && !isCovered(tree)) return whyNotCovered(tree);
    const plan = planLaunch({
      nodePath,
      nodeVersion,
      confinement,
      readable,
      wall,
      ...given({ tree, prefix: options.command }),
    });
    try {
      child = startImageChild({
        projectRoot,
        confined: !isOpen,
        plan,
        ...given({ heapLimitMb: options.heapLimitMb }),
      });
      // The parser and the transpilers come with it, while the process starts: only an evaluation needs them.
      const { ImageSession } = await import("./image-session.ts");
      return new ImageSession({
        child,
        plan,
        nodeVersion,
        projectRoot,
        confinement,
        readSource: sourceReader(options, projectRoot),
        onOutput: options.onOutput,
        onBackgroundError: parts.onBackgroundError,
        ...given({ beforeCleanup: options.beforeCleanup }),
      });
    } catch (error) {
      child?.kill();
      plan.dispose();
      throw error;
    }
  };
  const launched = launch().catch((error: unknown) => cannot(errorText(error)));

  const open = async (): Promise<ImageSession | string> => {
    const session = await launched;
    if (typeof session === "string") return session;
    const { refused } = await session.ready;
    if (givenUp === undefined && refused === undefined) return session;
    session.kill(givenUp);
    await session.gone;
    return givenUp ?? cannot(refused ?? "it is gone");
  };
  const opened = open();

  return {
    launched,
    opened,
    giveUp: async (why) => {
      givenUp ??= why;
      if (child === undefined) return;
      child.kill();
      await child.gone;
    },
  };
}

function cannot(why: string): string {
  return `The REPL cannot start: ${why}.`;
}

/** The image speaks of real paths; an editor's document may be named by a path that goes through a link. */
function sourceReader(options: ImageOptions, realRoot: string): (path: string) => string | undefined {
  const { readSource, projectRoot } = options;
  if (readSource === undefined) return () => undefined;
  if (realRoot === projectRoot) return readSource;
  return (path) =>
    readSource(path) ??
    (isInside(path, realRoot) ? readSource(join(projectRoot, relative(realRoot, path))) : undefined);
}
