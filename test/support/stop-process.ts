/** Stops a process as a terminal's Ctrl+Z would, and returns once all of its threads stand still. */
import { execFileSync } from "node:child_process";
import { vi } from "vitest";

/** On a busy machine the threads of a process go on for a moment after the signal. */
export async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  const threads = process.platform === "linux" ? ["-L"] : [];
  const states = (): string[] =>
    execFileSync("ps", [...threads, "-o", "stat=", "-p", String(pid)], { encoding: "utf8" })
      .trim()
      .split("\n");
  await vi.waitUntil(() => states().every((state) => state.startsWith("T")), { timeout: 40_000, interval: 20 });
}
