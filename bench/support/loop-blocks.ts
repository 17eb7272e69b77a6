/** How long a server kept its event loop to itself, as `loop-watch.ts` saw it from inside. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

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
    if (!existsSync(this.#file)) return 0;
    const blocks = readFileSync(this.#file, "utf8").trim().split("\n");
    const lengths = blocks.map((line) => {
      const [at = 0, clock = 0, processor = 0] = line.split(" ").map(Number);
      return at >= moment ? Math.min(clock, processor) : 0;
    });
    return Math.max(0, ...lengths);
  }
}
