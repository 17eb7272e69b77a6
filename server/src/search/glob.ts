/**
 * Globs of paths, read as ripgrep's `--glob` reads them: without a slash they mean the last name, with one the path from
 * the workspace folder. They hold for files that are not on the disk too, which ripgrep cannot see, and bring back
 * nothing that .gitignore leaves out, which `--glob` does.
 */
import { readParts, type GlobPart } from "./glob-parts.ts";

export type Glob =
  | {
      readonly ok: true;
      /** `relative` has forward slashes and begins at the workspace folder. */
      readonly matches: (relative: string) => boolean;
      /** A glob for the last name of all that matches; undefined where there is no single one. */
      readonly names: string | undefined;
    }
  | { readonly ok: false; readonly problem: string };

const MAX_ALTERNATIVES = 64;

/**
 * A list as models write it, `src/*.ts, test/*.ts`, which ripgrep takes for one name with a comma in it: such a name fits
 * too. What begins with `!` takes away from the rest. Each is read as
 * `plain` makes it.
 */
export function readGlobs(text: string, plain: (glob: string) => string): Glob {
  const parts = topParts(text);
  if (parts.length < 2) return readGlob(plain(text));
  const among: ((relative: string) => boolean)[] = [];
  const except: ((relative: string) => boolean)[] = [];
  for (const part of [text, ...parts].map(plain)) {
    const reading = readGlob(part);
    if (!reading.ok) return reading;
    (part.startsWith("!") ? except : among).push(reading.matches);
  }
  const matches = (relative: string): boolean =>
    (among.length === 0 || among.some((fits) => fits(relative))) && except.every((fits) => fits(relative));
  return { ok: true, matches, names: undefined };
}

/** Parted by commas outside of braces and brackets. */
function topParts(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const [token] of text.matchAll(/\\[^]|[^]/g)) {
    if (/[{[]/.test(token)) depth += 1;
    else if (/[}\]]/.test(token)) depth -= 1;
    if (token === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

export function readGlob(text: string): Glob {
  const isNegated = text.startsWith("!");
  const plain = (isNegated ? text.slice(1) : text).replace(/^\.\//, "").normalize();
  const problem = problemWith(plain);
  if (problem !== undefined) return { ok: false, problem };
  const isAnchored = /^!?\.\//.test(text) || plain.replace(/\/$/, "").includes("/");
  const inner = plain.replace(/^\//, "").replace(/\/$/, "/**");
  const alternatives = expanded(isAnchored ? inner : `**/${inner}`);
  if (typeof alternatives === "string") return { ok: false, problem: alternatives };
  const readings: (readonly GlobPart[])[] = [];
  for (const each of alternatives) {
    const parts = readParts(each);
    if (typeof parts === "string") return { ok: false, problem: parts };
    readings.push(parts);
  }
  const isRead = (path: string): boolean => readings.some((parts) => isMatch(parts, path));
  // A folder that is excluded is excluded with all that is in it.
  const matches = (named: string): boolean => {
    const relative = named.normalize();
    return isNegated ? !pathsTo(relative).some(isRead) : isRead(relative);
  };
  return { ok: true, matches, names: isNegated ? undefined : lastName(inner) };
}

function problemWith(glob: string): string | undefined {
  if (glob.trim() === "") return "it is empty";
  if (glob.includes("\0")) return "it has a NUL character";
  return glob.split("/").includes("..") ? "it has .., and a search stays in the workspace" : undefined;
}

/** `a`, `a/b` and `a/b/c.ts` for `a/b/c.ts`. */
function pathsTo(relative: string): string[] {
  const names = relative.split("/");
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/** The globs that the braces expand to, or what is wrong with the braces. */
function expanded(glob: string): string[] | string {
  const open = indexOutside(glob, "{");
  if (open === -1) return indexOutside(glob, "}") === -1 ? [glob] : "a } closes nothing";
  const commas: number[] = [];
  let depth = 0;
  let at = open;
  for (; at < glob.length; at += 1) {
    const character = glob[at];
    if (character === "\\") at += 1;
    else if (character === "{") depth += 1;
    else if (character === "," && depth === 1) commas.push(at);
    else if (character === "}" && (depth -= 1) === 0) break;
  }
  if (depth > 0) return "a { is not closed";
  const cuts = [open, ...commas, at];
  const found: string[] = [];
  for (const [index, from] of cuts.slice(0, -1).entries()) {
    const rest = expanded(glob.slice(0, open) + glob.slice(from + 1, cuts[index + 1]) + glob.slice(at + 1));
    if (typeof rest === "string") return rest;
    found.push(...rest);
    if (found.length > MAX_ALTERNATIVES) return `its braces stand for more than ${MAX_ALTERNATIVES} globs`;
  }
  return found;
}

/** The first place of the character without a backslash before it. */
function indexOutside(glob: string, wanted: string): number {
  for (let at = 0; at < glob.length; at += 1) {
    if (glob[at] === "\\") at += 1;
    else if (glob[at] === wanted) return at;
  }
  return -1;
}

/** All readings of the path at once, one character after the other: no glob takes longer than its length allows. */
function isMatch(parts: readonly GlobPart[], path: string): boolean {
  let states = reachable(parts, new Set([0]), true);
  let before = "/";
  for (const character of path) {
    const next = new Set<number>();
    for (const state of states) {
      const part = parts[state];
      if (part === undefined) continue;
      if (part.stays?.(character) === true) next.add(state);
      if (part.takes?.(character) === true) next.add(state + 1);
    }
    before = character;
    states = reachable(parts, next, before === "/");
    if (states.size === 0) return false;
  }
  return states.has(parts.length);
}

/** The glob without the parts that may match nothing. */
function reachable(parts: readonly GlobPart[], states: ReadonlySet<number>, isStart: boolean): Set<number> {
  const found = new Set(states);
  for (const state of found) {
    const part = parts[state];
    if (part?.isOptional === true || (part?.isFolders === true && isStart)) found.add(state + 1);
  }
  return found;
}

/** Only where ripgrep means the same by it for certain. */
function lastName(glob: string): string | undefined {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return /^(?:\*|\w)[\w.-]*\.[\w-]+$/.test(name) && !/[{}[\]\\]/.test(glob) ? name : undefined;
}
