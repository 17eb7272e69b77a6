/** Compares both sides on one package: a process of its own, so that its memory is given back. Prints a JSON line. */
import { askOurs } from "./ask-ours.ts";
import { askTheirs } from "./ask-theirs.ts";
import { compareAnswers, type Comparison, type PackageComparison } from "./compare.ts";
import { installPackage } from "./install.ts";
import { openLanguageService } from "./language-service.ts";
import { oraclePackages, seed, symbolsPerPackage } from "./packages.ts";
import { sampleSymbols } from "./sample.ts";
import { symbolsOf } from "./symbols.ts";

const name = process.argv[2];
const wanted = oraclePackages.find((each) => each.name === name);
if (wanted === undefined) throw new Error(`${name ?? "nothing"} is none of the oracle's packages`);
const installed = installPackage(wanted);
if ("missing" in installed) {
  console.error(installed.missing);
  process.exit(1);
}
const { folder } = installed;
const oracle = openLanguageService(folder);
const count = Number(process.env["AGENTQ_ORACLE_SYMBOLS"] ?? symbolsPerPackage);
const symbols = sampleSymbols(symbolsOf(oracle), count, Number(process.env["AGENTQ_ORACLE_SEED"] ?? seed));
const started = performance.now();
const ours = await askOurs(folder, symbols);
const asked = performance.now();
const comparisons: Comparison[] = [];
const problems: PackageComparison["problems"][number][] = [];
for (const symbol of symbols) {
  const answer = ours.get(symbol.address);
  for (const problem of answer?.problems ?? []) problems.push({ address: symbol.address, kind: symbol.kind, problem });
  comparisons.push(...compareAnswers(oracle, symbol, askTheirs(oracle, symbol), answer?.answers ?? {}));
}
const seconds = { ours: (asked - started) / 1_000, theirs: (performance.now() - asked) / 1_000 };
const compared: PackageComparison = { name: wanted.name, version: wanted.version, comparisons, problems, seconds };
process.stdout.write(`${JSON.stringify(compared)}\n`);
