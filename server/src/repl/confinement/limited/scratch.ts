/** The only folder that a confined image may write to. It goes with its process, also when the server was killed. */
import { rmSync, symlinkSync } from "node:fs";
import { makeFolderOf, makeOwnFolder, sweepOwn } from "../../../process/own-folder.ts";

export interface Scratch {
  readonly path: string;
  /** A folder beside it, of the server's links to folders of the project. */
  readonly aliases: string;
  /** Makes the links, by the folders they lead to. */
  readonly alias: (links: Readonly<Record<string, string>>) => void;
  /** Removes what servers left that could not clean up. */
  readonly sweep: () => void;
  readonly dispose: () => void;
}

const PREFIX = "agentq-image-";

export function createScratch(): Scratch {
  const path = makeOwnFolder(PREFIX);
  // Node does not let a folder be listed that is granted beside one whose name goes on.
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
