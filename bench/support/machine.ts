/** What the figures were measured on: without it they mean nothing. */
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

export interface MachineFacts {
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cpus: number;
  readonly memoryGb: number;
  /** Runnable processes averaged over the last minute when the run began: well above 0 means a noisy run. */
  readonly loadAverage: number;
}

export function machineFacts(): MachineFacts {
  return {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? "unknown processor",
    cpus: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    loadAverage: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}
