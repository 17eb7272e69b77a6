/** What a class or interface extends and implements, up to where it ends, with the type arguments that arrive there. */
import {
  isIntersectionTypeNode,
  isPropertyAccessExpression,
  isIdentifier,
  isTypeAliasDeclaration,
  isTypeReferenceNode,
  type Node,
} from "typescript/unstable/ast";
import { isIntersectionType, type Type } from "typescript/unstable/async";
import { oneLine } from "../../names/tree/inspect-declaration.ts";
import { argumentTexts, shownArguments, substitutionFor, type Substitution } from "./type-arguments.ts";
import { entryOfSymbol, heritageOf, instanceType, type Heritage, type TypeEntry } from "./type-entry.ts";
import type { View } from "../../view.ts";

export interface Supertype {
  /** `through` for what a mixin or an alias is made of. */
  readonly relation: "extends" | "implements" | "through";
  /** `Store<string, number>`; the expression itself for one that is computed. */
  readonly text: string;
  /** Undefined for a computed base and for one the compiler cannot find. */
  readonly entry: TypeEntry | undefined;
  readonly note: string | undefined;
  /** True when its own supertypes are shown at an earlier place. */
  readonly repeated: boolean;
  readonly supertypes: readonly Supertype[];
}

export async function findSupertypes(view: View, entry: TypeEntry): Promise<Supertype[]> {
  return new Ascent(view, entry).above(entry, new Map());
}

class Ascent {
  readonly #view: View;
  /** What was shown already, by key, and with the type arguments. */
  readonly #seen: Set<string>;

  constructor(view: View, from: TypeEntry) {
    this.#view = view;
    this.#seen = new Set([from.key]);
  }

  async above(entry: TypeEntry, known: Substitution): Promise<Supertype[]> {
    this.#view.signal.throwIfAborted();
    const found: Supertype[] = [];
    for (const heritage of heritageOf(entry)) found.push(await this.#supertypeOf(entry, heritage, known));
    for (const part of aliasParts(entry)) found.push(await this.#partOf(entry, part));
    return found;
  }

  async #supertypeOf(entry: TypeEntry, { relation, node }: Heritage, known: Substitution): Promise<Supertype> {
    const { expression } = node;
    const text = oneLine(node.getText());
    if (!isIdentifier(expression) && !isPropertyAccessExpression(expression)) return this.#computedBase(entry, text);
    const base = await entryNamed(this.#view, entry, expression);
    if (base === undefined) return this.#unnamedBase(entry, relation, expression, text);
    return this.#withSupertypes(base, relation, argumentTexts(node, known));
  }

  async #partOf(entry: TypeEntry, part: Node): Promise<Supertype> {
    const name = isTypeReferenceNode(part) ? part.typeName : undefined;
    const base = name === undefined ? undefined : await entryNamed(this.#view, entry, name);
    if (base === undefined || !isTypeReferenceNode(part)) return leaf("through", oneLine(part.getText()));
    const texts = [...(part.typeArguments ?? [])].map((argument) => oneLine(argument.getText()));
    return this.#withSupertypes(base, "through", texts);
  }

  async #withSupertypes(
    base: TypeEntry,
    relation: Supertype["relation"],
    texts: readonly string[],
  ): Promise<Supertype> {
    const [declared] = base.nodes;
    const text = base.path + shownArguments(declared, texts);
    const key = `${base.key}${text}`;
    const repeated = this.#seen.has(key) || this.#seen.has(base.key);
    if (this.#seen.has(key)) return { relation, text, entry: base, note: undefined, repeated, supertypes: [] };
    this.#seen.add(key);
    const supertypes = await this.above(base, substitutionFor(declared, texts));
    return { relation, text, entry: base, note: undefined, repeated: false, supertypes };
  }

  /** `extends Mixin(Base)`: the checker says what the instances are made of. */
  async #computedBase(entry: TypeEntry, text: string): Promise<Supertype> {
    const parts = await this.#partsOfBases(entry);
    const note = parts.length === 0 ? "an expression whose class the checker does not know" : "a computed base";
    return { relation: "extends", text, entry: undefined, note, repeated: false, supertypes: parts };
  }

  /** A name that is no class: a mixin's parameter, or a variable that holds a constructor. */
  async #unnamedBase(
    entry: TypeEntry,
    relation: Heritage["relation"],
    expression: Node,
    text: string,
  ): Promise<Supertype> {
    if (relation !== "extends") return leaf(relation, text, "not found by the compiler");
    const { checker } = entry.program.project;
    const type = await checker.getTypeAtLocation(expression);
    if (type === undefined || type.isErrorType()) return leaf(relation, text, "not found by the compiler");
    const parts = await this.#partsOfBases(entry);
    const shown = await checker.typeToString(type);
    // A mixin's parameter is known only by what its constraint promises.
    const known = type.isTypeParameter() ? parts.filter((part) => part.entry !== undefined) : parts;
    const note = type.isTypeParameter()
      ? `a mixin's parameter${await constraintText(entry, type)}: the base is whatever is handed in`
      : `a value of type ${oneLine(shown)}`;
    return { relation, text, entry: undefined, note, repeated: false, supertypes: known };
  }

  async #partsOfBases(entry: TypeEntry): Promise<Supertype[]> {
    const parts: Supertype[] = [];
    for (const type of await instanceBases(entry)) parts.push(...(await this.#partsOfType(entry, type)));
    return parts;
  }

  async #partsOfType(entry: TypeEntry, type: Type): Promise<Supertype[]> {
    const { checker } = entry.program.project;
    const types = isIntersectionType(type) ? await type.getTypes() : [type];
    const parts: Supertype[] = [];
    for (const part of types) {
      const symbol = await part.getSymbol();
      const base = symbol === undefined ? undefined : await entryOfSymbol(this.#view, entry.program, symbol);
      const shown = oneLine(await checker.typeToString(part));
      if (base === undefined) parts.push(leaf("through", shown));
      else {
        const texts = part.isTypeReference()
          ? await Promise.all((await checker.getTypeArguments(part)).map((each) => checker.typeToString(each)))
          : [];
        parts.push(await this.#withSupertypes(base, "through", texts));
      }
    }
    return parts;
  }
}

async function constraintText(entry: TypeEntry, type: Type): Promise<string> {
  const { checker } = entry.program.project;
  const constraint = await checker.getBaseConstraintOfType(type);
  return constraint === undefined ? "" : ` of type ${oneLine(await checker.typeToString(constraint))}`;
}

async function instanceBases(entry: TypeEntry): Promise<readonly Type[]> {
  const type = await instanceType(entry);
  return type?.isClassOrInterface() === true ? entry.program.project.checker.getBaseTypes(type) : [];
}

async function entryNamed(view: View, entry: TypeEntry, name: Node): Promise<TypeEntry | undefined> {
  const { program } = entry;
  const symbol = await program.project.checker.getSymbolAtLocation(name);
  return symbol === undefined ? undefined : entryOfSymbol(view, program, symbol);
}

/** `type A = B & C<D>` is made of B and C. */
function aliasParts(entry: TypeEntry): Node[] {
  return entry.nodes.flatMap((node): Node[] => {
    if (!isTypeAliasDeclaration(node)) return [];
    if (isTypeReferenceNode(node.type)) return [node.type];
    return isIntersectionTypeNode(node.type) ? [...node.type.types] : [];
  });
}

function leaf(relation: Supertype["relation"], text: string, note?: string): Supertype {
  return { relation, text, entry: undefined, note, repeated: false, supertypes: [] };
}
