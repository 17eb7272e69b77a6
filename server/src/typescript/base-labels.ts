/** How each class or interface above a declaration is called from there: `Store<Date[], "k">`. */
import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isTypeAliasDeclaration,
  type Node,
} from "typescript/unstable/ast";
import { SymbolFlags } from "typescript/unstable/async";
import { nameNodeOf } from "./qualified-name.ts";
import { argumentTexts, shownArguments, substitutionFor, type Substitution } from "./type-arguments.ts";
import { heritageOf, isTypeNodeLike, type TypeNode } from "./type-entry.ts";
import type { ProgramView } from "./view.ts";

/** By `placeOf` the base's declarations. A base that is computed (`extends Mixin(Base)`) is not among them. */
export async function baseLabels(
  program: ProgramView,
  nodes: readonly TypeNode[],
): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>();
  await collect(program, nodes, new Map(), labels);
  return labels;
}

/** Tells declarations apart, whichever road led to them. */
export function placeOf(node: Node): string {
  return `${node.getSourceFile().fileName}:${node.pos}`;
}

async function collect(
  program: ProgramView,
  nodes: readonly TypeNode[],
  known: Substitution,
  labels: Map<string, string>,
): Promise<void> {
  for (const { node: heritage } of heritageOf({ nodes: nodes as [TypeNode, ...TypeNode[]] })) {
    const { expression } = heritage;
    if (isCallExpression(expression) || !(isIdentifier(expression) || isPropertyAccessExpression(expression))) continue;
    const bases = await declarationsAt(program, isIdentifier(expression) ? expression : expression.name);
    const [first] = bases;
    if (first === undefined || labels.has(placeOf(first))) continue;
    const texts = argumentTexts(heritage, known);
    const label = (nameNodeOf(first)?.getText() ?? expression.getText()) + shownArguments(first, texts);
    for (const base of bases) labels.set(placeOf(base), label);
    await collect(program, bases, substitutionFor(first, texts), labels);
  }
}

async function declarationsAt(program: ProgramView, name: Node): Promise<TypeNode[]> {
  const { checker } = program.project;
  const found = await checker.getSymbolAtLocation(name);
  if (found === undefined) return [];
  const symbol = (found.flags & SymbolFlags.Alias) === 0 ? found : await checker.getAliasedSymbol(found);
  const nodes = await Promise.all(symbol.declarations.map((handle) => handle.resolve(program.project)));
  return nodes
    .filter((node) => node !== undefined)
    .filter((node) => isTypeNodeLike(node) && !isTypeAliasDeclaration(node)) as TypeNode[];
}
