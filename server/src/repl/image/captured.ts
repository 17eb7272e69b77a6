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
  String,
} as const;
