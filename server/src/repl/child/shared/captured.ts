/**
 * Built-ins as they were before user code ran. The kernel uses these, so that `Map.prototype.set = null` or
 * `setImmediate = undefined` in an evaluation breaks only that evaluation's own code, and not the image.
 */
const mapMethods = {
  get: Map.prototype.get,
  set: Map.prototype.set,
  has: Map.prototype.has,
  delete: Map.prototype.delete,
  clear: Map.prototype.clear,
  forEach: Map.prototype.forEach,
};
const setMethods = {
  add: Set.prototype.add,
  has: Set.prototype.has,
  delete: Set.prototype.delete,
  clear: Set.prototype.clear,
  forEach: Set.prototype.forEach,
};

const assign = Object.assign;
const PlainMap = Map;
const PlainSet = Set;

/** A map with methods of its own: changes to `Map.prototype` have no effect on it. */
export function shieldedMap<K, V>(): Map<K, V> {
  return assign(new PlainMap<K, V>(), mapMethods);
}

export function shieldedSet<T>(): Set<T> {
  return assign(new PlainSet<T>(), setMethods);
}

export const captured = {
  Promise,
  Error,
  AbortController,
  captureStackTrace: Error.captureStackTrace.bind(Error),
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
  nextTick: process.nextTick.bind(process),
  queueMicrotask,
  stringify: JSON.stringify,
  defineProperty: Object.defineProperty,
  getPrototypeOf: Object.getPrototypeOf,
  getOwnPropertyDescriptor: Object.getOwnPropertyDescriptor,
  getOwnPropertySymbols: Object.getOwnPropertySymbols,
  getOwnPropertyNames: Object.getOwnPropertyNames,
  hasOwn: Object.hasOwn,
  isFrozen: Object.isFrozen,
  isSealed: Object.isSealed,
  isExtensible: Object.isExtensible,
  parse: JSON.parse as (text: string) => unknown,
  now: performance.now.bind(performance),
  keys: Object.keys,
  isArray: Array.isArray,
  is: Object.is,
  String,
} as const;

type Method = (this: unknown, ...args: never[]) => unknown;
const bindCall = Function.prototype.bind.bind(Function.prototype.call) as (
  method: Method | undefined,
) => (self: unknown, ...args: unknown[]) => unknown;
const getter = (owner: object, key: string): Method | undefined =>
  Object.getOwnPropertyDescriptor(owner, key)?.get as Method | undefined;
const mapIterator = Object.getPrototypeOf(new Map().entries()) as { readonly next: unknown };
const setIterator = Object.getPrototypeOf(new Set().values()) as { readonly next: unknown };
const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as { readonly at: unknown };
const flagGetters = [
  ["d", "hasIndices"],
  ["g", "global"],
  ["i", "ignoreCase"],
  ["m", "multiline"],
  ["s", "dotAll"],
  ["u", "unicode"],
  ["v", "unicodeSets"],
  ["y", "sticky"],
].map(([letter = "", name = ""]) => ({ letter, has: bindCall(getter(RegExp.prototype, name)) }));

/**
 * The flags of a regular expression. `RegExp.prototype.flags` reads properties that user code may have set on the
 * expression; the getter of each flag does not.
 */
export function regExpFlags(value: object): string {
  let flags = "";
  for (let index = 0; index < flagGetters.length; index++) {
    const flag = flagGetters[index];
    if (flag?.has(value) === true) flags += flag.letter;
  }
  return flags;
}

/** Methods of built-in values as functions of the value: an own property with the method's name is not read. */
export const uncurried = {
  slice: bindCall(String.prototype.slice) as (text: string, from: number, to: number) => string,
  charCode: bindCall(String.prototype.charCodeAt) as (text: string, at: number) => number,
  startsWith: bindCall(String.prototype.startsWith) as (text: string, start: string) => boolean,
  includes: bindCall(String.prototype.includes) as (text: string, part: string) => boolean,
  functionText: bindCall(Function.prototype.toString) as (value: object) => string,
  dateTime: bindCall(Date.prototype.getTime) as (value: object) => number,
  isoString: bindCall(Date.prototype.toISOString) as (value: object) => string,
  regExpSource: bindCall(getter(RegExp.prototype, "source")) as (value: object) => string,
  typedLength: bindCall(getter(typedArray, "length")) as (value: object) => number,
  typedItem: bindCall(typedArray.at as Method) as (value: object, index: number) => number | bigint,
  typedBuffer: bindCall(getter(typedArray, "buffer")) as (value: object) => object,
  href: bindCall(getter(URL.prototype, "href")) as (value: object) => string,
  bufferLength: bindCall(getter(ArrayBuffer.prototype, "byteLength")) as (value: object) => number,
  sharedLength: bindCall(getter(SharedArrayBuffer.prototype, "byteLength")) as (value: object) => number,
  typedByteLength: bindCall(getter(typedArray, "byteLength")) as (value: object) => number,
  typedByteOffset: bindCall(getter(typedArray, "byteOffset")) as (value: object) => number,
  deref: bindCall(WeakRef.prototype.deref) as (value: object) => object | undefined,
  mapGet: bindCall(Map.prototype.get) as (value: object, key: unknown) => unknown,
  mapHas: bindCall(Map.prototype.has) as (value: object, key: unknown) => boolean,
  weakSetAdd: bindCall(WeakSet.prototype.add) as (set: object, value: object) => object,
  weakSetHas: bindCall(WeakSet.prototype.has) as (set: object, value: object) => boolean,
  mapSize: bindCall(getter(Map.prototype, "size")) as (value: object) => number,
  setSize: bindCall(getter(Set.prototype, "size")) as (value: object) => number,
  mapEntries: bindCall(Map.prototype.entries) as (value: object) => object,
  setValues: bindCall(Set.prototype.values) as (value: object) => object,
  nextEntry: bindCall(mapIterator.next as Method) as (iterator: object) => IteratorResult<unknown>,
  nextValue: bindCall(setIterator.next as Method) as (iterator: object) => IteratorResult<unknown>,
} as const;
