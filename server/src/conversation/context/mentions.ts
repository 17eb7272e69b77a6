/** What a prompt mentions by `@`, `#` and `$`. Pure: whether it exists is asked elsewhere. */

export interface Mention {
  readonly kind: "file" | "folder" | "path" | "buffer" | "diff" | "symbol" | "value";
  /** As the text has it: `@src/cart.ts:12-20`. */
  readonly written: string;
  /** Without its sign: a path, a name, an address, `$7`. */
  readonly name: string;
  /** Lines from 1, of a path. */
  readonly lines?: { readonly first: number; readonly last: number };
  /** Offset of the sign in the text. */
  readonly at: number;
  /** What does not exist under that name is told to the person; else it is a word like any other. */
  readonly isMeant: boolean;
}

/** A sign makes a mention where a word begins: `mail@example.org`, `x#y` and `US$5` have none. */
const BEGIN = String.raw`(?<=^|[\s([{"'“‘])`;
const FILE = new RegExp(
  `${BEGIN}@(?:"([^"\\n]{1,500})"|([^\\s"'\`,;()\\[\\]{}<>@][^\\s"'\`,;()[\\]{}<>]{0,500}))`,
  "gmu",
);
const SYMBOL = new RegExp(`${BEGIN}#([\\p{L}_$@][\\p{L}\\p{N}_$@./#:-]{0,300})`, "gmu");
const VALUE = new RegExp(`${BEGIN}\\$(\\d{1,6}|[A-Za-z_][\\w$]{0,100})(?![\\w$]|[.,]\\d|[({/])`, "gmu");
const WORDS = /^(file|folder|buffer):(.+)$/s;
/** Shell and environment variables are written so. */
const CAPITALS = /^[A-Z][A-Z0-9_]*$/;
const HEX_COLOUR = /^[0-9a-fA-F]{3,8}$/;

/** In the order of the text, each thing once. Code has no mentions, be it `between backquotes` or a fenced block. */
export function mentionsIn(text: string): Mention[] {
  const prose = withoutCode(text);
  const found = [...fileMentions(prose), ...symbolMentions(prose), ...valueMentions(prose)];
  const once = new Map(found.toSorted((one, other) => other.at - one.at).map((each) => [each.written, each]));
  return [...once.values()].toSorted((one, other) => one.at - other.at);
}

/** Code becomes white space of the same length. */
function withoutCode(text: string): string {
  const blank = (code: string): string => code.replace(/[^\n]/g, " ");
  return text
    .replace(/^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm, blank)
    .replace(/(`+)(?!`)[^`\n][\s\S]*?(?<!`)\1(?!`)/g, blank);
}

function fileMentions(text: string): Mention[] {
  return [...text.matchAll(FILE)].flatMap((match): Mention[] => {
    const [whole, quoted, bare = ""] = match;
    const words = quoted ?? withoutTail(bare);
    if (words === "") return [];
    const written = quoted === undefined ? `@${words}` : whole;
    const mention = { written, at: match.index };
    if (words === "diff") return [{ ...mention, kind: "diff", name: "diff", isMeant: true }];
    const [, kind, named] = WORDS.exec(words) ?? [];
    if (kind === "buffer") return [{ ...mention, kind, name: named ?? "", isMeant: true }];
    const { path, lines } = pathAndLines(named ?? words);
    const isMeant = quoted !== undefined || kind !== undefined || looksLikePath(path);
    const place = kind === "file" || kind === "folder" ? kind : "path";
    return [{ ...mention, kind: place, name: path, isMeant, ...(lines === undefined ? {} : { lines }) }];
  });
}

/** `@param` and `@alice` are words; so is `@scope/name`, but for what exists. */
function looksLikePath(path: string): boolean {
  return /\.\w{1,8}$/.test(path) || /^\.{0,2}\/./.test(path) || path.split("/").length > 2 || path.endsWith("/");
}

function pathAndLines(text: string): Pick<Mention, "lines"> & { readonly path: string } {
  const [, path, first, last = first] = /^(.+?):(\d{1,7})(?:-(\d{1,7}))?$/.exec(text) ?? [];
  if (path === undefined || Number(first) < 1 || Number(last) < Number(first)) return { path: text };
  return { path, lines: { first: Number(first), last: Number(last) } };
}

function symbolMentions(text: string): Mention[] {
  return [...text.matchAll(SYMBOL)].map((match): Mention => {
    const name = withoutTail(match[1] ?? "");
    return { kind: "symbol", written: `#${name}`, name, at: match.index, isMeant: !HEX_COLOUR.test(name) };
  });
}

function valueMentions(text: string): Mention[] {
  return [...text.matchAll(VALUE)].flatMap((match): Mention[] => {
    const name = match[1] ?? "";
    if (CAPITALS.test(name)) return [];
    const isHandle = /^\d/.test(name);
    return [{ kind: "value", written: `$${name}`, name: isHandle ? `$${name}` : name, at: match.index, isMeant: true }];
  });
}

/** Punctuation of the sentence around it. */
function withoutTail(word: string): string {
  return word.replace(/[.,:;!?#…]+$/u, "");
}
