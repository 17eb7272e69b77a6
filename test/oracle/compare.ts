/** Where the two sides' answers differ, and which of the differences a rule explains. */
import { aspects, type Answers, type Aspect } from "./aspects.ts";
import { differenceRules, type DifferenceContext } from "./differences.ts";
import type { LanguageService } from "./language-service.ts";
import { fingerprint } from "./recording.ts";
import type { OracleSymbol, SymbolKind } from "./symbols.ts";

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

/** One comparison for each question that both were asked. */
export function compareAnswers(
  oracle: LanguageService,
  symbol: OracleSymbol,
  theirs: Answers,
  ours: Answers,
): Comparison[] {
  const answers = fingerprint(ours);
  return aspects.flatMap((aspect) => {
    const their = theirs[aspect];
    const our = ours[aspect];
    if (their === undefined || our === undefined) return [];
    const missing = [...their].filter((item) => !our.has(item));
    const extra = [...our].filter((item) => !their.has(item));
    const explain = (side: Difference["side"], item: string): Difference => {
      const context: DifferenceContext = { oracle, symbol, aspect, item, theirs: their, ours: our, all: theirs };
      const rule = differenceRules.find(
        (each) => each.side === side && each.aspects.includes(aspect) && each.holds(context),
      );
      return { side, item, rule: rule?.id };
    };
    return [
      {
        aspect,
        address: symbol.address,
        kind: symbol.kind,
        answers,
        theirs: their.size,
        ours: our.size,
        agreed: their.size - missing.length,
        differences: [
          ...missing.map((item) => explain("missing", item)),
          ...extra.map((item) => explain("extra", item)),
        ],
      },
    ];
  });
}
