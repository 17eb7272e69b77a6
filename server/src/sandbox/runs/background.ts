/**
 * Commands that go on by themselves: servers, watchers. They see the project as it is at every moment, because a layer over all of
 * it would go on showing files that have been replaced since; only the output and cache folders that are named can be written to.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { untilAborted } from "../../base/abort.ts";
import { given } from "../../base/given.ts";
import type { BackgroundCommand } from "../../protocol/status.ts";
import type { CommandRequest } from "./command-run.ts";
import { KeptOutput } from "../layer/kept-output.ts";
import type { LayerRunEnd } from "./run-in-layer.ts";
import type { Sandbox } from "../sandbox.ts";

export interface BackgroundRequest extends Pick<CommandRequest, "command" | "folder" | "hosts"> {
  /** Folders that git ignores, by their real paths; none lies inside of another. What is written there is dropped in the end. */
  readonly writable: readonly string[];
}

/** What a command printed since it was read last. */
export interface BackgroundNews {
  readonly id: string;
  readonly command: string;
  readonly output: ReturnType<KeptOutput["text"]>;
  readonly denials: readonly string[];
  /** Undefined as long as the command runs. */
  readonly end?: LayerRunEnd;
}

interface Job extends BackgroundCommand {
  readonly stop: AbortController;
  /** Settles when the wall stands: until then the command has not begun. */
  readonly begun: Promise<void>;
  readonly done: Promise<LayerRunEnd>;
  readonly denials: () => readonly string[];
  unread: KeptOutput;
  hasNews: boolean;
  end?: LayerRunEnd;
}

const MOST = 5;
/** So long a command that has begun gets to say that it is ready, or that it failed. */
const FIRST_LOOK_MS = 3_000;
const STEP_MS = 100;

export class BackgroundCommands {
  readonly #sandbox: Sandbox;
  readonly #onChange: () => void;
  readonly #jobs = new Map<string, Job>();
  #count = 0;

  constructor(sandbox: Sandbox, onChange: () => void) {
    this.#sandbox = sandbox;
    this.#onChange = onChange;
  }

  /** Those that run now. */
  list(): BackgroundCommand[] {
    const running = [...this.#jobs.values()].filter(({ end }) => end === undefined);
    return running.map(({ id, command, startedAt }) => ({ id, command, startedAt }));
  }

  /** Answers why nothing was started, or what the command said at first. Rejects once the signal aborts: then nothing runs. */
  async start(request: BackgroundRequest, signal: AbortSignal): Promise<BackgroundNews | string> {
    const running = this.list();
    if (running.length >= MOST)
      return `${MOST} commands run in the background: ${running.map(({ id }) => id).join(", ")}.`;
    const job = await this.#begin(request);
    this.#jobs.set(job.id, job);
    this.#onChange();
    try {
      await untilAborted(Promise.race([job.begun, job.done]), signal);
      await Promise.race([job.done, sleep(FIRST_LOOK_MS, undefined, { signal })]);
    } catch (error) {
      await this.stop(job.id);
      throw error;
    }
    return this.#news(job);
  }

  /** Waits a little where there is nothing new. Undefined where there is no such command. */
  async read(id: string, signal: AbortSignal): Promise<BackgroundNews | undefined> {
    const job = this.#jobs.get(id);
    if (job === undefined) return undefined;
    for (let left = FIRST_LOOK_MS; left > 0 && !job.hasNews && job.end === undefined; left -= STEP_MS) {
      await sleep(STEP_MS, undefined, { signal });
    }
    return this.#news(job);
  }

  /** With everything that the command started. */
  async stop(id: string): Promise<BackgroundNews | undefined> {
    const job = this.#jobs.get(id);
    if (job === undefined) return undefined;
    job.stop.abort();
    await job.done;
    return this.#news(job);
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#jobs.keys()].map((id) => this.stop(id)));
  }

  async #begin({ command, folder, hosts, writable }: BackgroundRequest): Promise<Job> {
    const layer = this.#sandbox.openOver(writable);
    const stop = new AbortController();
    const network = hosts.length === 0 ? undefined : await this.#sandbox.network(layer, hosts);
    const onOutput = (stream: "stdout" | "stderr", chunk: Buffer): void => {
      job.unread.take(stream, chunk);
      job.hasNews = true;
    };
    const { promise: begun, resolve: onBegun } = Promise.withResolvers<void>();
    const words: [string, ...string[]] = ["sh", "-c", command];
    const run = { layer, folder, command: words, onOutput, onBegun, signal: stop.signal };
    const done = this.#sandbox.run({ ...run, isLive: true, ...given({ network }) }).then(async (end) => {
      job.end = end;
      network?.dispose();
      await this.#sandbox.drop(layer);
      this.#onChange();
      return end;
    });
    const id = `b${(this.#count += 1)}`;
    const job: Job = {
      id,
      command,
      startedAt: new Date().toISOString(),
      stop,
      begun,
      done,
      denials: () => network?.denials() ?? [],
      unread: new KeptOutput(),
      hasNews: false,
    };
    return job;
  }

  #news(job: Job): BackgroundNews {
    const { id, command, unread, end } = job;
    job.unread = new KeptOutput();
    job.hasNews = false;
    if (end !== undefined) this.#jobs.delete(id);
    return { id, command, output: unread.text(), denials: job.denials(), ...given({ end }) };
  }
}
