/** A CommonJS module exports values and not bindings: each export that held the old value gets the new one. */
import type { InstalledName, InstallName } from "../../../redefine/installation.ts";
import { captured } from "../../shared/captured.ts";
import { isHolder } from "../../shared/print/value-facts.ts";

const { ownKeys } = Reflect;
const defineOn = Reflect.defineProperty;
const { getOwnPropertyDescriptor } = captured;

export type Patch = Pick<InstalledName, "patched" | "problems">;

/** `olds`: the old value, and also the original function when the old value is traced. */
export function patchExports(module: unknown, name: InstallName, olds: readonly unknown[], fresh: unknown): Patch {
  if (typeof module !== "object" || module === null || olds[0] === fresh) return {};
  const owner = module as { exports: unknown };
  const { exports } = owner;
  if (name.known && isHolder(exports) && olds.includes(exports)) {
    owner.exports = fresh;
    return { patched: ["module.exports"] };
  }
  if (!isHolder(exports)) return {};
  const patched: string[] = [];
  const problems: string[] = [];
  for (const key of ownKeys(exports)) {
    const own = getOwnPropertyDescriptor(exports, key);
    if (own === undefined || !("value" in own) || !olds.includes(own.value)) continue;
    // Two primitive values may be equal by chance, so only the name identifies such an export.
    if (!name.known || (!isHolder(own.value) && key !== name.name)) continue;
    const label = `module.exports.${captured.String(key)}`;
    if (defineOn(exports, key, { ...own, value: fresh })) patched.push(label);
    else problems.push(`${label} is read-only and keeps the old value.`);
  }
  if (addMissing(exports, name, fresh)) patched.push(`module.exports.${name.name}`);
  return { ...(patched.length > 0 ? { patched } : {}), ...(problems.length > 0 ? { problems } : {}) };
}

/** Adds the form's export to an exports object that does not have the name. */
function addMissing(exports: object, { name, exported }: InstallName, value: unknown): boolean {
  if (exported !== true || getOwnPropertyDescriptor(exports, name) !== undefined) return false;
  return defineOn(exports, name, { value, writable: true, enumerable: true, configurable: true });
}
