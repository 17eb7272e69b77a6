/** Compares both sides on one package: a process of its own, so that its memory is given back. Prints a JSON line. */
import { runsAll } from "../support/extent.ts";
import { askOurs } from "./ask-ours.ts";
import { askTheirs } from "./ask-theirs.ts";
import { compareAnswers } from "./compare.ts";
import type { Comparison, PackageComparison } from "./recording.ts";
import { installPackage } from "./install.ts";
import { openLanguageService } from "./language-service.ts";
import { isPublishedSample, oraclePackages, sampleSeed, sampleSize } from "./packages.ts";
import { comparisonsOf, fingerprint, readRecording, type RecordedSymbol } from "./recording.ts";
import { sampleSymbols } from "./sample.ts";
import { symbolsOf } from "./symbols.ts";

/** So many, two of every kind, are compared with the recorded answers. */
const COMPARED = 36;

const wanted = oraclePackages.find((each) => each.name === process.argv[2]);
if (wanted === undefined) throw new Error(`${process.argv[2] ?? "nothing"} is none of the oracle's packages`);
const installed = installPackage(wanted);
if ("missing" in installed) {
  console.error(installed.missing);
  process.exit(1);
}
const { folder } = installed;
const { name, version } = wanted;
const recording = runsAll || !isPublishedSample ? undefined : readRecording(wanted);
const compared = (recording && (await compareWithRecording(recording))) ?? (await compareWithTypeScript6());
process.stdout.write(`${JSON.stringify(compared)}\n`);

/** Undefined when an answer of ours is another than the one that was judged. */
async function compareWithRecording(recorded: readonly RecordedSymbol[]): Promise<PackageComparison | undefined> {
  const started = performance.now();
  const asked = recorded.slice(0, COMPARED);
  const ours = await askOurs(folder, asked);
  const isAsJudged = asked.every(({ address, answers }) => fingerprint(ours.get(address)?.answers ?? {}) === answers);
  if (!isAsJudged) return undefined;
  const seconds = { ours: (performance.now() - started) / 1_000 };
  return { name, version, comparisons: comparisonsOf(recorded), problems: [], seconds };
}

async function compareWithTypeScript6(): Promise<PackageComparison> {
  const oracle = openLanguageService(folder);
  const symbols = sampleSymbols(symbolsOf(oracle), sampleSize, sampleSeed);
  const started = performance.now();
  const ours = await askOurs(folder, symbols);
  const asked = performance.now();
  const comparisons: Comparison[] = [];
  const problems: PackageComparison["problems"][number][] = [];
  for (const symbol of symbols) {
    const answer = ours.get(symbol.address);
    for (const problem of answer?.problems ?? [])
      problems.push({ address: symbol.address, kind: symbol.kind, problem });
    comparisons.push(...compareAnswers(oracle, symbol, askTheirs(oracle, symbol), answer?.answers ?? {}));
  }
  const seconds = { ours: (asked - started) / 1_000, theirs: (performance.now() - asked) / 1_000 };
  return { name, version, comparisons, problems, seconds };
}
