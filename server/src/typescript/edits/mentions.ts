/** Where a file's comments and strings spell a name: what a rename cannot know to be the same thing. */
import {
  getTouchingPropertyName,
  isCallExpression,
  isExportDeclaration,
  isExternalModuleReference,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isMetaProperty,
  isModuleDeclaration,
  isPropertyAccessExpression,
  isTemplateExpression,
  isTemplateSpan,
  SyntaxKind,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { linesAt } from "../../base/line-breaks.ts";
import { readRegularText } from "../../workspace/regular-file.ts";
import { isRequireCall } from "../names/javascript/commonjs-exports.ts";
import type { View } from "../view.ts";
import type { LspPosition } from "../places.ts";
import type { FileEdits } from "./workspace-edit.ts";
import { forEachYielding, mapLimited } from "../yielding.ts";

export interface Mentions {
  readonly file: string;
  readonly comments: readonly LspPosition[];
  readonly strings: readonly LspPosition[];
}

const MAX_FILES = 2_000;
const MAX_SIZE = 1_000_000;

const TEXT_KINDS = new Set<SyntaxKind>([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
  SyntaxKind.JsxText,
  SyntaxKind.RegularExpressionLiteral,
]);

/** Whole words only; places inside one of the edits are left out, and so are files without any mention. */
export async function findMentions(view: View, files: readonly FileEdits[], name: string): Promise<Mentions[]> {
  const found = await mapLimited(
    files,
    async ({ file, edits }) => {
      const source = (await view.source(file))?.source;
      if (source === undefined) return { file, comments: [], strings: [] };
      const edited = new Set(
        edits.map(({ range: { start } }) => source.getPositionOfLineAndCharacter(start.line, start.character)),
      );
      const comments: LspPosition[] = [];
      const strings: LspPosition[] = [];
      await forEachYielding(
        spellingsIn(source.text, name),
        (offset) => {
          if (edited.has(offset)) return;
          const into = textAround(source, offset);
          if (into === "comment") comments.push(source.getLineAndCharacterOfPosition(offset));
          if (into === "string") strings.push(source.getLineAndCharacterOfPosition(offset));
        },
        view.signal,
      );
      return { file, comments, strings };
    },
    view.signal,
  );
  return found.filter(({ comments, strings }) => comments.length + strings.length > 0);
}

export interface LinesOfFile {
  readonly file: string;
  /** Counted from 1; one for each mention. */
  readonly lines: readonly number[];
}

/** Where files that the compiler does not know spell the name, such as pages of prose. */
export async function linesSpelling(view: View, all: readonly string[], name: string): Promise<readonly LinesOfFile[]> {
  const files = all.slice(0, MAX_FILES);
  const found = await mapLimited(
    files,
    async (file) => {
      const text = await readRegularText(file, { limit: MAX_SIZE, lossy: true }).catch(() => "");
      return { file, lines: linesAt(text, spellingsIn(text, name)) };
    },
    view.signal,
  );
  return found.filter(({ lines }) => lines.length > 0);
}

/** Offsets at which the name is a whole word. */
export function wordsIn(text: string, name: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    const before = at === 0 ? "" : text.charAt(at - 1);
    const after = text.charAt(at + name.length);
    if (!/[\p{ID_Continue}$]/u.test(before) && !/[\p{ID_Continue}$]/u.test(after)) offsets.push(at);
  }
  return offsets;
}

/** The same without those that are part of the name of a file, as in `src/loader.ts`: the file keeps its name. */
export function spellingsIn(text: string, name: string): number[] {
  return wordsIn(text, name).filter((offset) => !namesFile(text, offset, name));
}

function textAround(source: SourceFile, offset: number): "comment" | "string" | undefined {
  const node: Node = getTouchingPropertyName(source, offset);
  // An offset in no token is in the space between two tokens, where only a comment can spell a name.
  const isToken = node.kind < SyntaxKind.FirstNode;
  if (!isToken || offset < node.getStart(source) || offset >= node.end) return "comment";
  return TEXT_KINDS.has(node.kind) && !leadsToModule(node) ? "string" : undefined;
}

/** The ending of a file of code, also behind `\` in a regular expression, and with others before it as in `loader.test.ts`. */
const FILE_ENDING = /^(?:\\?\.[\w-]+)*\\?\.[cm]?[jt]sx?(?![\w$])/;
const BESIDE = /(?:^|[\s"'`(<[{=,:|])\.{1,2}\/[^\s"'`()<>]*$/;

function namesFile(text: string, offset: number, name: string): boolean {
  const line = text.slice(text.lastIndexOf("\n", offset) + 1, offset);
  return FILE_ENDING.test(text.slice(offset + name.length, offset + name.length + 60)) || BESIDE.test(line);
}

/** Calls of test runners, of Node and of bundlers whose text leads to a module. */
const MODULE_CALL =
  /^(?:(?:un|do|doUn|dont)?[mM]ock|import(?:Actual|Mock)|require(?:Actual|Mock)|setMock|resolve|createMockFromModule)$/;

/** What names a module, also in calls as `vi.mock("@/loader")`. */
function leadsToModule(node: Node): boolean {
  const piece = isTemplateSpan(node.parent) ? node.parent.parent : node.parent;
  const text = isTemplateExpression(piece) ? piece : node;
  const { parent } = text;
  if (isImportDeclaration(parent) || isExportDeclaration(parent) || isExternalModuleReference(parent)) return true;
  if (isModuleDeclaration(parent)) return parent.name === text;
  if (isLiteralTypeNode(parent)) return isImportTypeNode(parent.parent);
  if (!isCallExpression(parent)) return false;
  if (parent.arguments[0] !== text) return false;
  const { expression: called } = parent;
  if (called.kind === SyntaxKind.ImportKeyword || isRequireCall(parent)) return true;
  return isPropertyAccessExpression(called) && MODULE_CALL.test(called.name.text) && isModuleHost(called.expression);
}

/** `vi`, `jest`, `mock` of node:test, `require` and `import.meta`, whatever a program calls of its own by those names. */
function isModuleHost(node: Node): boolean {
  return isMetaProperty(node) || (isIdentifier(node) && /^(?:vi|vitest|jest|mock|td|require)$/.test(node.text));
}
