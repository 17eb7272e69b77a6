/**
 * What TypeScript 6 answered and how each difference was judged, as tracked text. Both are a function of the package, the
 * TypeScript 6, the sample, our answer and the judge's code, so TypeScript 6 is asked again only when one of these changed.
 */
import ts from "@typescript/typescript6";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Answers, Aspect } from "./aspects.ts";
import { seed, symbolsPerPackage, type OraclePackage } from "./packages.ts";
import type { SymbolKind } from "./symbols.ts";

export interface Comparison {
  readonly aspect: Aspect;
  readonly address: string;
  readonly kind: SymbolKind;
  /** The fingerprint of all our answers about the symbol. */
  readonly answers: string;
  readonly theirs: number;
  readonly ours: number;
  readonly agreed: number;
  readonly differences: readonly Difference[];
}

export interface Difference {
  /** `missing`: TypeScript 6 says it and we do not. `extra`: the other way round. */
  readonly side: "missing" | "extra";
  readonly item: string;
  /** The rule that explains it. */
  readonly rule: string | undefined;
}

/** What the process that compares one package prints. */
export interface PackageComparison {
  readonly name: string;
  readonly version: string;
  readonly comparisons: readonly Comparison[];
  /** Addresses that did not lead to exactly one symbol, and questions that failed. */
  readonly problems: readonly { readonly address: string; readonly kind: SymbolKind; readonly problem: string }[];
  /** How long each side took for the whole sample. TypeScript 6 was not asked when its recorded answers still hold. */
  readonly seconds: { readonly ours: number; readonly theirs?: number };
}

export interface RecordedSymbol {
  readonly address: string;
  readonly kind: SymbolKind;
  /** The fingerprint of our answers that were judged. */
  readonly answers: string;
  /** How many items TypeScript 6 has. */
  readonly theirs: Partial<Record<Aspect, number>>;
  readonly differences: readonly (Difference & { readonly aspect: Aspect })[];
}

/** The recording of a package, unless there is none or it was made of something else. */
export function readRecording(wanted: OraclePackage): readonly RecordedSymbol[] | undefined {
  const file = new URL(recordingFile(wanted), import.meta.url);
  if (!existsSync(file)) return undefined;
  const [key = "", ...symbols] = readFileSync(file, "utf8").trimEnd().split("\n");
  if (JSON.parse(key) !== recordingKey(wanted)) return undefined;
  return symbols.map((line) => JSON.parse(line) as RecordedSymbol);
}

/** The file of a recording, seen from this folder. */
export function recordingFile({ name }: Pick<OraclePackage, "name">): string {
  return `recorded/${name}.jsonl`;
}

/** The key on the first line, then a symbol a line, so that a review sees which answers changed. */
export function recordingText(compared: PackageComparison): string {
  const bySymbol = [...Map.groupBy(compared.comparisons, ({ address }) => address).values()];
  const lines = [recordingKey(compared), ...bySymbol.map(recordedSymbol)].map((each) => JSON.stringify(each));
  return `${lines.join("\n")}\n`;
}

export function comparisonsOf(symbols: readonly RecordedSymbol[]): Comparison[] {
  return symbols.flatMap(({ address, kind, answers, theirs, differences }) =>
    (Object.entries(theirs) as [Aspect, number][]).map(([aspect, count]) => {
      const own = differences.filter((each) => each.aspect === aspect);
      const plain = own.map(({ side, item, rule }) => ({ side, item, rule }));
      const agreed = count - plain.filter(({ side }) => side === "missing").length;
      const ours = agreed + plain.filter(({ side }) => side === "extra").length;
      return { aspect, address, kind, answers, theirs: count, ours, agreed, differences: plain };
    }),
  );
}

/** Equal for equal answers. */
export function fingerprint(answers: Answers): string {
  const sorted = Object.entries(answers).map(([aspect, items]) => [aspect, [...items].toSorted()]);
  return hash(JSON.stringify(sorted));
}

function recordedSymbol(comparisons: readonly Comparison[]): RecordedSymbol {
  const [first] = comparisons;
  if (first === undefined) throw new Error("A symbol without a comparison");
  return {
    address: first.address,
    kind: first.kind,
    answers: first.answers,
    theirs: Object.fromEntries(comparisons.map(({ aspect, theirs }) => [aspect, theirs])),
    differences: comparisons.flatMap(({ aspect, differences }) => differences.map((each) => ({ aspect, ...each }))),
  };
}

function recordingKey({ name, version }: Pick<OraclePackage, "name" | "version">): string {
  return `${name} ${version}, TypeScript ${ts.version}, ${symbolsPerPackage} symbols of seed ${seed}, judge ${judge()}`;
}

/** These ask us and write down; every other file of this folder is the judge's. */
const NO_JUDGES: readonly string[] = [
  "ask-ours.ts",
  "compare-package.ts",
  "oracle.test.ts",
  "recording.ts",
  "report.ts",
];

/** The judge's code without its comments and types. */
function judge(): string {
  const folder = new URL(".", import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && !NO_JUDGES.includes(file));
  const compilerOptions: ts.CompilerOptions = { target: ts.ScriptTarget.ESNext, removeComments: true };
  const code = files
    .toSorted()
    .map((file) => ts.transpileModule(readFileSync(new URL(file, folder), "utf8"), { compilerOptions }).outputText);
  return hash(code.join("\n"));
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
