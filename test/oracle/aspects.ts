/** The questions both sides are asked, and which symbols each is asked about. */
import type { SymbolKind } from "./symbols.ts";

export const aspects = ["address", "references", "mentions", "callers", "implementations", "members"] as const;
export type Aspect = (typeof aspects)[number];

/** A name that is a type by its first declaration may be a function by another. */
const CALLED: ReadonlySet<SymbolKind> = new Set<SymbolKind>([
  "interface",
  "type alias",
  "namespace",
  "function",
  "local function",
  "variable",
  "class",
  "constructor",
  "method",
  "interface method",
  "property",
  "parameter property",
  "interface property",
  "accessor",
  "object literal member",
  "type literal member",
]);
const IMPLEMENTED: ReadonlySet<SymbolKind> = new Set<SymbolKind>([
  "class",
  "interface",
  "method",
  "interface method",
  "interface property",
  "property",
  "accessor",
]);
const WITH_MEMBERS: ReadonlySet<SymbolKind> = new Set<SymbolKind>(["class", "interface", "type alias", "enum"]);
export function isAsked(aspect: Aspect, kind: SymbolKind): boolean {
  switch (aspect) {
    case "address":
    case "references":
    case "mentions":
      return true;
    case "callers":
      return CALLED.has(kind);
    case "implementations":
      return IMPLEMENTED.has(kind);
    case "members":
      return WITH_MEMBERS.has(kind);
    default:
      return aspect satisfies never;
  }
}

/** What one side says to each question; a question that it was not asked is not there. */
export type Answers = Partial<Record<Aspect, ReadonlySet<string>>>;
