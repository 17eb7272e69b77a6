/** What a process and its descendants use, read from `/proc`; other systems do not tell without a helper program. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

export interface ProcessUse {
  readonly pid: number;
  readonly name: string;
  readonly rssMb: number;
  /** The most that was ever resident. */
  readonly peakMb: number;
  /** Resident memory with each shared page divided among those who share it. */
  readonly pssMb: number;
  readonly cpuMs: number;
}

export const canReadProcesses: boolean = existsSync("/proc/self/stat");

/** Linux counts CPU time for user programs in hundredths of a second on every architecture. */
const MS_PER_TICK = 10;

/** The process itself first, then its descendants. */
export function processTree(pid: number): ProcessUse[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = statOf(Number(entry))?.[1];
    if (parent !== undefined) parents.set(Number(entry), Number(parent));
  }
  const family = [pid];
  for (const member of family) for (const [child, parent] of parents) if (parent === member) family.push(child);
  return family.flatMap(useOf);
}

export function totalCpuMs(pid: number): number {
  return processTree(pid).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

function useOf(pid: number): ProcessUse[] {
  const stat = statOf(pid);
  const name = readOf(pid, "comm")?.trim();
  const status = readOf(pid, "status") ?? "";
  if (stat === undefined || name === undefined || !status.includes("VmRSS:")) return [];
  const cpuMs = (Number(stat[11]) + Number(stat[12])) * MS_PER_TICK;
  const pssMb = megabytesOf("Pss", readOf(pid, "smaps_rollup") ?? "");
  return [{ pid, name, rssMb: megabytesOf("VmRSS", status), peakMb: megabytesOf("VmHWM", status), pssMb, cpuMs }];
}

function megabytesOf(field: string, text: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? Number.NaN) / 1024;
}

/** The fields of `/proc/<pid>/stat` behind the name, which may hold spaces: `[0]` is the state. */
function statOf(pid: number): string[] | undefined {
  const text = readOf(pid, "stat");
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** Undefined for a process that is gone by now. */
function readOf(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}
