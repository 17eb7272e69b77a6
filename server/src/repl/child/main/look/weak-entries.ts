/** The entries that a WeakMap or WeakSet holds now. Only the inspector can list entries, and only a limited number. */
import { inspect } from "node:util";
import { captured, uncurried } from "../../shared/captured.ts";
import type { PageQuery, RawMember } from "../../wire/inquiry.ts";
import { brief, isOpening, ROW } from "../../shared/print/brief-text.ts";
import { printQuietly } from "../../shared/print/quiet-printer.ts";

/** The inspector makes an object for each entry: a million entries would stop the program for seconds. */
export const MAX_WEAK = 20_000;

const COUNT_ONLY = { showHidden: true, maxArrayLength: 0, customInspect: false, depth: 0 };
const MORE = " more item";
const plain = [WeakMap.prototype, WeakSet.prototype] as const;

/** Undefined for a class of the user's that extends WeakMap or WeakSet: counting would run code of that class. */
export function weakCount(value: object): number | undefined {
  const proto = captured.getPrototypeOf(value) as unknown;
  if (proto !== plain[0] && proto !== plain[1]) return undefined;
  if (captured.getOwnPropertyNames(value).length + captured.getOwnPropertySymbols(value).length > 0) return undefined;
  const text = inspect(value, COUNT_ONLY);
  for (let end = 0; end < text.length; end++) {
    if (uncurried.slice(text, end, end + MORE.length) !== MORE) continue;
    let start = end;
    while (start > 0 && isDigit(text[start - 1])) start--;
    return +uncurried.slice(text, start, end);
  }
  return 0;
}

export interface WeakEntry {
  readonly key?: unknown;
  readonly value: unknown;
}

/** `list` comes from the inspector: objects without a prototype that have a key and a value. */
export function entriesOf(
  list: readonly WeakEntry[],
  { page, size }: PageQuery,
): { members: RawMember[]; total: number } {
  const members: RawMember[] = [];
  for (let index = page * size; index < list.length && index < (page + 1) * size; index++) {
    const entry = list[index] as WeakEntry;
    const step = `<${index}>`;
    const isPair = captured.hasOwn(entry, "key");
    members[members.length] = isPair
      ? {
          step,
          name: printQuietly(entry.key, ROW),
          kind: "entry",
          ...brief(entry.value),
          ...(isOpening(entry.key) ? { keyStep: `<key ${index}>` } : {}),
        }
      : { step, name: captured.String(index), kind: "element", ...brief(entry.value) };
  }
  return { members, total: list.length };
}

/** The value to which a step of `entriesOf` leads, in an array of one element. */
export function entryAt(list: readonly WeakEntry[], index: number, isKey: boolean): [unknown] | undefined {
  const entry = list[index];
  return entry === undefined ? undefined : [isKey ? entry.key : entry.value];
}

function isDigit(letter: string | undefined): boolean {
  return letter !== undefined && letter >= "0" && letter <= "9";
}
