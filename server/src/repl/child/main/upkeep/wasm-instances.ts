/**
 * V8 regards the construction of a WebAssembly instance as free of side effects, although the instance may write to
 * memory, tables and globals that it imports. The construction writes to an object that is older than the trial, so
 * that a trial ends there.
 */
export function markWasmInstances(): void {
  const { WebAssembly: wasm } = globalThis as { readonly WebAssembly?: { readonly Instance: new () => object } };
  // A Node without a compiler has no WebAssembly.
  if (wasm === undefined) return;
  const Real = wasm.Instance;
  const { construct } = Reflect;
  const mark = { made: 0 };
  const marking = new Proxy(Real, {
    construct: (target, values: unknown[], newTarget) => {
      mark.made += 1;
      return construct(target, values, newTarget) as object;
    },
  });
  const hidden = { writable: true, configurable: true, enumerable: false };
  Object.defineProperty(wasm, "Instance", { ...hidden, value: marking });
  Object.defineProperty(Real.prototype, "constructor", { ...hidden, value: marking });
}
