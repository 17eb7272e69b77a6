/** Descriptors that whoever started this server left open for all of its children, without knowing of them. */
import { openSync, readdirSync } from "node:fs";
import { readRegularTextSync } from "../workspace/regular-file.ts";

/** `O_CLOEXEC` of Linux: the descriptor closes when another program begins. */
const CLOSES = 0o2000000;

let nothing: number | undefined;

/**
 * The `stdio` of a child from descriptor `first` on, so that it inherits nothing else: `/dev/null` for each
 * descriptor that it would inherit.
 */
export function nothingInherited(first = 3): ("ignore" | number)[] {
  const open = readdirSync("/proc/self/fd").map(Number);
  const inherited = open.filter((descriptor) => descriptor >= first && isInherited(descriptor));
  if (inherited.length === 0) return [];
  const replacement = (nothing ??= openSync("/dev/null", "r"));
  return Array.from({ length: Math.max(...inherited) + 1 - first }, (_, index) => {
    return inherited.includes(index + first) ? replacement : "ignore";
  });
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readRegularTextSync(`/proc/self/fdinfo/${descriptor}`))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSES) === 0;
  } catch {
    // Closed again: the one by which the folder was listed, for instance.
    return false;
  }
}
