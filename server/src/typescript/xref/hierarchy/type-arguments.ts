/** Type arguments as they arrive at a base: `Store<Key, Value>` seen from `Numbers extends Store<string, number>`. */
import {
  isIdentifier,
  isTypeReferenceNode,
  type ExpressionWithTypeArguments,
  type Node,
  type TypeParameterDeclaration,
} from "typescript/unstable/ast";
import { oneLine } from "../../names/tree/inspect-declaration.ts";
import type { TypeNode } from "./type-entry.ts";

/** What each type parameter of a declaration stands for, by its name. */
export type Substitution = ReadonlyMap<string, string>;

/** The type arguments of a heritage clause or type reference, with what is known of the subtype's own parameters put in. */
export function argumentTexts(
  written: Pick<ExpressionWithTypeArguments, "typeArguments">,
  known: Substitution,
): string[] {
  return [...(written.typeArguments ?? [])].map((argument) => substituted(argument, known));
}

/** What the parameters of `base` are when it gets these arguments; defaults fill in what is left out. */
export function substitutionFor(base: TypeNode, texts: readonly string[]): Substitution {
  const found = new Map<string, string>();
  for (const [index, parameter] of parametersOf(base).entries()) {
    const text =
      texts[index] ?? (parameter.defaultType === undefined ? undefined : substituted(parameter.defaultType, found));
    if (text !== undefined) found.set(parameter.name.text, text);
  }
  return found;
}

/** `<string, number>`, defaults included; "" for a type without parameters or with unknown ones. */
export function shownArguments(base: TypeNode, texts: readonly string[]): string {
  const parameters = parametersOf(base);
  if (parameters.length === 0) return "";
  const known = substitutionFor(base, texts);
  const all = parameters.map(({ name }) => known.get(name.text));
  if (all.includes(undefined)) return texts.length === 0 ? "" : `<${texts.join(", ")}>`;
  return `<${all.join(", ")}>`;
}

function parametersOf(node: TypeNode): readonly TypeParameterDeclaration[] {
  return [...(node.typeParameters ?? [])];
}

/** The text of a type with the names of type parameters replaced. */
function substituted(type: Node, known: Substitution): string {
  const source = type.getSourceFile();
  const start = type.getStart(source);
  const places: { readonly from: number; readonly to: number; readonly text: string }[] = [];
  const visit = (node: Node): undefined => {
    if (isTypeReferenceNode(node) && isIdentifier(node.typeName)) {
      const text = known.get(node.typeName.text);
      if (text !== undefined) places.push({ from: node.typeName.getStart(source), to: node.typeName.end, text });
    }
    node.forEachChild(visit);
    return undefined;
  };
  visit(type);
  let text = source.text.slice(start, type.end);
  for (const { from, to, text: by } of places.toReversed()) {
    text = text.slice(0, from - start) + by + text.slice(to - start);
  }
  return oneLine(text);
}
