/**
 * One page of a value's members, made on the main thread without running any of the user's code: getters are named and
 * not called, traps of proxies do not run, printing methods are not used. An array of a million elements costs only its
 * page.
 */
import { boundary } from "../../shared/cut.ts";
import { types } from "node:util";
import { captured, uncurried } from "../../shared/captured.ts";
import type { PageQuery, RawMember, RawPage, ValueKind } from "../../wire/inquiry.ts";
import { brief, type Brief } from "../../shared/print/brief-text.ts";
import { factsOf } from "./pager-facts.ts";
import { listInherited, listMembers } from "./pager-members.ts";
import { isClass, kindOf, typeOf } from "../../shared/print/value-facts.ts";
import { nameOfType, printQuietly } from "../../shared/print/quiet-printer.ts";
import { MAX_WEAK, weakCount } from "./weak-entries.ts";
import { isHolder } from "../../shared/print/value-facts.ts";

// Copied before user code runs, because user code can write to the object.
const t = { ...types };
const HEAD = 300;
/** A page of a string has this many characters for each member of any other page. */
const CHARACTERS = 80;
/** An object with more members is shown by its type only. */
const BIG = 5000;
/** After this time, the members that are left are shown by their types only, without previews. */
const HASTE_MS = 600;

export function pageOf(value: unknown, query: PageQuery): RawPage {
  if (typeof value === "string") return stringPage(value, query);
  const holds = isHolder(value);
  const type = typeOf(value);
  if (!holds)
    return {
      kind: "primitive",
      type,
      preview: printQuietly(value, HEAD),
      facts: [],
      members: [],
      extras: [],
      total: 0,
    };
  if (t.isProxy(value)) {
    const facts = [["proxy", "its traps are not run"]] as const;
    return { kind: "proxy", type, preview: "[Proxy]", facts, members: [], extras: [], total: 0, probe: "proxy" };
  }
  const kind = pageKind(value);
  let until: number | undefined;
  let isHasty = false;
  const look = (inside: unknown): Brief => {
    until ??= captured.now() + HASTE_MS;
    if (!isHolder(inside) || captured.now() < until) return brief(inside);
    isHasty = true;
    return { preview: "…", type: typeOf(inside), ...(isHolder(inside) ? { opens: true } : {}) };
  };
  const listed: RawMember[] = [];
  const from = query.page * query.size;
  const add = (member: RawMember): void => void (listed[listed.length] = member);
  const total = listMembers(kind, { value, from, to: from + query.size, look, add });
  const extras: RawMember[] = [];
  if (query.page === 0) listInherited(value, look, (member) => void (extras[extras.length] = member));
  const probe = probeOf(value, kind);
  return {
    kind,
    type,
    // A preview of a big object would read all of its names once more.
    preview: kind === "object" && total > BIG ? `${type} {…}` : printQuietly(value, HEAD),
    facts: factsOf(value, kind),
    members: listed,
    extras,
    total,
    ...(probe === undefined || (query.page > 0 && probe !== "weak") ? {} : { probe }),
    ...(isHasty ? { isHasty: true as const } : {}),
  };
}

/** Whether the inspector may be asked about the value: its answer takes time for each member. */
export function isSmall(value: unknown, limit: number): boolean {
  if (!isHolder(value)) return false;
  if (t.isProxy(value)) return true;
  if (captured.isArray(value)) return value.length <= limit;
  if (t.isTypedArray(value)) return uncurried.typedLength(value) <= limit;
  return captured.getOwnPropertyNames(value).length <= limit;
}

function stringPage(value: string, { page, size }: PageQuery): RawPage {
  const length = size * CHARACTERS;
  const text = uncurried.slice(value, boundary(value, page * length), boundary(value, (page + 1) * length));
  const head = { kind: "string", type: "string", preview: printQuietly(value, HEAD) } as const;
  return { ...head, facts: [], members: [], extras: [], total: value.length, text };
}

/** The kind that a page shows: some kinds are shown as "object". */
function pageKind(value: object): ValueKind {
  const kind = kindOf(value);
  if (kind === "function") return isClass(value) ? "class" : "function";
  return kind === "dataView" || kind === "boxed" || kind === "iterator" ? "object" : (kind as ValueKind);
}

function probeOf(value: object, kind: ValueKind): RawPage["probe"] {
  if (kind === "function" || kind === "class") return "function";
  if (kind === "promise") return "promise";
  if (kind === "weak") return (weakCount(value) ?? 0) <= MAX_WEAK ? "weak" : undefined;
  if (t.isGeneratorObject(value)) return "generator";
  const name = nameOfType(value);
  // The inspector takes seconds for a big object. Only an instance of a class has private fields.
  if (kind === "module" || name === undefined || name === "Object" || name === "Array") return undefined;
  return kind === "object" || kind === "map" || kind === "set" || kind === "error" ? "private" : undefined;
}
