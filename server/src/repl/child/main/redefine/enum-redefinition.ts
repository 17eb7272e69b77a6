/**
 * A redefined enum keeps the members that namespaces of the same name added. Functions of these namespaces may refer to
 * the old object, so the old object stays, and gets the new members.
 */
import type { InstallName } from "../../../redefine/installation.ts";
import { captured } from "../../shared/captured.ts";

const { ownKeys, deleteProperty, defineProperty, isExtensible } = Reflect;

/** Answers the names that were kept; undefined when the new object replaces the old one. */
export function stayEnum({ beside = [] }: InstallName, old: unknown, fresh: unknown): readonly string[] | undefined {
  if (beside.length === 0 || !isPlain(old) || !isPlain(fresh) || !isExtensible(old)) return undefined;
  const kept = beside.filter((key) => captured.getOwnPropertyDescriptor(fresh, key) === undefined);
  for (const key of ownKeys(old)) if (!kept.includes(key as string)) deleteProperty(old, key);
  for (const key of ownKeys(fresh)) {
    defineProperty(old, key, captured.getOwnPropertyDescriptor(fresh, key) as PropertyDescriptor);
  }
  return kept;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
