/**
 * Makes the scope of a module reachable that another loader loads: what is added to the text of the module moves no line,
 * and a column only behind a class with private names. So positions and maps of the loader stay true.
 */
import MagicString from "magic-string";
import type { Node } from "oxc-parser";
import { parseSync } from "../../base/parser.ts";
import { inKernel } from "../child/wire/kernel-call.ts";
import type { RunningModule } from "../child/wire/app-frames.ts";
import {
  boundNames,
  CONST_AT_MARGIN,
  editsOf,
  mayWriteConstants,
  NAMED_DEFAULT,
  NEEDS_PARSER,
  shifted,
} from "./instrument.ts";
import { bodyOf, declarationIn, type Body } from "./syntax.ts";
import type { SourceMapJson } from "./transpile.ts";

const INLINE_MAP = /(\/\/# sourceMappingURL=data:application\/json(?:;charset=[\w-]+)?;base64,)([\w+/=]+)\s*$/;

/** A bundle of that many characters would be parsed for longer than a start may take. */
const MAX_TEXT = 2_000_000;

/** Undefined for a text that is left as it is, as one that cannot be parsed. */
export function instrumentLoaded(module: RunningModule): string | undefined {
  const { url, text, format } = module;
  if (text.length > MAX_TEXT) return undefined;
  const here = format === "module" ? "import.meta.url,import.meta" : `${JSON.stringify(url)},module`;
  const register = `;${inKernel("reg")}(${here},__agentq$=>eval(__agentq$));`;
  const made = unparsed(module, register) ?? byItsTree(module, register);
  return made?.code.replace(INLINE_MAP, (whole, head: string, data: string) => {
    const map = JSON.parse(Buffer.from(data, "base64").toString()) as SourceMapJson;
    if (typeof map.mappings !== "string") return whole;
    return head + Buffer.from(JSON.stringify({ ...map, ...shifted(map, text, made.moved).map })).toString("base64");
  });
}

interface Made {
  readonly code: string;
  /** What was inserted into the text, in order. */
  readonly moved: readonly { readonly at: number; readonly text: string }[];
}

const LEADING = /^(?:#![^\n]*)?(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/;
/** A whole statement on a line of its own: an import, or a directive. */
const WHOLE_LINE = /(?:import\b[^\n"'`;()]*(["'])[^"'\n\\]+\1|(["'])use [\w ]+\2);(?=[ \t]*\r?(?:\n|$))/y;
const DIRECTIVE = /["']use /y;
/** Where the beginning of a line tells no statement. */
const UNSURE = /\\\r?\n|^(?:export )?const enum\b/m;

/**
 * The same without the parser, which takes a hundred times as long: for texts in which constants begin lines, and whose
 * first statement is on a line of its own, or behind a comment. Undefined for others.
 */
export function unparsed({ url, text }: RunningModule, register: string): Made | undefined {
  if (/\.[cm]?[jt]sx(?:$|[?#])/.test(url) || NEEDS_PARSER.test(text) || UNSURE.test(text)) return undefined;
  // A template of several lines could have a line that looks like a statement.
  if (text.includes("`") && text.split("\n").some((line) => line.split("`").length % 2 === 0)) return undefined;
  const at = placeUnparsed(text);
  if (at === undefined || mayWriteConstants(text)) return undefined;
  const same = text.replace(CONST_AT_MARGIN, "$1let   ");
  return { code: same.slice(0, at) + register + same.slice(at), moved: [{ at, text: register }] };
}

function placeUnparsed(text: string): number | undefined {
  const begin = LEADING.exec(text)?.[0].length ?? 0;
  WHOLE_LINE.lastIndex = DIRECTIVE.lastIndex = begin;
  if (WHOLE_LINE.test(text)) return WHOLE_LINE.lastIndex;
  const first = text.startsWith("#!") ? text.indexOf("\n") + 1 : 0;
  // No code stands on the line that the text begins with.
  const isFree = text.lastIndexOf("\n", begin - 1) >= first && !DIRECTIVE.test(text);
  return isFree && begin < text.length ? first : undefined;
}

export function byItsTree({ url, text, format }: RunningModule, register: string): Made | undefined {
  const parsed = parsedText(url, text, format);
  if (parsed === undefined) return undefined;
  const edits = editsOf(parsed, text, true);
  const { at, isOnOwnLine } = placeAmong(parsed, text);
  const edited = new MagicString(text);
  for (const { start, text: same } of edits.same) edited.overwrite(start, start + same.length, same);
  for (const each of edits.inserted) edited.appendLeft(each.at, each.text);
  edited.appendLeft(at, isOnOwnLine ? `\n${register}` : register);
  const code = edited.toString() + (edits.namesDefault ? NAMED_DEFAULT : "");
  const isPlain = edits.inserted.length === 0 && !edits.namesDefault;
  if (!isPlain && parsedText(url, code, format) === undefined) return undefined;
  const moved = [...edits.inserted, { at, text: register }].toSorted((one, other) => one.at - other.at);
  return { code, moved };
}

/** The names that a text binds at its top level, imports included; none when the text cannot be parsed. */
export function namesIn({ url, text, format }: RunningModule): readonly string[] {
  return (parsedText(url, text, format) ?? []).map(declarationIn).flatMap(boundNames);
}

/** The statements at the top level of a text; undefined when the text cannot be parsed. */
export function parsedText(url: string, text: string, format: RunningModule["format"]): Body | undefined {
  // The output of a loader for CommonJS is JavaScript, whatever the file is called.
  const name = format === "commonjs" ? "code.js" : (/[^/]+$/.exec(url.replace(/[?#].*$/, ""))?.[0] ?? "code.ts");
  const { program, errors } = parseSync(name, text, { sourceType: format });
  return errors.length > 0 ? undefined : bodyOf(program.body);
}

/**
 * The end of the first statement behind which its line is empty: nothing on that line can get another column. Imports
 * come first, as they run first anyway.
 */
function placeAmong(body: Body, text: string): { readonly at: number; readonly isOnOwnLine: boolean } {
  const isImport = (node: Node): boolean => node.type === "ImportDeclaration";
  const isLineEnd = ({ end }: Node): boolean => /^[ \t]*(?:\r?\n|$)/.test(text.slice(end, end + 200));
  const imports = body.findLastIndex(isImport);
  const place = body.slice(Math.max(imports, 0)).find(isLineEnd) ?? body.find(isLineEnd);
  if (place !== undefined) return { at: place.end, isOnOwnLine: false };
  const last = body.at(-1);
  return { at: last?.end ?? text.length, isOnOwnLine: last === undefined };
}
