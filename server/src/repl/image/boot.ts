/**
 * The image's main thread. Order matters: the control worker connects, then the rights that only it needed are
 * dropped here and there, and only then may user code run. argv[2] is the boot configuration as JSON.
 */
import { pathToFileURL } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";
import { createBridge } from "./bridge.ts";
import { dropRights } from "./drop-rights.ts";
import { installKernel } from "./kernel.ts";
import { listFolders } from "./listed-folders.ts";
import { refuseSignals } from "./refuse-signals.ts";
import { createCells } from "./shared-cells.ts";

export interface BootConfig {
  readonly confined: boolean;
  readonly projectRoot: string;
  /** Folders that cannot be listed by their own name. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The channel is descriptor 0 to read and 3 to write, as a command that only knows standard streams leaves it. */
  readonly elsewhere?: boolean;
}

const config = JSON.parse(process.argv[2] ?? "{}") as BootConfig;
const replPath = `${config.projectRoot}/__repl__.ts`;
process.argv.length = 1;
process.argv[1] = replPath;
const realExit = process.exit.bind(process);

const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
const { port1, port2 } = new MessageChannel();
const cells = createCells();
const worker = new Worker(new URL(`./control-worker${extension}`, import.meta.url), {
  stdin: false,
  workerData: { port: port2, cells, confined: config.confined, input: config.elsewhere === true ? 0 : 3 },
  transferList: [port2],
  // It holds little and makes much garbage, which would be kept for long where there is much room for it.
  resourceLimits: { maxYoungGenerationSizeMb: 8 },
});
worker.on("exit", () => realExit(70));
worker.on("error", (error) => {
  process.stderr.write(`control worker: ${String(error)}\n`);
  realExit(70);
});
await new Promise((resolve) => worker.once("message", resolve));

const refused = config.confined ? dropRights() : undefined;
if (config.confined) refuseSignals();
listFolders(config.aliases ?? {});
// The main thread lives until the control worker ends it, whatever user code does with its own handles.
setInterval(() => {}, 2 ** 31 - 1);
installKernel(createBridge(port1, cells), pathToFileURL(replPath).href, import.meta.url);
worker.postMessage({ refused });
