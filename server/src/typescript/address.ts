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

/** Every text is some address; one that names nothing is found out by the search. */
export function parseAddress(text: string): Address {
  const trimmed = text.trim().replace(/\(\)$/, "");
  const numbered = OVERLOAD.exec(trimmed);
  const overload = numbered?.[1] === undefined ? undefined : Number(numbered[1]);
  const rest = numbered === null ? trimmed : trimmed.slice(0, numbered.index);
  // A `#` after a dot, or at the very start, belongs to a private name: `Counter.#count`.
  const separator = /(?<=[^.])#/.exec(rest);
  if (separator !== null) {
    return { module: rest.slice(0, separator.index), path: rest.slice(separator.index + 1), overload };
  }
  if (LOOKS_LIKE_FILE.test(rest)) return { module: rest, path: "", overload };
  return { module: undefined, path: rest.replaceAll("::", ".").replace(/\.prototype\./, "."), overload };
}

export function formatAddress(module: string, path: string, overload?: number): string {
  const name = path === "" ? module : `${module}#${path}`;
  return overload === undefined ? name : `${name}#${overload}`;
}
