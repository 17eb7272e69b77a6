/** How much of the machine a program may take, as far as Linux limits that without any rights. */
import { statfs } from "node:fs/promises";
import { totalmem } from "node:os";

export interface Limits {
  /** The size of a file: the next write fails. */
  readonly fileBytes: number;
  /** The number of processes and threads in a wall; Linux does not limit root's. */
  readonly processes: number;
  /** The memory of one process: the next allocation fails. */
  readonly memoryBytes: number;
  /** The processor time of one process: the process is ended. */
  readonly processorSeconds: number;
  /** What stays free of the disk that holds a layer; undefined for as much as seems right. */
  readonly freeBytes?: number;
}

const GIB = 2 ** 30;

export const LIMITS: Limits = {
  fileBytes: 2 * GIB,
  processes: 4096,
  memoryBytes: Math.max(2 * GIB, Math.floor(totalmem() * 0.75)),
  processorSeconds: 3 * 3600,
};

/** Stands before a command. */
export function limitWords({ fileBytes, processes, memoryBytes, processorSeconds }: Partial<Limits>): string[] {
  const values = { core: 0, fsize: fileBytes, nproc: processes, data: memoryBytes, cpu: processorSeconds };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return ["prlimit", ...given.map(([name, value]) => `--${name}=${value}`), "--"];
}

const LOOK_MS = 250;

/** Calls `onFull` once when the disk of the folder gets full. The watch belongs to the caller, who ends it. */
export class DiskWatch {
  #timer: NodeJS.Timeout | undefined;
  #floor: number | undefined;

  constructor(folder: string, freeBytes: number | undefined, onFull: () => void) {
    this.#floor = freeBytes;
    this.#timer = setInterval(() => void this.#look(folder, onFull), LOOK_MS);
  }

  async #look(folder: string, onFull: () => void): Promise<void> {
    const disk = await statfs(folder).catch(() => undefined);
    if (disk === undefined || this.#timer === undefined) return;
    const free = disk.bavail * disk.bsize;
    // A disk that is nearly full already, or small, is no reason to run nothing.
    this.#floor ??= Math.min(GIB, (disk.blocks * disk.bsize) / 10, free / 2);
    if (free >= this.#floor) return;
    this.end();
    onFull();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
