/** What a server still holds after its garbage was collected, as `heap-watch.ts` writes it down inside of the server. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const watch = fileURLToPath(new URL("heap-watch.ts", import.meta.url));
const LOOK_MS = 20;

export class KeptHeap {
  /** What the server's environment needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly #file: string;

  /** `folder` is for the file. */
  constructor(folder: string, name: string) {
    this.#file = path.join(folder, `${name}.heap`);
    this.env = { NODE_OPTIONS: `--import=${watch}`, AGENTQ_BENCH_HEAP: this.#file };
  }

  /** In MB, of that process. */
  async now(pid: number): Promise<number> {
    const before = this.#all().length;
    process.kill(pid, "SIGUSR2");
    while (this.#all().length === before) await sleep(LOOK_MS);
    return this.#all().at(-1) ?? Number.NaN;
  }

  #all(): number[] {
    return existsSync(this.#file) ? readFileSync(this.#file, "utf8").trim().split("\n").map(Number) : [];
  }
}
