/** How a package's scripts start Node for its tests. */
import type { Manifest } from "./manifest.ts";
import { callIn, keptWords, type RunnerCall } from "./test-script.ts";

const VALUED = ["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file"];
const DROPPED = /^--(?:test(?!-timeout|-force-exit|-isolation)|experimental-test-coverage|watch)(?:$|[-=])/;
/** Programs that are Node with a loader of their own. */
const LOADERS: Readonly<Record<string, readonly string[]>> = { node: [], tsx: ["--import", "tsx"] };

/** Undefined where no script runs `node --test`. */
export function nodeTestCall(manifest: Manifest): RunnerCall | undefined {
  for (const [program, loader] of Object.entries(LOADERS)) {
    const call = callIn(manifest, (name, following) => name === program && following.includes("--test"));
    if (call === undefined) continue;
    const own = keptWords(call.words, { valued: VALUED, dropped: DROPPED, names: false });
    return { ...call, words: [...loader, ...own] };
  }
  return undefined;
}
