/** Writes out what a type consists of, as TypeScript text: properties resolved, recursion marked, within a budget. */
import {
  ElementFlags,
  NodeBuilderFlags,
  ObjectFlags,
  SignatureKind,
  SymbolFlags,
  TypeFlags,
  type IndexInfo,
  type Project,
  type Signature,
  type Symbol,
  type TupleType,
  type Type,
} from "typescript/unstable/async";
import { isLibFile } from "../names/index/external-names.ts";
import { bracketed, isNamed, parenthesized, RECURSIVE, withoutUndefined, wrapped } from "./type-words.ts";
import { propertyModifiers } from "./property-modifiers.ts";

export interface StructureLimits {
  /** How many levels of objects are written out; what lies deeper keeps its name. */
  readonly depth: number;
  /** How many properties and members at most. */
  readonly members: number;
}

export interface TypeStructure {
  readonly text: string;
  /** Types that were left as a name by a limit, each once. */
  readonly notExpanded: readonly string[];
}

const NAMED = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope;
const INDENT = "  ";

export async function typeStructure(project: Project, type: Type, limits: StructureLimits): Promise<TypeStructure> {
  const writer = new StructureWriter(project, limits);
  const text = await writer.write(type, 0, "", true);
  return { text, notExpanded: [...writer.notExpanded].toSorted() };
}

/** The type as the compiler names it; `__form` is the name of the question itself. */
export async function typeName(project: Project, type: Type, isTop = false): Promise<string> {
  const flags = isTop ? NAMED | NodeBuilderFlags.InTypeAlias : NAMED;
  return project.checker.typeToString(type, undefined, flags);
}

class StructureWriter {
  readonly notExpanded = new Set<string>();
  readonly #project: Project;
  readonly #limits: StructureLimits;
  /**
   * The types being written out: by name where a type has one, for an instantiation may come back as another object.
   */
  readonly #within: (number | string)[] = [];
  #left: number;

  constructor(project: Project, limits: StructureLimits) {
    this.#project = project;
    this.#limits = limits;
    this.#left = limits.members;
  }

  async write(type: Type, depth: number, indent: string, isTop = false): Promise<string> {
    if (this.#within.includes(type.id)) return (await typeName(this.#project, type)) + RECURSIVE;
    if (type.isUnionType()) return this.#union(type, depth, indent, isTop);
    if (type.isIntersectionType()) return this.#object(type, depth, indent, isTop);
    if (!type.isObjectType()) return typeName(this.#project, type, isTop);
    const { checker } = this.#project;
    if (await checker.isTupleType(type)) return this.#tuple(type, depth, indent, isTop);
    if (await checker.isArrayType(type)) return this.#array(type, depth, indent);
    return this.#object(type, depth, indent, isTop);
  }

  /** The compiler remembers `keyof User` by how it was written; what it stands for are the keys. */
  async #plainUnion(type: Type, members: readonly Type[], isTop: boolean): Promise<string> {
    const name = await typeName(this.#project, type, isTop);
    if (!isTop || !name.startsWith("keyof ")) return name;
    return (await Promise.all(members.map((member) => typeName(this.#project, member)))).join(" | ");
  }

  async #union(type: Type, depth: number, indent: string, isTop: boolean): Promise<string> {
    const members = type.isUnionType() ? await type.getTypes() : [];
    const isEnum = (type.flags & TypeFlags.EnumLiteral) !== 0;
    if (isEnum && !isTop) return typeName(this.#project, type);
    const objects: readonly Type[] = members.filter((member) => member.isObjectType() || member.isIntersectionType());
    if (objects.length === 0) {
      const text = await (isEnum ? this.#enum(members) : this.#plainUnion(type, members, isTop));
      return isTop ? wrapped(text) : text;
    }
    // A type without a name of its own can only recur through a type that has one.
    const isAlias = (await type.getAliasSymbol()) !== undefined;
    if (isAlias) this.#within.push(type.id);
    const primitives = members.filter((member) => !objects.includes(member));
    const parts: string[] = [];
    const hasBoolean = primitives.filter((member) => (member.flags & TypeFlags.BooleanLiteral) !== 0).length === 2;
    for (const primitive of primitives) {
      if (!hasBoolean || (primitive.flags & TypeFlags.BooleanLiteral) === 0)
        parts.push(await typeName(this.#project, primitive));
    }
    if (hasBoolean) parts.push("boolean");
    for (const object of objects) parts.push(parenthesized(await this.write(object, depth, indent)));
    if (isAlias) this.#within.pop();
    // `undefined` and `null` last, as they are written.
    const isNullish = (part: string): boolean => part === "undefined" || part === "null";
    return [...parts.filter((part) => !isNullish(part)), ...parts.filter(isNullish)].join(" | ");
  }

  async #enum(members: readonly Type[]): Promise<string> {
    const parts = await Promise.all(
      members.map(async (member) => {
        const value = member.isLiteralType() ? ` /* ${JSON.stringify(member.value)} */` : "";
        return (await typeName(this.#project, member)) + value;
      }),
    );
    return parts.join(" | ");
  }

  async #array(type: Type, depth: number, indent: string): Promise<string> {
    const [element] = type.isTypeReference() ? await this.#project.checker.getTypeArguments(type) : [];
    const isReadonly = (await type.getSymbol())?.name === "ReadonlyArray";
    const text = element === undefined ? "unknown" : await this.#guarded(type, element, depth, indent);
    return `${isReadonly ? "readonly " : ""}${bracketed(text)}[]`;
  }

  async #tuple(type: Type, depth: number, indent: string, isTop: boolean): Promise<string> {
    const target = (type.isTypeReference() ? await type.getTarget() : type) as TupleType;
    const elements = type.isTypeReference() ? await this.#project.checker.getTypeArguments(type) : [];
    const parts: string[] = [];
    for (const [index, element] of elements.entries()) {
      const flags = target.elementFlags[index] ?? ElementFlags.Required;
      const text = await this.#guarded(type, element, depth, indent);
      if ((flags & ElementFlags.Rest) !== 0) parts.push(`...${bracketed(text)}[]`);
      else if ((flags & ElementFlags.Variadic) !== 0) parts.push(`...${text}`);
      else parts.push((flags & ElementFlags.Optional) === 0 ? text : `${bracketed(withoutUndefined(text))}?`);
    }
    // The compiler's own text of a tuple has the labels.
    if (!parts.some((part) => part.includes("{"))) return typeName(this.#project, type, isTop);
    return `${target.readonly ? "readonly " : ""}[${parts.join(", ")}]`;
  }

  async #guarded(owner: Type, part: Type, depth: number, indent: string): Promise<string> {
    this.#within.push(owner.id);
    const text = await this.write(part, depth, indent);
    this.#within.pop();
    return text;
  }

  async #object(type: Type, depth: number, indent: string, isTop: boolean): Promise<string> {
    const name = await typeName(this.#project, type, isTop);
    const known = isTop ? await typeName(this.#project, type) : name;
    if (this.#within.includes(known)) return name + RECURSIVE;
    if (!isTop && (await isBuiltIn(type))) return name;
    const members = await this.#membersOf(type);
    if (await isItsName(type, members)) return name;
    if (depth >= this.#limits.depth || this.#left <= 0) {
      // What is written out in place has no name to ask about next.
      if (isNamed(name)) this.notExpanded.add(name);
      return name;
    }
    this.#within.push(isNamed(known) ? known : type.id);
    const inner = indent + INDENT;
    const lines = await this.#callables(type, members);
    for (const { keyType, valueType, isReadonly } of members.indexes) {
      const key = await typeName(this.#project, keyType);
      const value = await this.write(valueType, depth + 1, inner);
      lines.push(`${isReadonly ? "readonly " : ""}[key: ${key}]: ${value};`);
    }
    lines.push(...(await this.#properties(type, members, depth, inner)));
    this.#within.pop();
    return `{\n${lines.map((line) => inner + line).join("\n")}\n${indent}}`;
  }

  async #membersOf(type: Type): Promise<Members> {
    const { checker } = this.#project;
    const signatures = await checker.getSignaturesOfType(type, SignatureKind.Call);
    const symbols = await checker.getPropertiesOfType(type);
    return { signatures, symbols, indexes: await checker.getIndexInfosOfType(type) };
  }

  /** One line, however many overloads there are. */
  async #callables(type: Type, { signatures }: Members): Promise<string[]> {
    const isDeclared = signatures.some(({ declaration }) => declaration !== undefined);
    return isDeclared ? [`/* callable: ${await typeName(this.#project, type)} */`] : [];
  }

  async #properties(type: Type, { symbols }: Members, depth: number, indent: string): Promise<string[]> {
    const isClass = (((await type.getSymbol())?.flags ?? 0) & SymbolFlags.Class) !== 0;
    const named = symbols.filter((symbol) => !isNamedBySymbol(symbol));
    const lines: string[] = [];
    for (const symbol of named) {
      if (this.#left <= 0) break;
      this.#left -= 1;
      lines.push(await this.#property(symbol, isClass, depth, indent));
    }
    const hidden = named.length - lines.length;
    if (hidden > 0) lines.push(`/* ${hidden} more */`);
    const bySymbol = symbols.filter(isNamedBySymbol).map(symbolKey);
    if (bySymbol.length > 0) lines.push(`/* named by symbols: ${bySymbol.join(", ")} */`);
    return lines;
  }

  async #property(symbol: Symbol, isOfClass: boolean, depth: number, indent: string): Promise<string> {
    const { checker } = this.#project;
    const type = await checker.getTypeOfSymbol(symbol);
    const isOptional = (symbol.flags & SymbolFlags.Optional) !== 0;
    // The compiler tells private names of several classes apart by a number.
    const name = symbol.name.replace(/^__#\d+@/, "");
    const key = /^[\p{L}_$#][\p{L}\d_$]*$/u.test(name) ? name : JSON.stringify(name);
    const head = `${await propertyModifiers(this.#project, symbol, isOfClass)}${key}${isOptional ? "?" : ""}`;
    if (type === undefined) return `${head};`;
    const text = await this.write(type, depth + 1, indent);
    // The question mark already says it.
    const shown = isOptional ? withoutUndefined(text) : text;
    return `${head}: ${shown};`;
  }
}

interface Members {
  readonly signatures: readonly Signature[];
  readonly symbols: readonly Symbol[];
  readonly indexes: readonly IndexInfo[];
}

/** Whether writing the type out would add nothing to its name: a function alone is its own structure. */
async function isItsName(type: Type, { signatures, symbols, indexes }: Members): Promise<boolean> {
  if (symbols.length === 0 && (signatures.length > 0 || indexes.length === 0)) return true;
  if (type.isIntersectionType() && symbols.every(isNamedBySymbol)) return true;
  return (type.flags & TypeFlags.Intersection) !== 0 && (await hasPrimitive(type));
}

function isNamedBySymbol({ escapedName }: Symbol): boolean {
  return escapedName.startsWith("__@");
}

/** `[Symbol.iterator]`; for any other symbol the name of its variable. */
function symbolKey({ escapedName, declarations }: Symbol): string {
  const name = escapedName.replace(/^__@(.*?)(?:@\d+)?$/, "$1");
  const isWellKnown = declarations.length > 0 && declarations.every(({ path }) => isLibFile(path));
  return isWellKnown || WELL_KNOWN.has(name) ? `[Symbol.${name}]` : `[${name}]`;
}

const WELL_KNOWN = new Set([
  "asyncIterator",
  "iterator",
  "hasInstance",
  "toPrimitive",
  "toStringTag",
  "dispose",
  "asyncDispose",
]);

async function isBuiltIn(type: Type): Promise<boolean> {
  const isMapped = type.isObjectType() && (type.objectFlags & ObjectFlags.Mapped) !== 0;
  if (isMapped || type.isIntersectionType()) return false;
  const symbol = await type.getSymbol();
  const { declarations = [], escapedName = "__" } = symbol ?? {};
  if (escapedName.startsWith("__") || declarations.length === 0) return false;
  return declarations.every(({ path }) => isLibFile(path) || path.includes("/@types/node/"));
}

async function hasPrimitive(type: Type): Promise<boolean> {
  const members = type.isIntersectionType() ? await type.getTypes() : [];
  return members.some((member) => (member.flags & TypeFlags.Primitive) !== 0);
}
