/** One command where nothing walls programs in: in the project itself, with all of the person's rights. */
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { killWithGroup, spawn, type ChildProcess } from "../../process/spawn.ts";
import type { CommandRequest } from "./command-run.ts";
import { KeptOutput } from "../layer/kept-output.ts";
import type { LayerRunEnd } from "./run-in-layer.ts";

export interface UnwalledRun {
  readonly end: LayerRunEnd;
  readonly timedOut: boolean;
  readonly durationMs: number;
  readonly output: ReturnType<KeptOutput["text"]>;
  /** Something that the command started holds its output open and could not be stopped: it left the process group. */
  readonly goesOn: boolean;
}

/** So long the output of programs that were stopped may take to arrive. */
const LAST_WORDS_MS = 1_000;

/** Never rejects. Afterwards nothing of the command's process group lives, however the command ended. */
export async function runUnwalled(
  { command, folder, timeoutMs }: Omit<CommandRequest, "unsaved">,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<UnwalledRun> {
  const limit = AbortSignal.timeout(timeoutMs);
  const stop = AbortSignal.any([signal, limit]);
  const kept = new KeptOutput();
  const began = performance.now();
  const child = startShell(command, folder, { ...env, NO_COLOR: "1", TERM: "dumb" });
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.on("data", (chunk: Buffer) => kept.take(stream, chunk));
  }
  const isClosed = new Promise<boolean>((resolve) => child.once("close", () => resolve(true)));
  const ended = new Promise<LayerRunEnd>((resolve) => {
    child.once("error", ({ message }) =>
      resolve({ kind: "refused", reason: `the shell could not be started: ${message}` }),
    );
    child.once("exit", (code, name) => {
      const byName = name === null ? 1 : 128 + constants.signals[name];
      resolve({ kind: "ended", code: code ?? byName, isStopped: stop.aborted });
    });
  });
  const kill = (): void => killTree(child);
  if (stop.aborted) kill();
  else stop.addEventListener("abort", kill, { once: true });
  const end = await ended;
  stop.removeEventListener("abort", kill);
  const durationMs = performance.now() - began;
  // What goes on in the background would go on unseen.
  killTree(child);
  const goesOn = end.kind === "ended" && !(await Promise.race([isClosed, sleep(LAST_WORDS_MS, false, { ref: false })]));
  child.stdout?.destroy();
  child.stderr?.destroy();
  return { end, timedOut: limit.aborted && !signal.aborted, durationMs, output: kept.text(), goesOn };
}

/** In a session of its own the command cannot ask at the terminal that the editor may run in. */
function startShell(command: string, cwd: string, env: Record<string, string>): ChildProcess {
  const options = { cwd, env, stdio: ["ignore", "pipe", "pipe"] } satisfies Parameters<typeof spawn>[2];
  if (process.platform !== "win32") return spawn("sh", ["-c", command], { ...options, detached: true });
  const shell = env["COMSPEC"] ?? env["ComSpec"] ?? "cmd.exe";
  const verbatim = { windowsHide: true, windowsVerbatimArguments: true };
  return spawn(shell, ["/d", "/s", "/c", `"${command}"`], { ...options, ...verbatim });
}

/** Windows knows no process groups, but who started whom. */
function killTree(child: ChildProcess): void {
  if (process.platform !== "win32") return killWithGroup(child);
  if (child.exitCode !== null || child.pid === undefined) return;
  spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () =>
    child.kill(),
  );
}
