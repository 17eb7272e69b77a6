import { readFileSync } from "node:fs";

declare module "vitest" {
  interface TaskMeta {
    /** What the file took, its processes included as far as somebody waited for their end; absent where the system does not tell. */
    processorSeconds?: number;
  }
}

/** Linux counts in hundredths of a second, whatever the processor. */
const TICKS_PER_SECOND = 100;

/**
 * The processor seconds, user and system, of this process and of all its ended children that were waited for, theirs included;
 * undefined where there is no /proc.
 */
export function processorSeconds(): number | undefined {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // The name, which may hold anything, stands in parentheses before the numbers.
    const numbers = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return numbers.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}
