/** How long it takes to stop each way of hanging that the tests know, with the image's state kept. */
import { writeFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Image } from "../../server/src/repl/image.ts";
import { hangKinds } from "../../test/unit/repl/child/control/hang-kinds.ts";
import { imageMaker, valueOf, type ImageWatch } from "../support/image-host.ts";
import { rowsOf, type MeasureReport } from "../support/report.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";
import { median } from "../support/statistics.ts";

const ROUNDS = 5;
/** Long enough that it really hangs; not part of what is measured. */
const HANGS_MS = 30;
const SLOWEST = 5;
const SPINS = "exports.before = 1;\nwhile (true) Math.random();\n";

export function measureImageInterrupts({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    mkdirSync(path.join(folder, "src"));
    writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    writeFileSync(path.join(folder, "src/spins.ts"), SPINS.replace("exports.before", "export const before"));
    writeFileSync(path.join(folder, "src/spins.cts"), SPINS);
    const startImage = await imageMaker(program);
    const times = new Map<string, number[]>();
    for (let round = 0; round < rounds(ROUNDS); round += 1) {
      for (const [kind, taken] of await oneRound(startImage, folder)) {
        times.set(kind, [...(times.get(kind) ?? []), taken]);
      }
    }
    const kinds = [...times].toSorted(([, a], [, b]) => median(b) - median(a));
    const slowest = kinds.slice(0, SLOWEST).map(([kind, taken]) => `${kind} ${Math.round(median(taken))} ms`);
    const subject = `${kinds.length} kinds of hanging`;
    return {
      rows: rowsOf(
        { measure: "interrupt, until the evaluation has ended", unit: "ms" },
        { [subject]: [...times.values()].flat() },
      ),
      notes: [`Slowest to stop, in the median: ${slowest.join(", ")}.`],
    };
  });
}

/** In an image of its own: what a stopped `require` left behind is there the next time. */
async function oneRound(
  startImage: Awaited<ReturnType<typeof imageMaker>>,
  folder: string,
): Promise<ReadonlyMap<string, number>> {
  const hanging = new Map<string, () => void>();
  const watch: ImageWatch = {
    onOutput: ({ evalId = "", text }) => (text.includes("hanging") ? hanging.get(evalId)?.() : undefined),
  };
  const image = startImage(folder, watch);
  const times = new Map<string, number>();
  try {
    await valueOf(image, "const kept = 'still here'");
    const { pid } = image.status();
    for (const [kind, code] of Object.entries(hangKinds)) times.set(kind, await stop(image, code, kind, hanging));
    const kept = await valueOf(image, "kept");
    if (kept !== '"still here"' || image.status().pid !== pid) throw new Error("an interrupt lost the state");
  } finally {
    await image.dispose();
  }
  return times;
}

async function stop(image: Image, code: string, evalId: string, hanging: Map<string, () => void>): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  hanging.set(evalId, resolve);
  const running = image.evaluate({ code, by: "agent", evalId }, new AbortController().signal);
  await promise;
  hanging.delete(evalId);
  await delay(HANGS_MS);
  const began = performance.now();
  await image.interrupt(evalId);
  const { outcome, stateKept } = await running;
  if (outcome !== "interrupted" || !stateKept) throw new Error(`${evalId} ended with ${outcome}`);
  return performance.now() - began;
}
