/** Facts about a value in words, beside its members. */
import { types } from "node:util";
import { captured, regExpFlags, uncurried } from "../../shared/captured.ts";
import type { ValueKind } from "../../wire/inquiry.ts";
import { chainOf, isNative } from "./prototypes.ts";
import { MAX_WEAK, weakCount } from "./weak-entries.ts";

const { isSharedArrayBuffer } = types;

export function factsOf(value: object, kind: ValueKind): (readonly [string, string])[] {
  const facts: (readonly [string, string])[] = [];
  const tell = (name: string, text: string | number | undefined): void => {
    if (text !== undefined) facts[facts.length] = [name, captured.String(text)];
  };
  if (kind === "array") tell("length", (value as readonly unknown[]).length);
  if (kind === "map") tell("size", uncurried.mapSize(value));
  if (kind === "set") tell("size", uncurried.setSize(value));
  if (kind === "typedArray") {
    tell("length", uncurried.typedLength(value));
    tell("bytes", uncurried.typedByteLength(value));
    tell("offset", uncurried.typedByteOffset(value));
  }
  if (kind === "buffer") {
    tell("bytes", isSharedArrayBuffer(value) ? uncurried.sharedLength(value) : uncurried.bufferLength(value));
  }
  if (kind === "regexp") tell("flags", regExpFlags(value));
  if (kind === "weak") {
    const count = weakCount(value);
    tell("entries", count === undefined || count <= MAX_WEAK ? count : `${count}, too many to be listed`);
  }
  if (kind === "function" && isNative(value)) tell("source", "native code");
  tell("prototypes", chainOf(value));
  if (kind === "module") return facts;
  if (captured.isFrozen(value)) tell("state", "frozen");
  else if (captured.isSealed(value)) tell("state", "sealed");
  else if (!captured.isExtensible(value)) tell("state", "not extensible");
  return facts;
}
