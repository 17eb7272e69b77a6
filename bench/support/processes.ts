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
  return family(pid).flatMap(useOf);
}

function family(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = statOf(Number(entry))?.[1];
    if (parent !== undefined) parents.set(Number(entry), Number(parent));
  }
  const members = [pid];
  for (const member of members) for (const [child, parent] of parents) if (parent === member) members.push(child);
  return members;
}

export function totalCpuMs(pid: number): number {
  return processTree(pid).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/**
 * Looks at a process and its descendants again and again: what one that is gone had used until the last look still counts.
 * Answers what ends the looks, and tells what was used in between.
 */
export function watchCpu(pid: number, everyMs: number): () => number {
  if (!canReadProcesses) return () => Number.NaN;
  const seen = new Map<number, number>();
  const look = (): void => {
    for (const member of family(pid)) seen.set(member, cpuMsOf(statOf(member)) ?? seen.get(member) ?? 0);
  };
  const sum = (): number => [...seen.values()].reduce((all, cpuMs) => all + cpuMs, 0);
  look();
  const before = sum();
  const timer = setInterval(look, everyMs);
  return () => {
    clearInterval(timer);
    look();
    return sum() - before;
  };
}

function useOf(pid: number): ProcessUse[] {
  const stat = statOf(pid);
  const name = readOf(pid, "comm")?.trim();
  const status = readOf(pid, "status") ?? "";
  if (stat === undefined || name === undefined || !status.includes("VmRSS:")) return [];
  const cpuMs = cpuMsOf(stat) ?? Number.NaN;
  const pssMb = megabytesOf("Pss", readOf(pid, "smaps_rollup") ?? "");
  return [{ pid, name, rssMb: megabytesOf("VmRSS", status), peakMb: megabytesOf("VmHWM", status), pssMb, cpuMs }];
}

function cpuMsOf(stat: readonly string[] | undefined): number | undefined {
  return stat === undefined ? undefined : (Number(stat[11]) + Number(stat[12])) * MS_PER_TICK;
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
