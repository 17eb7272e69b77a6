/** docs/oracle.md: how well the engine agrees with TypeScript 6, and every way in which it does not. */
import { aspects, type Aspect } from "./aspects.ts";
import type { Comparison, Difference, PackageComparison } from "./recording.ts";
import { differenceRules } from "./differences.ts";
import { seed, symbolsPerPackage } from "./packages.ts";

export interface Figures {
  readonly symbols: number;
  readonly theirs: number;
  readonly ours: number;
  readonly agreed: number;
  readonly explained: number;
  readonly unexplained: number;
  /** The same once the rules have said who is right: differences in which TypeScript 6 is not right do not count. */
  readonly judged: { readonly recall: string; readonly precision: string };
}

export function figuresOf(comparisons: readonly Comparison[]): Figures {
  const sum = (count: (each: Comparison) => number): number =>
    comparisons.reduce((total, each) => total + count(each), 0);
  const against = (side: Difference["side"]): number =>
    sum(({ differences }) => differences.filter((each) => each.side === side && countsAgainstUs(each)).length);
  const agreed = sum((each) => each.agreed);
  const ours = sum((each) => each.ours);
  return {
    symbols: comparisons.length,
    theirs: sum(({ theirs }) => theirs),
    ours,
    agreed,
    judged: { recall: share(ours, ours + against("missing")), precision: share(ours - against("extra"), ours) },
    explained: sum(({ differences }) => differences.filter(({ rule }) => rule !== undefined).length),
    unexplained: sum(({ differences }) => differences.filter(({ rule }) => rule === undefined).length),
  };
}

function countsAgainstUs({ rule }: Difference): boolean {
  const found = differenceRules.find(({ id }) => id === rule);
  return found === undefined || found.right === "TypeScript 6";
}

/** The share of what TypeScript 6 says that we say, too. */
export function recall({ agreed, theirs }: Figures): string {
  return share(agreed, theirs);
}

/** The share of what we say that TypeScript 6 says, too. */
export function precision({ agreed, ours }: Figures): string {
  return share(agreed, ours);
}

export function oraclePage(packages: readonly PackageComparison[]): string {
  return [
    "# The oracle",
    "",
    "Made by `npx vitest run test/oracle -u`; change the test, not this page.",
    "",
    `The engine's answers beside those of TypeScript 6's LanguageService, which shares no code with TypeScript 7, on packages that ship their TypeScript source. ${symbolsPerPackage} symbols of each package are asked about by their addresses (seed ${seed}); the rare kinds are all in the sample. Recall and precision count every difference, also where TypeScript 6 is wrong; the judged columns count those alone in which TypeScript 6 is right. A rule explains each difference (its reason stands in \`test/oracle/differences.ts\`), and the test proves the rule with TypeScript 6's own tree and checker.`,
    "",
    `${packages.map(({ name, version }) => `${name} ${version}`).join(", ")} together:`,
    "",
    ...figuresTable(packages),
    "",
    "## Differences",
    "",
    ...rulesTable(packages),
    "",
  ].join("\n");
}

/** One difference on a line, for the failing test. */
export function describeDifference({ aspect, kind, address }: Comparison, { side, item }: Difference): string {
  return `${aspect} of ${kind} ${address}: ${side === "missing" ? "TypeScript 6 also has" : "only we have"} ${item}`;
}

function figuresTable(packages: readonly PackageComparison[]): string[] {
  const all = packages.flatMap(({ comparisons }) => comparisons);
  const rows = aspects.map((aspect) => {
    const figures = figuresOf(all.filter((each) => each.aspect === aspect));
    const { symbols, theirs, ours, agreed, judged } = figures;
    return `| ${ASKED[aspect]} | ${symbols} | ${theirs} | ${ours} | ${agreed} | ${recall(figures)} | ${precision(figures)} | ${judged.recall} | ${judged.precision} |`;
  });
  const head =
    "| question | symbols | TypeScript 6 | ours | the same | recall | precision | recall, judged | precision, judged |";
  return [head, `|---|${"--:|".repeat(8)}`, ...rows];
}

const ASKED: Readonly<Record<Aspect, string>> = {
  address: "the address leads to it",
  references: "references",
  mentions: "references as who_references lists them",
  callers: "callers",
  implementations: "implementations",
  members: "members",
};

function rulesTable(packages: readonly PackageComparison[]): string[] {
  const differences = packages.flatMap(({ comparisons }) => comparisons).flatMap((each) => each.differences);
  const rows = differenceRules.map(({ id, aspects: of, right }) => {
    const count = differences.filter(({ rule }) => rule === id).length;
    return `| ${id} | ${of.join(", ")} | ${count} | ${right} |`;
  });
  return ["| rule | question | times | right |", "|---|---|--:|---|", ...rows];
}

function share(part: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = (part / whole) * 100;
  return `${part === whole ? "100" : Math.min(99.9, percent).toFixed(1)} %`;
}
