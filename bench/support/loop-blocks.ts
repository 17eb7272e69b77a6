/** How long a server kept its event loop to itself, as `loop-watch.ts` saw it from inside. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** As in `loop-watch.ts`, which writes down nothing shorter than 10 ms. */
const EVERY_MS = 5;

const watch = fileURLToPath(new URL("loop-watch.ts", import.meta.url));

/** What a server's environment needs to write its blocks into a file below `folder`. */
export function watchedLoop(folder: string): { readonly env: Record<string, string>; readonly blocks: LoopBlocks } {
  const file = path.join(folder, "loop-blocks.txt");
  return { env: { NODE_OPTIONS: `--import=${watch}`, AGENTQ_BENCH_LOOP: file }, blocks: new LoopBlocks(file) };
}

export class LoopBlocks {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The longest block since the moment (`Date.now()`), in milliseconds: of the shorter of both clocks, so load counts as none. */
  longestSince(moment: number): number {
    return Math.max(0, ...this.#since(moment));
  }

  /** The delay that 99 of 100 looks at the loop stayed below, in milliseconds; 0 for one that is too short to be told. */
  p99Since(moment: number): number {
    const looks = (Date.now() - moment) / EVERY_MS;
    return this.#since(moment).toSorted((a, b) => b - a)[Math.floor(looks / 100)] ?? 0;
  }

  #since(moment: number): number[] {
    if (!existsSync(this.#file)) return [];
    const blocks = readFileSync(this.#file, "utf8").trim().split("\n");
    return blocks.flatMap((line) => {
      const [at = 0, clock = 0, processor = 0] = line.split(" ").map(Number);
      return at >= moment ? [Math.min(clock, processor)] : [];
    });
  }
}
