/** Names of symbols for what people type: whether an address means one, and which names begin so or hold that part. */
import { distinctMatches } from "../../typescript/names/index/distinct-matches.ts";
import { resolveSymbol } from "../../typescript/names/resolve-symbol.ts";
import { bestMatches, searchSymbols } from "../../typescript/names/index/search-symbols.ts";
import { shortAddress } from "../../typescript/names/short-address.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { mapLimited } from "../../typescript/yielding.ts";

export interface NamedSymbol {
  /** `src/cart.ts#Cart.total` */
  readonly address: string;
  /** The word of the source: class, function, property. */
  readonly kind: string;
}

export interface SymbolNames {
  /** Whether the compiler knows what the address means, be it several symbols. Rejects where the compiler cannot run. */
  readonly isKnown: (address: string, signal: AbortSignal) => Promise<boolean>;
  /** The project's own first. Rejects where the compiler cannot run. */
  readonly matching: (part: string, limit: number, signal: AbortSignal) => Promise<readonly NamedSymbol[]>;
}

const PLAIN = /^[\p{L}\p{N}_$.]+$/u;

export function createSymbolNames(service: TypeScriptService): SymbolNames {
  return {
    isKnown: (address, signal) =>
      service.query(async (view) => {
        const { kind } = await resolveSymbol(view, address);
        return kind === "found" || kind === "ambiguous" || kind === "module";
      }, signal),
    matching: async (part, limit, signal) => {
      if (!PLAIN.test(part)) return [];
      return service.query(async (view) => {
        const { matches } = await searchSymbols(view, part, undefined);
        const named = matches.filter(({ declaration }) => !declaration.maybeAlias && !declaration.local);
        const best = await bestMatches(await distinctMatches(view, named), limit);
        return mapLimited(
          best,
          async ({ declaration }) => ({ address: await shortAddress(view, declaration), kind: declaration.kind }),
          view.signal,
        );
      }, signal);
    },
  };
}
