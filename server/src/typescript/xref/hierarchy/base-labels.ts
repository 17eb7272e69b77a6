/** The name of each class or interface above a declaration, as seen from there: `Store<Date[], "k">`. */
import {
  isIdentifier,
  isIntersectionTypeNode,
  isTypeReferenceNode,
  isPropertyAccessExpression,
  isTypeAliasDeclaration,
  type Node,
} from "typescript/unstable/ast";
import { isIntersectionType, SymbolFlags, type Symbol } from "typescript/unstable/async";
import { nameNodeOf, qualifiedName } from "../../names/tree/qualified-name.ts";
import { argumentTexts, shownArguments, substitutionFor, type Substitution } from "./type-arguments.ts";
import { heritageOf, instanceType, isTypeNodeLike, type TypeNode } from "./type-entry.ts";
import type { ProgramView } from "../../view.ts";
import { nodeKey } from "../../places.ts";

/**
 * By `nodeKey` the base's declarations, nearest base first; with the parts of a computed base (`extends Mixin(Base)`).
 */
export async function baseLabels(
  program: ProgramView,
  nodes: readonly TypeNode[],
): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>();
  await collect(program, nodes, new Map(), labels);
  return labels;
}

async function collect(
  program: ProgramView,
  nodes: readonly TypeNode[],
  known: Substitution,
  labels: Map<string, string>,
): Promise<void> {
  for (const node of nodes) if (isTypeAliasDeclaration(node)) await collectAliased(program, node.type, known, labels);
  for (const { node: heritage } of heritageOf({ nodes: nodes as [TypeNode, ...TypeNode[]] })) {
    const { expression } = heritage;
    const isNamed = isIdentifier(expression) || isPropertyAccessExpression(expression);
    const bases = isNamed ? await declarationsAt(program, isIdentifier(expression) ? expression : expression.name) : [];
    const [first] = bases;
    if (first === undefined) await collectParts(program, nodes, labels);
    if (first === undefined || labels.has(nodeKey(first))) continue;
    const texts = argumentTexts(heritage, known);
    const label = (nameNodeOf(first)?.getText() ?? expression.getText()) + shownArguments(first, texts);
    for (const base of bases) labels.set(nodeKey(base), label);
    await collect(program, bases, substitutionFor(first, texts), labels);
  }
}

/** What an alias is another name for, each part of an intersection alike. */
async function collectAliased(
  program: ProgramView,
  type: Node,
  known: Substitution,
  labels: Map<string, string>,
): Promise<void> {
  if (isIntersectionTypeNode(type)) {
    for (const part of type.types) await collectAliased(program, part, known, labels);
  }
  if (!isTypeReferenceNode(type)) return;
  const { typeName } = type;
  const bases = await declarationsAt(program, isIdentifier(typeName) ? typeName : typeName.right);
  const [first] = bases;
  if (first === undefined || labels.has(nodeKey(first))) return;
  const texts = argumentTexts(type, known);
  for (const base of bases) labels.set(nodeKey(base), baseName(first) + shownArguments(first, texts));
  await collect(program, bases, substitutionFor(first, texts), labels);
}

/** The checker says what the instances of a computed base are made of. */
async function collectParts(
  program: ProgramView,
  nodes: readonly TypeNode[],
  labels: Map<string, string>,
): Promise<void> {
  const { checker } = program.project;
  const [node] = nodes;
  const type = node === undefined ? undefined : await instanceType({ nodes: [node], program });
  if (type?.isClassOrInterface() !== true) return;
  for (const base of await checker.getBaseTypes(type)) {
    for (const part of isIntersectionType(base) ? await base.getTypes() : [base]) {
      const symbol = await part.getSymbol();
      const bases = symbol === undefined ? [] : await typeNodesOf(program, symbol);
      const [first] = bases;
      if (first === undefined || labels.has(nodeKey(first))) continue;
      const texts = part.isTypeReference()
        ? await Promise.all((await checker.getTypeArguments(part)).map((each) => checker.typeToString(each)))
        : [];
      const label = baseName(first) + shownArguments(first, texts);
      for (const each of bases) labels.set(nodeKey(each), label);
      await collect(program, bases, substitutionFor(first, texts), labels);
    }
  }
}

/** The class that a mixin makes has no name but the mixin's. */
export function baseName(node: Node): string {
  const name = nameNodeOf(node)?.getText() ?? nameNodeOf(node.parent)?.getText();
  if (name !== undefined) return name;
  const around = qualifiedName(node.parent);
  return around === "" ? "(class)" : `${around}.(class)`;
}

async function declarationsAt(program: ProgramView, name: Node): Promise<TypeNode[]> {
  const { checker } = program.project;
  const found = await checker.getSymbolAtLocation(name);
  if (found === undefined) return [];
  const symbol = (found.flags & SymbolFlags.Alias) === 0 ? found : await checker.getAliasedSymbol(found);
  return typeNodesOf(program, symbol);
}

async function typeNodesOf(program: ProgramView, symbol: Symbol): Promise<TypeNode[]> {
  const nodes = await Promise.all(symbol.declarations.map((handle) => handle.resolve(program.project)));
  return nodes
    .filter((node) => node !== undefined)
    .filter((node) => isTypeNodeLike(node) && !isTypeAliasDeclaration(node)) as TypeNode[];
}
