/** Runs the contenders of a measure in turns, A B C B C A C A B …, and keeps what each took. */
import { progress } from "./progress.ts";

/** Contract: does one repetition from scratch, leaves nothing running, and answers what it measured. */
export type Contender<Sample> = () => Promise<Sample>;

export interface Turns<Name extends string> {
  /** False where each repetition warms itself up before it measures. */
  readonly warmUp?: boolean;
  /** Fewer rounds for slow contenders, whose place nobody doubts: each takes part in the first so many rounds. */
  readonly atMost?: Readonly<Partial<Record<Name, number>>>;
}

/**
 * One round before the counted ones warms the disk cache and Node's compile cache for everybody. The order is turned
 * by one in each round, so that nobody always runs behind the same neighbour.
 */
export async function inTurns<Name extends string, Sample>(
  contenders: Readonly<Record<Name, Contender<Sample>>>,
  rounds: number,
  { warmUp = true, atMost }: Turns<Name> = {},
): Promise<Record<Name, Sample[]>> {
  const names = Object.keys(contenders) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<Name, Sample[]>;
  for (let round = warmUp ? -1 : 0; round < rounds; round += 1) {
    const turn = Math.max(0, round) % names.length;
    for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
      if (round >= (atMost?.[name] ?? rounds)) continue;
      progress(round < 0 ? `warming up: ${name}` : `round ${round + 1} of ${rounds}: ${name}`);
      const sample = await contenders[name]();
      if (round >= 0) samples[name].push(sample);
    }
  }
  return samples;
}

/** What `work` takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
