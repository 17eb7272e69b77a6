/** Prepares the main thread for user code: takes away the rights that it does not need, and installs the kernel. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { MessagePort } from "node:worker_threads";
import type { BootConfig } from "../wire/boot-config.ts";
import { createBridge, type Bridge } from "./bridge.ts";
import { dropRights } from "../shared/drop-rights.ts";
import { guardBuiltins } from "../limited/guards.ts";
import { installKernel } from "./kernel.ts";
import { hookForks } from "../threads/hook-forks.ts";
import { hookThreads } from "../threads/hook-threads.ts";
import { listFolders } from "../limited/listed-folders.ts";
import { keepLoopsStoppable } from "./upkeep/stoppable-loops.ts";
import { REPL_FILE } from "../wire/wire.ts";

/**
 * Answers a function that must be called once the control worker is connected and before user code runs. The function
 * drops the rights. It answers undefined, or why they could not be dropped.
 */
export function openMainThread(
  config: BootConfig & { readonly hooksFolder: string; readonly extension: string },
  port: MessagePort,
  cells: Int32Array,
): () => string | undefined {
  const bridge = createBridge(port, cells);
  const replPath = `${config.projectRoot}/${REPL_FILE}`;
  process.argv.length = 1;
  process.argv[1] = replPath;
  if (config.limited !== undefined) guardBuiltins();
  else {
    hookThreads(`${config.hooksFolder}thread-hooks${config.extension}`);
    hookForks(`${config.hooksFolder}process-hooks${config.extension}`, socketForForks(bridge));
  }
  listFolders(config.limited?.aliases ?? {});
  // The main thread runs until the control worker ends it, even if user code closes all of its own handles.
  setInterval(() => {}, 2 ** 31 - 1);
  installKernel(bridge, pathToFileURL(replPath).href);
  return () => {
    keepLoopsStoppable();
    return config.limited === undefined ? undefined : dropRights();
  };
}

/**
 * The path of the socket, in a folder that only this person can use and that is made at the first call. Undefined when
 * no folder can be made.
 */
function socketForForks({ post }: Bridge): () => string | undefined {
  const [make, folder] = [mkdtempSync, join(tmpdir(), "agentq-forks-")];
  let socket: string | undefined;
  return () => {
    if (socket !== undefined) return socket;
    try {
      socket = join(make(folder), "socket");
    } catch {
      return undefined;
    }
    post({ t: "forks", socket });
    return socket;
  };
}
