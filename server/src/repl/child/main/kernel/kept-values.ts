/** Keeps the values of evaluations as `$1`, `$2`, … on the global object. */
import { captured, shieldedMap } from "../../shared/captured.ts";
import { print } from "../../shared/print/printer.ts";
import { typeOf } from "../../shared/print/value-facts.ts";
import type { KeptValue } from "../../wire/wire.ts";

const MAX_HANDLES = 200;
const { defineProperty: defineIfPossible, deleteProperty } = Reflect;
// A form may declare the name `globalThis`.
const globalObject = globalThis;

export class KeptValues {
  readonly #handles = shieldedMap<string, true>();

  /** Keeps the value under the evaluation's handle, and answers the `KeptValue` for the server as text. */
  keep(id: number, value: unknown, awaited: boolean, show = print): string {
    const handle = value !== undefined && this.#remember(`$${id}`, value) ? { handle: `$${id}` } : {};
    const kept: KeptValue = { ...handle, preview: show(value), type: typeOf(value), ...(awaited ? { awaited } : {}) };
    return captured.stringify(kept);
  }

  /** Gives a kept value a second handle. */
  alias(from: string, to: string): void {
    this.#remember(to, (globalObject as Record<string, unknown>)[from]);
  }

  names(): string[] {
    const names: string[] = [];
    this.#handles.forEach((_, name) => {
      names[names.length] = name;
    });
    return names;
  }

  forget(): void {
    this.#handles.forEach((_, name) => void deleteProperty(globalObject, name));
    this.#handles.clear();
  }

  /** False when user code froze the global object. */
  #remember(handle: string, value: unknown): boolean {
    const descriptor = { value, writable: true, configurable: true, enumerable: false };
    if (!defineIfPossible(globalObject, handle, descriptor)) return false;
    this.#handles.set(handle, true);
    if (this.#handles.size > MAX_HANDLES) this.#dropOldest();
    return true;
  }

  #dropOldest(): void {
    let oldest: string | undefined;
    this.#handles.forEach((_, name) => {
      oldest ??= name;
    });
    if (oldest === undefined) return;
    this.#handles.delete(oldest);
    deleteProperty(globalObject, oldest);
  }
}
