/** Tells an address from a type or code, and reads `obj["a b"]` as one. */

const NAME = String.raw`#?[\p{ID_Start}$_][\p{ID_Continue}$]*`;
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
/** One part of a member path behind the first: a name, a quoted name, an index, `[Symbol.iterator]`. */
const PART = String.raw`\.(?:${NAME}|${QUOTED}|\d+|\[[\w.$]+\])`;
const BRACKETS = String.raw`\[(?:${QUOTED}|\d+)\]`;
/** Folders may be called `my app`, `(group)` and `[id]`; a `#` behind a dot belongs to a private name. */
const MODULE = String.raw`[^"'\x60<>|&{};,=?#\n]*[^"'\x60<>|&{};,=?#\n.\s]#`;
const NUMBER = String.raw`(?:#\d+)?`;
/** A module, package or folder by its name alone, and dotted names. */
const PLAIN = new RegExp(String.raw`^[\p{ID_Continue}$@./\\-]*[\p{ID_Continue}$]${NUMBER}$`, "u");
const IN_MODULE = new RegExp(String.raw`^${MODULE}(?:${NAME}|${QUOTED})(?:${PART})*${NUMBER}$`, "u");
const MEMBERS = new RegExp(String.raw`^${NAME}(?:${PART})+${NUMBER}$`, "u");
const ACCESS = new RegExp(
  String.raw`^((?:${MODULE})?${NAME}(?:${PART})*?)((?:${BRACKETS}|${PART})*${BRACKETS}(?:${BRACKETS}|${PART})*)$`,
  "u",
);
const SPACED = /^[\p{ID_Continue}$]+(?:\s*\.\s*[\p{ID_Continue}$]+)+$/u;
const SEGMENT = new RegExp(String.raw`${QUOTED}|\[[^\]]*\]|[^.[\]]+`, "gu");

/** The form as an address; undefined for a form that is no address. */
export function writtenAddress(form: string): string | undefined {
  if (SPACED.test(form)) return form.replaceAll(/\s+/g, "");
  return PLAIN.test(form) || IN_MODULE.test(form) || MEMBERS.test(form) ? singleToDouble(form) : undefined;
}

/** `obj["a b"].c` with what it is read from: the address of `obj`, and of the whole. */
export function writtenAccess(form: string): { readonly base: string; readonly whole: string } | undefined {
  const [, base = "", rest = ""] = ACCESS.exec(form) ?? [];
  if (base === "") return undefined;
  const names = segmentsOf(rest).map((segment) => `.${isName(segment) ? segment : JSON.stringify(segment)}`);
  return { base, whole: base + names.join("") };
}

/** The names of a member path, without their quotes. */
export function segmentsOf(path: string): string[] {
  return (path.match(SEGMENT) ?? []).map((segment) => unquoted(segment.replace(/^\[(.*)\]$/s, "$1")));
}

function singleToDouble(form: string): string {
  return form.replaceAll(/(?<=[.#])'([^']*)'/g, '"$1"');
}

function unquoted(text: string): string {
  if (/^".*"$/s.test(text)) return JSON.parse(text) as string;
  return /^'.*'$/s.test(text) ? text.slice(1, -1) : text;
}

function isName(text: string): boolean {
  return /^(?:[\p{ID_Start}$_][\p{ID_Continue}$]*|\d+)$/u.test(text);
}
