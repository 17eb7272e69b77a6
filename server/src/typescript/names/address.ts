/** The one way to name a symbol: `name`, `Outer.member`, `src/file.ts#Outer.member`, `pkg#Export`, overload `#2`. */

export interface Address {
  /** A file, folder, package or tsconfig before the `#`. */
  readonly module: string | undefined;
  /** `Outer.member`; "" when only a module is named. */
  readonly path: string;
  /** Counted from 1. */
  readonly overload: number | undefined;
}

const OVERLOAD = /\s*#(\d+)$/;
const LOOKS_LIKE_FILE = /[/\\]|\.[cm]?[jt]sx?$/;
/** File names may hold a `#` of their own: the one after the extension separates. */
const FILE_THEN_PATH = /^(.*?\.[cm]?[jt]sx?)#(.+)$/;
const FILE_WITH_HASH = /[/ ].*\.[cm]?[jt]sx?$/;
const DECLARING_WORDS =
  /^(?:(?:export|default|declare|abstract|async|static|readonly|new|class|interface|type|enum|namespace|function|const|let|var|get|set)\s+)+(?=[^\s/\\]+$)/;

/** Every text is some address; one that names nothing is found out by the search. */
export function parseAddress(text: string): Address {
  const trimmed = bareName(text.trim().replace(/^`([^`]*)`$/, "$1"));
  const numbered = OVERLOAD.exec(trimmed);
  const overload = numbered?.[1] === undefined ? undefined : Number(numbered[1]);
  const rest = numbered === null ? trimmed : trimmed.slice(0, numbered.index);
  const inFile = FILE_THEN_PATH.exec(rest);
  if (inFile?.[1] !== undefined && inFile[2] !== undefined) {
    return { module: inFile[1], path: memberPath(inFile[2]), overload };
  }
  if (FILE_WITH_HASH.test(rest)) return { module: rest, path: "", overload };
  // A `#` after a dot, or at the very start, belongs to a private name: `Counter.#count`.
  const separator = /(?<=[^.])#/.exec(rest);
  if (separator !== null) {
    return { module: rest.slice(0, separator.index), path: memberPath(rest.slice(separator.index + 1)), overload };
  }
  if (LOOKS_LIKE_FILE.test(rest)) return { module: rest, path: "", overload };
  return { module: undefined, path: memberPath(rest), overload };
}

/** Names may come as declarations, calls and instances: `new Store()`, `class Store`, `Map<string>`, `add(1)`. */
function bareName(text: string): string {
  return withoutTypeArguments(text.replace(/(?<=[^\s/\\])\([^()]*\)$/, "")).replace(DECLARING_WORDS, "");
}

function withoutTypeArguments(name: string): string {
  if (/["']/.test(name)) return name;
  const innermost = /(?<=[^\s.])<[^<>]*>/g;
  for (let at = name; ;) {
    const shorter = at.replace(innermost, "");
    if (shorter === at) return at;
    at = shorter;
  }
}

/** `Outer::member`, `Outer#member` and `Outer.prototype.member` are all `Outer.member`. */
function memberPath(path: string): string {
  if (path.includes('"')) return path;
  return bareName(path)
    .replaceAll("::", ".")
    .replace(/\.prototype\./, ".")
    .replace(/(?<=[^.\s])#(?=[^\d\s])/, ".");
}

export function formatAddress(module: string, path: string, overload?: number): string {
  const name = path === "" ? module : `${module}#${path}`;
  return overload === undefined ? name : `${name}#${overload}`;
}
