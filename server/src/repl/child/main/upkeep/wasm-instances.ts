/**
 * V8 takes it for harmless to make a WebAssembly instance, which may write to memory, tables and globals that it imports.
 * So that a trial without side effects ends there, making one here also leaves a mark on something older than the trial.
 */
export function markWasmInstances(): void {
  const { WebAssembly: wasm } = globalThis as { readonly WebAssembly?: { readonly Instance: new () => object } };
  // A Node without a compiler has none.
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
