/** The REPL's processes, on Linux. */
import { descendantsOf, readProcess } from "./descendants.ts";

/** Those that a process has started. */
export function imagesOf(pid: number): number[] {
  return descendantsOf(pid).filter((child) => {
    const [program = "", ...args] = readProcess(child, "cmdline")?.split("\0") ?? [];
    return program.endsWith("node") && args.some((arg) => /\bboot\.(?:ts|cjs)$/.test(arg));
  });
}
