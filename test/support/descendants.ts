/** The processes that a process has started, on Linux. */
import { readdirSync, readFileSync } from "node:fs";

export function descendantsOf(pid: number): number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(Number(name)) === pid)
    .map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function parentOf(pid: number): number | undefined {
  const fields = readProcess(pid, "stat")?.split(") ").at(-1)?.split(" ");
  return fields === undefined ? undefined : Number(fields[1]);
}

/** Undefined when the process is gone. */
export function readProcess(pid: number, what: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${what}`, "utf8");
  } catch {
    return undefined;
  }
}
