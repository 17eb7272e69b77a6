/**
 * The only folder that a confined image may write to. It is removed after its process, also when the server was killed.
 */
import { rmSync, symlinkSync } from "node:fs";
import { makeFolderOf, makeOwnFolder, sweepOwn } from "../../../process/own-folder.ts";

export interface Scratch {
  readonly path: string;
  /** A second folder, beside `path`, for the server's links to folders of the project. */
  readonly aliases: string;
  /** Makes the links. The keys are the folders to which the links lead. */
  readonly alias: (links: Readonly<Record<string, string>>) => void;
  /** Removes the folders of servers that could not clean up. */
  readonly sweep: () => void;
  readonly dispose: () => void;
}

const PREFIX = "agentq-image-";

export function createScratch(): Scratch {
  const path = makeOwnFolder(PREFIX);
  // A folder of its own: Node does not let a granted folder be listed when a longer name with the same beginning is
  // granted too.
  const aliases = makeFolderOf(path, PREFIX);
  let isDisposed = false;
  const dispose = (): void => {
    isDisposed = true;
    process.off("exit", dispose);
    for (const folder of [path, aliases]) rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", dispose);
  const alias: Scratch["alias"] = (links) => {
    const all = Object.entries(links);
    if (isDisposed || all.length === 0) return;
    for (const [target, link] of all) symlinkSync(target, link, "junction");
  };
  return { path, aliases, alias, sweep: () => sweepOwn(PREFIX), dispose };
}
