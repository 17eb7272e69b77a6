/** The hierarchy around a class or interface: what it extends and implements, what extends, implements or fits it. */
import type { SymbolTarget } from "../../names/tree/declaration.ts";
import { findFits, prepareFits, type StructuralFit } from "./structural-fits.ts";
import { findSubtypes, subtypeTree, type SubtypeNode, type Subtypes } from "./subtypes.ts";
import { findSupertypes, type Supertype } from "./supertypes.ts";
import { typeEntryOf, type TypeEntry } from "./type-entry.ts";
import type { View } from "../../view.ts";

/** A class that fits, with the classes that extend it. */
export interface Fit extends StructuralFit {
  readonly subtypes: readonly SubtypeNode[];
}

export interface ClassHierarchy {
  readonly entry: TypeEntry;
  readonly supertypes: readonly Supertype[];
  readonly subtypes: Subtypes;
  /** Classes that fit the interface without declaring it; a class that extends one of these is below it. */
  readonly structural: readonly Fit[];
  /** The number of these classes and of those that extend them, each counted once. */
  readonly structuralCount: number;
  readonly complete: boolean;
  readonly notes: readonly string[];
}

/** Undefined for a symbol that is no class, interface or type alias. */
export async function classHierarchy(view: View, target: SymbolTarget): Promise<ClassHierarchy | undefined> {
  const entry = await typeEntryOf(view, target);
  if (entry === undefined) return undefined;
  prepareFits(view, entry);
  const [supertypes, subtypes] = await Promise.all([findSupertypes(view, entry), findSubtypes(view, entry)]);
  const { fits, complete, notes } = await findFits(view, entry, subtypes);
  const shown = new Set([entry.key, ...subtypes.all.map((each) => each.entry.key)]);
  const declared = shown.size;
  const structural = fits.map((fit): Fit => {
    shown.add(fit.entry.key);
    return { ...fit, subtypes: subtypeTree(fit.entry.key, fit.subtypes.below, shown) };
  });
  const { notFollowed } = subtypes;
  const limit = notFollowed === 0 ? [] : [`The subtypes of ${notFollowed} subtypes were not looked for.`];
  return {
    entry,
    supertypes,
    subtypes,
    structural,
    structuralCount: shown.size - declared,
    complete: complete && notFollowed === 0,
    notes: [...limit, ...notes],
  };
}
