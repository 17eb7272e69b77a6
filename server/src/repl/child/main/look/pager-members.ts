/** The members of a value that are on one page, and the number of all members. */
import { types } from "node:util";
import { captured, uncurried } from "../../shared/captured.ts";
import type { MemberKind, RawMember, ValueKind } from "../../wire/inquiry.ts";
import { isOpening, ROW, type Brief } from "../../shared/print/brief-text.ts";
import { classOf, contents, isBuiltIn } from "./prototypes.ts";
import { eachEntry } from "../../shared/entries.ts";
import { nameOfType, printQuietly } from "../../shared/print/quiet-printer.ts";
import { sizeOf } from "../../shared/print/value-facts.ts";
import { stepOf } from "../../wire/value-path.ts";

type Look = (inside: unknown) => Brief;
type Add = (member: RawMember) => void;

const { isProxy, isUint8Array } = types;
/** The numbers of a typed array in one row. */
const CELLS = 16;
const MAX_INHERITED = 60;
/** In a longer array, own names that are no index are not searched for. */
const NAMED_ARRAY = 10_000;

/** One page of a value: all members are counted, and those from `from` to before `to` are added. */
export interface Listing {
  readonly value: object;
  readonly from: number;
  readonly to: number;
  /** The look of a member: its preview and type. */
  readonly look: Look;
  readonly add: Add;
}

/** Adds the page's members, and answers the number of all members. */
export function listMembers(kind: ValueKind, listing: Listing): number {
  if (kind === "map" || kind === "set") {
    const size = listEntries(listing, kind);
    return size + listNames(listing, size);
  }
  if (kind === "array") return listArray(listing);
  return kind === "typedArray" ? listTyped(listing) : listNames(listing, 0);
}

function listArray(listing: Listing): number {
  const { value, from, to, look, add } = listing;
  const { length } = value as readonly unknown[];
  for (let index = from; index < to && index < length; index++) {
    const name = captured.String(index);
    if (captured.hasOwn(value, name)) add(property(value, name, "element", look));
    else add({ name, kind: "element", preview: "<empty>", type: "undefined" });
  }
  if (length > NAMED_ARRAY) return length;
  return length + listNames(listing, length, (name) => isIndex(name) || name === "length");
}

function listTyped({ value, from, to, add }: Listing): number {
  const length = uncurried.typedLength(value);
  const type = nameOfType(value) ?? "";
  const isBytes = type === "Buffer" || isUint8Array(value);
  for (let row = from; row < to && row * CELLS < length; row++) {
    const end = row * CELLS + CELLS < length ? row * CELLS + CELLS : length;
    let cells = "";
    let letters = "";
    for (let index = row * CELLS; index < end; index++) {
      const item = uncurried.typedItem(value, index);
      cells += `${cells === "" ? "" : " "}${isBytes ? hex(item as number) : captured.String(item)}`;
      letters += isBytes ? letter(item as number) : "";
    }
    const preview = isBytes ? `${cells}  ${letters}` : cells;
    add({ name: captured.String(row * CELLS), kind: "element", preview, type: isBytes ? "bytes" : "numbers" });
  }
  const rows = length / CELLS;
  return rows % 1 === 0 ? rows : rows - (rows % 1) + 1;
}

function listEntries({ value, from, to, look, add }: Listing, kind: "map" | "set"): number {
  eachEntry(value, (item, key, index) => {
    if (index < from || index >= to) return index < to;
    const step = `<${index}>`;
    if (kind === "set") add({ step, name: captured.String(index), kind: "element", ...look(item) });
    else {
      const keyStep = isOpening(key) ? { keyStep: `<key ${index}>` } : {};
      add({ step, name: printQuietly(key, ROW), kind: "entry", ...look(item), ...keyStep });
    }
    return true;
  });
  return sizeOf(value, kind) ?? 0;
}

/** Own names and symbols, enumerable or not. They come after `before` members that were already counted. */
function listNames(listing: Listing, before: number, isLeftOut?: (name: string) => boolean): number {
  const { value, from, to, look, add } = listing;
  const names = captured.getOwnPropertyNames(value);
  let count = 0;
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    if (isLeftOut?.(name) === true) continue;
    const place = before + count++;
    if (place >= from && place < to) add(property(value, name, "property", look));
  }
  const symbols = captured.getOwnPropertySymbols(value);
  for (let index = 0; index < symbols.length; index++) {
    const place = before + count++;
    if (place < from || place >= to) continue;
    const member = property(value, symbols[index] as symbol, "symbol", look);
    add({ ...member, step: `<symbol ${index}>` });
  }
  return count;
}

function property(owner: object, key: string | symbol, kind: MemberKind, look: Look): RawMember {
  const name = typeof key === "string" ? key : `[${captured.String(key)}]`;
  const step = typeof key === "string" ? { step: stepOf(key) } : {};
  let descriptor: PropertyDescriptor | undefined;
  try {
    descriptor = captured.getOwnPropertyDescriptor(owner, key);
  } catch {
    return { name, kind, preview: "<uninitialized>", type: "undefined" };
  }
  const isHidden = descriptor?.enumerable === false ? { isHidden: true as const } : {};
  if (descriptor?.get !== undefined || descriptor?.set !== undefined) {
    return { ...step, name, kind: "getter", ...accessor(descriptor), ...isHidden };
  }
  return { ...step, name, kind, ...look(descriptor?.value), ...isHidden };
}

function accessor({ get, set }: PropertyDescriptor): { preview: string; type: string } {
  const preview = get === undefined ? "[setter]" : set === undefined ? "[getter]" : "[getter, setter]";
  return { preview, type: "accessor" };
}

/** The getters that the value inherits from its classes, and its prototype. */
export function listInherited(value: object, look: Look, add: Add): void {
  let proto = captured.getPrototypeOf(value) as object | null;
  const first = proto;
  let count = 0;
  for (; proto !== null && !isProxy(proto); proto = captured.getPrototypeOf(proto) as object | null) {
    const above = captured.getPrototypeOf(proto) as object | null;
    const from = classOf(proto);
    // Members of every object and of built-ins are left out.
    if (above === null || from === undefined || isBuiltIn(proto)) continue;
    const names = captured.getOwnPropertyNames(proto);
    for (let index = 0; index < names.length && count < MAX_INHERITED; index++) {
      const name = names[index] as string;
      const descriptor = captured.getOwnPropertyDescriptor(proto, name);
      if (descriptor?.get === undefined || captured.hasOwn(value, name)) continue;
      count++;
      add({ step: stepOf(name), name, kind: "getter", ...accessor(descriptor), from });
    }
  }
  if (first === null) return;
  const shown = isProxy(first)
    ? { preview: "[Proxy]", type: "Proxy" }
    : { preview: contents(first), type: "prototype" };
  add({ step: "<prototype>", name: "<prototype>", kind: "internal", ...shown, opens: true });
}

function isIndex(name: string): boolean {
  const index = +name;
  return index >= 0 && index % 1 === 0 && captured.String(index) === name;
}

const HEX = "0123456789abcdef";

function hex(byte: number): string {
  return `${HEX[byte >> 4] as string}${HEX[byte & 15] as string}`;
}

function letter(byte: number): string {
  return byte >= 32 && byte < 127 ? (captured.parse(`"\\u00${hex(byte)}"`) as string) : ".";
}
