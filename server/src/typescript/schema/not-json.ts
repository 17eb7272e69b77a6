/** Types whose values JSON cannot carry, and what to take instead. */
import { SymbolFlags, TypeFlags, type Type } from "typescript/unstable/async";
import { isLibFile } from "../names/index/external-names.ts";

export interface NotJson {
  readonly reason: string;
  /** Reads on after "use". */
  readonly instead: string;
}

const INSTEAD: Readonly<Record<string, string>> = {
  Date: "a string (ISO 8601) and parse it in the function",
  Map: "a record (Record<string, T>) or an array of pairs",
  ReadonlyMap: "a record (Record<string, T>) or an array of pairs",
  Set: "an array",
  ReadonlySet: "an array",
  RegExp: "a string with the pattern",
  URL: "a string",
  Error: "an object with a message",
  String: "string",
  Number: "number",
  Boolean: "boolean",
  BigInt: "a string",
  Function: "data that says what to do",
  Promise: "the value itself",
  PromiseLike: "the value itself",
  Buffer: "a string (base64)",
  Uint8Array: "a string (base64)",
  ArrayBuffer: "a string (base64)",
};

/** Undefined for an object type whose values are plain objects. */
export async function notJson(type: Type): Promise<NotJson | undefined> {
  const symbol = await type.getSymbol();
  if (symbol === undefined) return undefined;
  const known = INSTEAD[symbol.name];
  const nodes = symbol.declarations;
  const isBuiltIn = nodes.length > 0 && nodes.every(({ path }) => isLibFile(path) || path.includes("/@types/node/"));
  if (isBuiltIn && !symbol.escapedName.startsWith("__")) {
    return {
      reason: `a ${symbol.name} is no JSON value`,
      instead: known ?? "a plain object with the properties that are needed",
    };
  }
  if ((symbol.flags & SymbolFlags.Class) === 0) return undefined;
  return {
    reason: `an instance of the class ${symbol.name} is no JSON value`,
    instead: "an interface with its data, and build the instance in the function",
  };
}

/** For types that are no objects. */
export function replacementFor(flags: TypeFlags): NotJson | undefined {
  if ((flags & TypeFlags.BigIntLike) !== 0)
    return { reason: "a bigint is no JSON value", instead: "a string or number" };
  if ((flags & TypeFlags.ESSymbolLike) !== 0) return { reason: "a symbol is no JSON value", instead: "a string" };
  return undefined;
}
