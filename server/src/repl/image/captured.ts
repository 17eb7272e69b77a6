/**
 * Built-ins as they were before user code ran. The kernel uses these, so that `Map.prototype.set = null` or
 * `setImmediate = undefined` in an evaluation breaks that evaluation's own code and not the image.
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

/** A map whose methods are its own: changes to `Map.prototype` do not reach it. */
export function shieldedMap<K, V>(): Map<K, V> {
  return assign(new Map<K, V>(), mapMethods);
}

export function shieldedSet<T>(): Set<T> {
  return assign(new Set<T>(), setMethods);
}

export const captured = {
  Promise,
  Error,
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
  nextTick: process.nextTick.bind(process),
  stringify: JSON.stringify,
  defineProperty: Object.defineProperty,
  getPrototypeOf: Object.getPrototypeOf,
  getOwnPropertyDescriptor: Object.getOwnPropertyDescriptor,
  getOwnPropertySymbols: Object.getOwnPropertySymbols,
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
const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** Methods of built-in values as functions of the value: what a value has of its own under that name is not asked. */
export const uncurried = {
  slice: bindCall(String.prototype.slice) as (text: string, from: number, to: number) => string,
  startsWith: bindCall(String.prototype.startsWith) as (text: string, start: string) => boolean,
  functionText: bindCall(Function.prototype.toString) as (value: object) => string,
  dateTime: bindCall(Date.prototype.getTime) as (value: object) => number,
  isoString: bindCall(Date.prototype.toISOString) as (value: object) => string,
  regExpSource: bindCall(getter(RegExp.prototype, "source")) as (value: object) => string,
  typedLength: bindCall(getter(typedArray, "length")) as (value: object) => number,
  mapSize: bindCall(getter(Map.prototype, "size")) as (value: object) => number,
  setSize: bindCall(getter(Set.prototype, "size")) as (value: object) => number,
  mapEntries: bindCall(Map.prototype.entries) as (value: object) => object,
  setValues: bindCall(Set.prototype.values) as (value: object) => object,
  nextEntry: bindCall(mapIterator.next as Method) as (iterator: object) => IteratorResult<unknown>,
  nextValue: bindCall(setIterator.next as Method) as (iterator: object) => IteratorResult<unknown>,
} as const;
