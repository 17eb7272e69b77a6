/** Where the two sides' answers differ, and which of the differences a rule explains. */
import { aspects, type Answers } from "./aspects.ts";
import { differenceRules, type DifferenceContext } from "./differences.ts";
import type { LanguageService } from "./language-service.ts";
import { fingerprint, type Comparison, type Difference } from "./recording.ts";
import type { OracleSymbol } from "./symbols.ts";

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
