import type { SpawnOptions } from "node:child_process";

export function runInForeground(program: string, args: string[], options?: SpawnOptions): Promise<number>;
