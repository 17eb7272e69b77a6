/**
 * The first module of the image's main thread. The order matters: the control worker connects, then both threads drop
 * the rights that only the worker needed, and only then user code may run. argv[2] is the boot configuration as JSON.
 * This file imports nothing else: the rest of the main thread is loaded while the worker starts.
 */
import { MessageChannel, Worker } from "node:worker_threads";
import type { BootConfig } from "./wire/boot-config.ts";
import { createCells } from "./wire/shared-cells.ts";

const config = JSON.parse(process.argv[2] ?? "{}") as BootConfig;
const realExit = process.exit.bind(process);
const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
const { port1, port2 } = new MessageChannel();
const cells = createCells();
const worker = new Worker(new URL(`./control/control-worker${extension}`, import.meta.url), {
  stdin: false,
  workerData: { port: port2, cells, isLimited: config.limited !== undefined, input: config.elsewhere === true ? 0 : 3 },
  transferList: [port2],
  // The worker holds little and makes much garbage. V8 collects late in a large young generation, so this one is small.
  resourceLimits: { maxYoungGenerationSizeMb: 8 },
});
worker.on("exit", () => realExit(70));
worker.on("error", fail);
const connected = new Promise((resolve) => worker.once("message", resolve));
open().catch(fail);

async function open(): Promise<void> {
  const { openMainThread } = await import("./main/main-thread.ts");
  const hooksFolder = new URL("./threads/", import.meta.url).href;
  const dropRights = openMainThread({ ...config, hooksFolder, extension }, port1, cells);
  await connected;
  worker.postMessage({ refused: dropRights() });
}

function fail(error: unknown): void {
  process.stderr.write(`the image could not start: ${String(error)}\n`);
  realExit(70);
}
