/** Brings files into the name index: whatever the text alone says about a declaration is settled there, once. */
import { lineStarts } from "../../../base/line-breaks.ts";
import { fileTextNow } from "../../files/file-text.ts";
import { externalNames } from "./external-names.ts";
import type { NameIndex } from "../tree/name-index.ts";
import type { TextFilter } from "./name-pattern.ts";
import { LARGE_FILE } from "../tree/outline.ts";
import type { Declaration, FileOutline } from "../tree/declaration.ts";
import type { View } from "../../view.ts";
import { forEachYielding, mapLimited } from "../../yielding.ts";

/** Files that the filter rules out are left for another time. */
export async function indexOwnFiles(view: View, files: readonly string[], filter?: TextFilter): Promise<void> {
  const { names } = view.state.outlines;
  const missing = files.filter((file) => !names.has(file));
  const wanted = filter === undefined ? missing : await filesPassing(view, missing, filter);
  await mapLimited(
    wanted,
    async (file) => {
      const outline = await view.outline(file);
      const text = fileTextNow(view, file);
      addTo(names, view, file, settled(outline, text));
      noteSize(names, file, text);
    },
    view.signal,
  );
}

async function filesPassing(view: View, files: readonly string[], filter: TextFilter): Promise<string[]> {
  const passing: string[] = [];
  await forEachYielding(
    files,
    (file) => {
      const text = fileTextNow(view, file);
      noteSize(view.state.outlines.names, file, text);
      if (filter(text)) passing.push(file);
    },
    view.signal,
  );
  return passing;
}

function noteSize(names: NameIndex, file: string, text: string): void {
  if (text.length > LARGE_FILE) names.outermostOnly.add(file);
}

export async function indexExternalFiles(view: View, files: readonly string[]): Promise<void> {
  const { names } = view.state.outlines;
  const missing = files.filter((file) => !names.has(file));
  await mapLimited(missing, async (file) => addTo(names, view, file, await externalNames(file)), view.signal);
}

/** A query that was given up may hold what a file said before it changed. */
function addTo(names: NameIndex, view: View, file: string, declarations: readonly Declaration[]): void {
  view.signal.throwIfAborted();
  names.add(file, declarations);
}

/** Overloads and merged declarations are one symbol; `export { name }` only names one that is declared elsewhere. */
function settled(outline: FileOutline, text: string): Declaration[] {
  const starts = lineStarts(text);
  const offset = ({ line, character }: { line: number; character: number }): number => (starts[line] ?? 0) + character;
  return outline.declarations.flatMap((declaration): Declaration[] => {
    if (declaration.ordinal !== 1 || declaration.isHandedOver === true) return [];
    // A file that counts its lines in another way is left to the syntax tree.
    if (!text.startsWith(declaration.name, offset(declaration.at))) return [declaration];
    if (declaration.maybeAlias) {
      const list = listBefore(text, offset(declaration.range.start));
      if (list === "export") return [];
      return list === "other" ? [{ ...declaration, maybeAlias: false }] : [declaration];
    }
    if (declaration.kind === "variable" && isHandedOn(text, offset(declaration.at), declaration.name)) return [];
    if (declaration.kind !== "class") return [declaration];
    const start = offset(declaration.range.start);
    return TYPE_ALIAS.test(text.slice(start, start + 80)) ? [{ ...declaration, kind: "type" }] : [declaration];
  });
}

/** `const name = require("./a")`, `exports.name = other` */
function isHandedOn(text: string, at: number, name: string): boolean {
  const after = text.slice(at + name.length, at + name.length + 200);
  const before = text.slice(Math.max(0, at - 20), at);
  if (/\b(?:const|let|var|import)\s+$/.test(before)) return REQUIRED.test(after);
  return /\bexports\.$/.test(before) && OTHER_NAME.test(after);
}

const REQUIRED = /^\s*=\s*require\(\s*["']/;
const OTHER_NAME =
  /^\s*=\s*(?:require\([^()]*\)\.)?(?!(?:true|false|null|undefined|void|new|require|function|class|async)\b)[A-Za-z_$][\w$.]*\s*(?:;|\n|$)/;
const TYPE_ALIAS = /^(?:export\s+)?(?:declare\s+)?type\s/;
const EXPORT_LIST = /\bexport\s*(?:type\s*)?\{[^{}]*$/;
const VARIABLE_LIST = /\b(?:const|let|var|using)\s[^;{}]*$/;

/** The kind of list around the name, as far as the text before it tells for certain. */
function listBefore(text: string, offset: number): "export" | "other" | "unclear" {
  const before = text.slice(Math.max(0, offset - 10_000), offset);
  const list = before.slice(before.lastIndexOf("}") + 1);
  // A comment may hold anything, a word that looks like the beginning of a list too.
  if (/\/[/*]/.test(list.slice(Math.max(0, list.search(/\b(?:export|const|let|var|using)\b/))))) return "unclear";
  if (EXPORT_LIST.test(list)) return "export";
  return VARIABLE_LIST.test(list) ? "other" : "unclear";
}
