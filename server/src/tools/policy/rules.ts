/** One rule of the person's policy: what it names, and which calls it means. */
import type { JsonSchema } from "../../protocol/shapes.ts";
import { canonicalText } from "../canonical.ts";
import { withOwnNames } from "../own/parameter-names.ts";
import { isObject } from "../../base/is-object.ts";

/** A rule as text: `restart_repl`, `*`, `edit(src/generated/**)`, `eval_form(1 + 1)`, `eval_form({"form": "1 + 1"})`. */
export interface Rule {
  readonly source: string;
  /** A tool, a category of tools, or `*`. */
  readonly head: string;
  /** The text in the parentheses; undefined without any. */
  readonly text?: string;
  /** The text as exact arguments, where it is a JSON object. */
  readonly exact?: string;
  /** The text as a pattern for paths, where it can be one. */
  readonly glob?: RegExp;
  /** Why the text can match no path although it looks like a pattern. */
  readonly problem?: string;
}

export interface NamedTool {
  readonly name: string;
  readonly categories: readonly string[];
  readonly inputSchema?: JsonSchema;
  readonly leadsTo?: { readonly tool: NamedTool; readonly as: (args: Arguments) => Arguments };
}

type Arguments = Readonly<Record<string, unknown>>;

/** The places that a text may mean: as it is spelt, and where it leads. Contract: never throws. */
export type PlacesOf = (text: string) => readonly string[];

/** Longer texts are no paths. */
export const LONGEST_PATH = 1_024;

const RULE = /^([^\s()]+)(?:\(([\s\S]+)\))?$/;

/** Names of arguments in which tools take a path. Only there does a pattern allow anything. */
const PATH_NAME = /(?:^|_)(?:path|file|uri|folder|directory|package|from|to)$/;

export function parseRule(source: string): Rule {
  const [, head = source, text] = RULE.exec(source.trim()) ?? [];
  if (text === undefined) return { source, head };
  const exact = exactArguments(text);
  if (exact !== undefined) return { source, head, text, exact };
  const glob = globToRegExp(text);
  return { source, head, text, ...("pattern" in glob ? { glob: glob.pattern } : { problem: glob.problem }) };
}

export function meansTool(rule: Rule, tool: NamedTool): boolean {
  return readingsOf(tool, {}).some(([{ name, categories }]) => {
    return rule.head === "*" || rule.head === name || categories.includes(rule.head);
  });
}

/** A call as it was made and, where the name is another one of a tool, as the call of that tool that it is. */
export function readingsOf(tool: NamedTool, args: Arguments): [tool: NamedTool, args: Arguments][] {
  const { leadsTo, ...own } = tool;
  return leadsTo === undefined ? [[tool, args]] : [[own, args], ...readingsOf(leadsTo.tool, leadsTo.as(args))];
}

/** The rule under the names that the tool gives its parameters: a rule may know them by others, as a call may. */
export function asToolNames(rule: Rule, { inputSchema }: NamedTool): Rule {
  if (rule.exact === undefined || inputSchema === undefined) return rule;
  const named = withOwnNames(inputSchema, JSON.parse(rule.exact) as Arguments);
  return "problem" in named ? rule : { ...rule, exact: canonicalText(named.args) };
}

/** For rules that restrict: any text anywhere in the arguments is enough, in whatever way a path is spelt. */
export function mayMean(rule: Rule, args: Arguments, placesOf: PlacesOf): boolean {
  const { text, exact, glob } = rule;
  if (text === undefined) return true;
  if (exact !== undefined) return canonicalText(args) === exact;
  return leavesOf(args).some(({ value }) => {
    if (typeof value !== "string") return String(value) === text;
    return (
      value.trim() === text.trim() || (glob !== undefined && spellings(value, placesOf).some((at) => glob.test(at)))
    );
  });
}

/** For files that a call would change, whatever its arguments say. */
export function meansFile({ text, glob }: Rule, path: string): boolean {
  return text !== undefined && (glob?.test(path) ?? false);
}

/** For rules that open: every value of the arguments must be what the rule says. */
export function surelyMeans(rule: Rule, args: Arguments, placesOf: PlacesOf): boolean {
  const { text, exact, glob } = rule;
  if (text === undefined) return true;
  if (exact !== undefined) return canonicalText(args) === exact;
  const leaves = leavesOf(args);
  return (
    leaves.length > 0 &&
    leaves.every(({ name, value }) => {
      if (typeof value !== "string") return false;
      if (value === text) return true;
      const places = glob === undefined || !PATH_NAME.test(name) ? [] : placesOf(value);
      return places.length > 0 && places.every((at) => glob?.test(at));
    })
  );
}

export interface Leaf {
  /** The name of the nearest property above. */
  readonly name: string;
  readonly value: unknown;
}

export function leavesOf(value: unknown, name = ""): Leaf[] {
  if (typeof value !== "object" || value === null) return [{ name, value }];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => leavesOf(each, name));
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, key));
}

/** `src/a.ts#Outer.member` names a file too. */
function spellings(text: string, placesOf: PlacesOf): readonly string[] {
  if (text.length > LONGEST_PATH || text.includes("\n")) return [];
  const [file = ""] = text.split("#");
  return [...placesOf(text), ...(file === text || file === "" ? [] : placesOf(file))];
}

function exactArguments(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? canonicalText(value) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A pattern for paths that begin at the workspace folder: `**` over folders, `*` and `?` inside of a name, `{a,b}`
 * for either. A folder means everything in it. Upper and lower case are not told apart.
 */
export function globToRegExp(glob: string): { readonly pattern: RegExp } | { readonly problem: string } {
  const text = glob.trim().replace(/^(?:\.\/)+/, "");
  if (/^(?:\/|\.\.\/|~\/|[A-Za-z]:[\\/])/.test(text)) {
    return { problem: "a path in a rule begins at the workspace folder, such as src/generated/**" };
  }
  let depth = 0;
  let isBalanced = true;
  const source = text.replaceAll(/\*\*\/|\*\*|[*?{},]|[^*?{},]+/g, (part) => {
    if (part === "{") depth += 1;
    if (part === "}") depth -= 1;
    isBalanced &&= depth >= 0;
    if (part === ",") return depth > 0 ? "|" : ",";
    return PARTS[part] ?? part.replaceAll(/[.+^$()|[\]\\]/g, String.raw`\$&`);
  });
  if (!isBalanced || depth !== 0) return { problem: "its braces do not match" };
  return { pattern: new RegExp(`^(?:${source.replace(/\/$/, "")})(?:/.*)?$`, "is") };
}

const PARTS: Readonly<Record<string, string>> = {
  "**/": "(?:.*/)?",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]",
  "{": "(?:",
  "}": ")",
};
