/** What a CommonJS module offers as members of `module.exports`, whatever it was made of. */
import { SignatureKind, SymbolFlags, type Symbol, type Type } from "typescript/unstable/async";
import {
  isIdentifier,
  isObjectLiteralExpression,
  isSourceFile,
  isSpreadAssignment,
  type Node,
} from "typescript/unstable/ast";
import { isScript } from "../names/javascript/assigned-names.ts";
import { assignedNames } from "../names/tree/assigned-outline.ts";
import { exportedEntries, wholeExports } from "../names/javascript/commonjs-exports.ts";
import { nameNodeOf } from "../names/tree/qualified-name.ts";
import type { TypeContext } from "./type-text.ts";
import { mapLimited } from "../yielding.ts";

/** By name. `found` is what the compiler takes as the module's exports, `assigned` what the module is as a whole. */
export async function assignedExports(
  context: TypeContext,
  module: Symbol,
  found: readonly Symbol[],
): Promise<readonly Symbol[]> {
  const declared = await module.getExports();
  const assigned = declared.get("export=" as never);
  const source = isSourceFile(context.enclosing) && isScript(context.enclosing) ? context.enclosing : undefined;
  const others = [...declared.values()].filter((symbol) => symbol !== assigned);
  const all = assigned === undefined ? found : [assigned, ...found];
  if (source === undefined) return all;
  const members = assigned === undefined ? undefined : await objectMembers(context, assigned);
  const known = new Map<string, Symbol>();
  const seen = [...(members ?? all), ...found, ...others, ...(await entrySymbols(context, source))];
  for (const symbol of seen) {
    const isBuiltIn = (symbol.flags & SymbolFlags.Prototype) !== 0 || symbol.name === "__esModule";
    if (!isBuiltIn && !known.has(symbol.name)) known.set(symbol.name, symbol);
  }
  return [...known.values()];
}

/** `name (line 3)` of what a module gives its exports in a way that the compiler does not follow. */
export async function unlistedExports(context: TypeContext, listed: ReadonlySet<string>): Promise<string[]> {
  const { enclosing: source, view } = context;
  if (!isSourceFile(source) || !isScript(source)) return [];
  const whole = new Set(wholeExports(source).flatMap((value) => (isIdentifier(value) ? [value.text] : [])));
  const assigned = await assignedNames(view, source);
  const missing = assigned.filter(({ form, owner, name }) => {
    return (form === "export" || (form === "static" && whole.has(owner ?? ""))) && !listed.has(name);
  });
  return missing.map(({ name, nameNode }) => {
    return `${name} (line ${source.getLineAndCharacterOfPosition(nameNode.getStart(source)).line + 1})`;
  });
}

/** Undefined when the module is no plain object: a function, a class, an instance, a list. */
async function objectMembers(context: TypeContext, assigned: Symbol): Promise<readonly Symbol[] | undefined> {
  const { checker } = context.program.project;
  const type = await checker.getTypeOfSymbol(assigned);
  if (type === undefined || !(await isPlainObject(context, type))) return undefined;
  return checker.getPropertiesOfType(type);
}

async function isPlainObject({ program: { project } }: TypeContext, type: Type): Promise<boolean> {
  if (!type.isObjectType()) return false;
  const { checker } = project;
  const signatures = await mapLimited([SignatureKind.Call, SignatureKind.Construct], (kind) =>
    checker.getSignaturesOfType(type, kind),
  );
  if (signatures.flat().length > 0) return false;
  const symbol = await type.getSymbol();
  return symbol === undefined || (symbol.flags & (SymbolFlags.ObjectLiteral | SymbolFlags.ValueModule)) !== 0;
}

/** The members that only the syntax shows: `Object.assign(module.exports, { name })`. */
async function entrySymbols(context: TypeContext, source: Node): Promise<Symbol[]> {
  if (!isSourceFile(source)) return [];
  const { checker } = context.program.project;
  const direct = exportedEntries(source);
  const values = wholeExports(source);
  const isAdded = (entry: Node): boolean =>
    !values.some((value) => isObjectLiteralExpression(value) && entry.parent === value);
  const found = await mapLimited(
    direct.filter(isAdded),
    async (entry) => {
      if (isSpreadAssignment(entry)) {
        const type = await checker.getTypeAtLocation(entry.expression);
        return type === undefined ? [] : checker.getPropertiesOfType(type);
      }
      const name = nameNodeOf(entry);
      const symbol = name === undefined ? undefined : await checker.getSymbolAtLocation(name);
      return symbol === undefined ? [] : [symbol];
    },
    context.view.signal,
  );
  return found.flat();
}
