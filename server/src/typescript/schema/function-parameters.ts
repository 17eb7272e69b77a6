/** A function's parameters with everything their declarations say: documentation, defaults, destructuring. */
import {
  isBindingElement,
  isIdentifier,
  isObjectBindingPattern,
  isParameterDeclaration,
  isStringLiteral,
  type Expression,
  type ParameterDeclaration,
} from "typescript/unstable/ast";
import type { Project, Signature, Type } from "typescript/unstable/async";
import { isLibFile } from "../names/index/external-names.ts";
import { documentationOf, oneParagraph, type Documentation } from "./schema-tags.ts";
import { allowsUndefined } from "./type-kinds.ts";

export interface FunctionParameter {
  /** For a destructured parameter the name that `@param` gives it, else `options`. */
  readonly name: string;
  readonly type: Type;
  readonly text: string;
  readonly tags: Documentation["tags"];
  /** May be left out in a call. */
  readonly optional: boolean;
  readonly rest: boolean;
  /** An AbortSignal, which the runner gives and no model can. */
  readonly isSignal: boolean;
  readonly initializer: Expression | undefined;
  /** The initialisers of a destructured parameter's properties. */
  readonly propertyDefaults: ReadonlyMap<string, Expression>;
  /** What `@param options.depth` says, by `depth`. */
  readonly propertyTexts: ReadonlyMap<string, string>;
}

interface ParamTag {
  readonly name: string;
  readonly text: string;
}

export async function functionParameters(
  project: Project,
  signature: Signature,
  { tags }: Documentation,
): Promise<readonly FunctionParameter[]> {
  const documented = tags.filter(({ name }) => name === "param").map(({ text }) => paramTag(text ?? ""));
  const named = documented.filter(({ name }) => !name.includes("."));
  const taken = new Set<string>();
  const parameters: FunctionParameter[] = [];
  for (const [index, symbol] of (await signature.getParameters()).entries()) {
    const type = await project.checker.getTypeOfSymbol(symbol);
    if (type === undefined) continue;
    const node = await symbol.valueDeclaration?.resolve(project);
    const declared = node !== undefined && isParameterDeclaration(node) ? node : undefined;
    const isPattern = declared !== undefined && !isIdentifier(declared.name);
    const name = unique(isPattern ? (named[index]?.name ?? "options") : symbol.name, taken);
    const { text, tags: own } = await documentationOf(project, symbol);
    const optional = declared?.questionToken !== undefined || declared?.initializer !== undefined;
    parameters.push({
      name,
      type,
      text: text === "" ? (named.find((tag) => tag.name === name)?.text ?? "") : text,
      tags: own,
      optional: optional || (await allowsUndefined(type)),
      rest: declared?.dotDotDotToken !== undefined,
      isSignal: await isAbortSignal(project, type),
      initializer: declared?.initializer,
      propertyDefaults: propertyDefaults(declared),
      propertyTexts: propertyTexts(name, documented),
    });
  }
  return parameters;
}

/** `count How many.`, `count - How many.`, `[count] How many.`, `[count=3] How many.` */
function paramTag(text: string): ParamTag {
  const [, name = "", rest = ""] = /^\[?([\w$.]+)(?:=[^\]]*)?\]?\s*([^]*)$/.exec(text.trim()) ?? [];
  return { name, text: oneParagraph(rest) };
}

function unique(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}_${count}`;
  taken.add(free);
  return free;
}

function propertyDefaults(node: ParameterDeclaration | undefined): ReadonlyMap<string, Expression> {
  const defaults = new Map<string, Expression>();
  if (node === undefined || !isObjectBindingPattern(node.name)) return defaults;
  for (const element of node.name.elements) {
    if (!isBindingElement(element) || element.initializer === undefined) continue;
    const key = element.propertyName ?? element.name;
    if (key !== undefined && (isIdentifier(key) || isStringLiteral(key))) defaults.set(key.text, element.initializer);
  }
  return defaults;
}

function propertyTexts(parameter: string, tags: readonly ParamTag[]): ReadonlyMap<string, string> {
  const prefix = `${parameter}.`;
  const own = tags.filter(({ name }) => name.startsWith(prefix));
  return new Map(own.map(({ name, text }) => [name.slice(prefix.length), text]));
}

async function isAbortSignal(project: Project, type: Type): Promise<boolean> {
  const symbol = await ((await project.checker.getNonNullableType(type)) ?? type).getSymbol();
  if (symbol?.name !== "AbortSignal") return false;
  return symbol.declarations.some(({ path }) => isLibFile(path) || path.includes("/@types/node/"));
}
