/** The control thread of a running program, while a server works with the program, and the kernel on the main thread. */
import { MessageChannel, Worker } from "node:worker_threads";
import { createBridge } from "../child/main/bridge.ts";
import { CELL, createCells } from "../child/wire/shared-cells.ts";
import type { RunningModule } from "../child/wire/app-frames.ts";
import { installAppKernel, type AppKernel } from "./app-kernel.ts";
import { earlierModules } from "./earlier-modules.ts";
import type { Stub } from "./stub.ts";

export interface ThreadParts {
  /** Where the thread listens for the server's forms. */
  readonly path: string;
  readonly root: string;
  readonly stub: Stub;
  readonly modules: () => readonly RunningModule[];
  /** Present when the program had loaded modules before those: the names that a text binds. */
  readonly namesIn?: (module: RunningModule) => readonly string[];
}

const LET_GO_MS = 500;
const REST_MS = 3;

export class AppThread {
  /** Resolves with the socket once the server can connect to it; with undefined when the thread did not start. */
  readonly opened: Promise<string | undefined>;
  readonly gone: Promise<void>;
  #isLeaving = false;
  readonly #worker: Worker;
  readonly #tell: (modules: readonly RunningModule[]) => void;

  constructor({ path, root, stub, modules, namesIn }: ThreadParts) {
    const { port1, port2 } = new MessageChannel();
    const cells = createCells();
    const here = import.meta.url;
    this.#worker = new Worker(new URL(`./control/control-worker${here.slice(here.lastIndexOf("."))}`, here), {
      stdin: false,
      execArgv: [],
      // Without the program's own variables no preloaded code of the program runs in this thread.
      env: {},
      workerData: { port: port2, cells, isLimited: false, path },
      transferList: [port2],
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    this.#worker.unref();
    port1.unref();
    const bridge = createBridge(port1, cells);
    this.#tell = (loaded) => bridge.post({ t: "loaded", modules: loaded });
    let kernel: AppKernel | undefined;
    // Node tells the person that it waits for a debugger, and waits, while a session is open.
    const letGo = (): void => {
      this.leave();
      const until = performance.now() + LET_GO_MS;
      while (Atomics.load(cells, CELL.left) === 0 && performance.now() < until);
      // What the session still asks of this thread is done between the turns of a loop.
      const rest = performance.now() + REST_MS;
      while (performance.now() < rest);
    };
    process.once("exit", letGo);
    const { promise: gone, resolve: over } = Promise.withResolvers<void>();
    this.gone = gone;
    this.#worker.on("error", () => undefined);
    this.#worker.once("exit", () => {
      process.removeListener("exit", letGo);
      kernel?.leave();
      port1.close();
      over();
    });
    const connected = new Promise<string>((resolve) => {
      this.#worker.on("message", (message: "connected" | "leaving") => {
        // Once the thread runs, Node counts its port again as a reason for the program to go on.
        this.#worker.unref();
        if (message === "connected") return resolve(path);
        this.#isLeaving = true;
        // What the thread's session still had to do here is done in the turns between.
        setImmediate(() => setImmediate(() => this.#worker.postMessage("bye")));
      });
    });
    this.opened = Promise.race([connected, gone.then(() => undefined)]).then((socket) => {
      if (socket === undefined) return undefined;
      const known = new Set(modules().map(({ url }) => url));
      const earlier = namesIn === undefined ? [] : earlierModules(root, known, namesIn);
      kernel = installAppKernel({ bridge, root, stub, earlier });
      this.#tell([...earlier.map(({ module }) => module), ...modules()]);
      this.#worker.postMessage({});
      return socket;
    });
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  tell(module: RunningModule): void {
    this.#tell([module]);
  }

  /** The thread ends soon, and lets go of the main thread before. */
  leave(): void {
    this.#isLeaving = true;
    this.#worker.postMessage("leave");
  }
}
