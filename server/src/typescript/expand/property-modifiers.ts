/** The modifiers before a property's name where its type is written out: who may use the property, and how. */
import { SymbolFlags, type Project, type Symbol } from "typescript/unstable/async";

/** Checker flag of a readonly property, also of one that a mapped type made readonly. */
const READONLY_CHECK_FLAG = 8;
/** Checker flag of a property that a mapped type made: its declaration's own keywords do not hold any more. */
const MAPPED_CHECK_FLAG = 1 << 18;
const ACCESS = ["private", "protected"];

/** `private readonly `, or "". `abstract` is shown for a class's own members alone: a type that picks them loses it. */
export async function propertyModifiers(project: Project, symbol: Symbol, isOfClass: boolean): Promise<string> {
  const words = await declaredModifiers(project, symbol);
  const isMapped = (symbol.checkFlags & MAPPED_CHECK_FLAG) !== 0;
  const isReadonly = (symbol.checkFlags & READONLY_CHECK_FLAG) !== 0 || (!isMapped && isReadonlyHere(symbol, words));
  const shown = [
    ...ACCESS.filter((word) => words.includes(word)),
    ...(isOfClass && words.includes("abstract") ? ["abstract"] : []),
    ...(isReadonly ? ["readonly"] : []),
  ];
  return shown.map((word) => `${word} `).join("");
}

function isReadonlyHere({ flags }: Symbol, words: readonly string[]): boolean {
  const hasGetterOnly = (flags & SymbolFlags.GetAccessor) !== 0 && (flags & SymbolFlags.SetAccessor) === 0;
  return hasGetterOnly || words.includes("readonly");
}

async function declaredModifiers(project: Project, symbol: Symbol): Promise<readonly string[]> {
  const node = await symbol.valueDeclaration?.resolve(project);
  const modifiers = (node as { readonly modifiers?: readonly { getText(): string }[] } | undefined)?.modifiers ?? [];
  return modifiers.map((modifier) => modifier.getText());
}
