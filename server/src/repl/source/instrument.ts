/**
 * Makes a module's own scope reachable. The first line registers an evaluator, each top-level `const` becomes a `let`
 * of the same length, a default export gets a name, and classes with private names register evaluators of their own. No
 * line moves, and a redefinition is an assignment that importers see.
 */
import { inKernel } from "../child/wire/kernel-call.ts";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import MagicString from "magic-string";
import { brandBlock, classBodyStart, classesOf, classSpec, hasPrivates, type ClassSpec } from "./classes/class-spec.ts";
import { refuseWrites, type WriteEdits } from "./constant-writes.ts";
import { freeNames } from "./free-names.ts";
import { positionAt } from "./source-position.ts";
import type { Node } from "oxc-parser";
import { declarationIn, declaratorNames, declaredName, isClass, parseProgram, type Body } from "./syntax.ts";
import type { SourceMapJson, Transpiled } from "./transpile.ts";

export interface Instrumented extends Transpiled {
  /** Names bound at the module's top level, imports included. The first call parses the module. */
  readonly names: () => ReadonlySet<string>;
  /** The top-level classes by name. */
  readonly classes: () => ReadonlyMap<string, ClassSpec>;
  /** The specifiers of import and export declarations: the modules that must be found before this module runs. */
  readonly imports: () => readonly string[];
}

/** The binding of a nameless `export default`. Its name is as long as the keyword that it replaces. */
export const DEFAULT_NAME = "$default";

type Format = "module" | "commonjs";
const DIRECTIVES = /^(?:(?:\s|\/\/.*|\/\*[^]*?\*\/)*(?:"[^"\n]*"|'[^'\n]*')[ \t]*(?:;|(?=\r?\n|$)))*/;
export const CONST_AT_MARGIN = /^((?:export )?)const /gm;
/** A declaration in the transpilers' style, with a specifier that has no escapes. */
const IMPORT_AT_MARGIN = /^(?:import\s*|(?:import|export)\b[^"'`;=(]*?\bfrom\s*)(?:"([^"\\\n]+)"|'([^'\\\n]+)')/gm;
/** The names of constants at the beginning of a line; of a pattern, all words. */
const CONSTANTS_AT_MARGIN = /^(?:export )?const ([\w$]+|[{[][^=]*)/gm;
/** Code that may write to a name: assignments, updates, heads of loops, and patterns on the left side. */
const MAY_WRITE = new RegExp(
  [
    String.raw`(?<!\b(?:const|let|var) )(?<![\w$.])([\w$]+)\s*(?:\+\+|--|(?:\*\*|\|\||&&|\?\?|<<|>>>?|[-+*/%&|^])?=(?![=>]))`,
    String.raw`(?:\+\+|--)\s*([\w$]+)`,
    String.raw`\bfor\s*(?:await\s*)?\(\s*([\w$]+\s+(?:of|in)\b|[{[][^;]*?\bof\b)`,
    String.raw`(?<!\b(?:const|let|var) )(\[[^\]=;]*\]|\{[^}=;]*\})\s*=(?![=>])`,
  ].join("|"),
  "g",
);
const WORD = /[\w$]+/g;
/** Code that needs the parser; the beginnings of lines show everything else. */
export const NEEDS_PARSER =
  /^export default\b(?! (?:async )?function\*? [\w$]| class (?!extends\b)[\w$])|[^\w$"']#[\w$]/m;

/**
 * `input` is a transpiler's output, in which only top-level statements begin at the beginning of a line. Without a map
 * it is a text as it was written.
 */
export function instrument(input: Transpiled, format: Format, url: string): Instrumented {
  const unhashed = input.code.startsWith("#!") ? `//${input.code.slice(2)}` : input.code;
  const plain = format === "commonjs" ? withEarlyExports(unhashed) : unhashed;
  let parsed: Body | undefined;
  const body = (): Body => (parsed ??= parseProgram(plain, format));
  const here = format === "module" ? "import.meta.url,import.meta" : `${JSON.stringify(url)},module`;
  const mayWait = format === "module" && /\bawait\b/.test(plain);
  const register = `${inKernel("reg")}(${here},__agentq$=>eval(__agentq$)${mayWait ? ",true" : ""});`;
  const start = format === "module" ? 0 : (DIRECTIVES.exec(plain)?.[0].length ?? 0);
  const prefix = start > 0 && !plain.slice(0, start).endsWith(";") ? `;${register}` : register;
  const edits = needsParser(input, plain) ? editsOf(body(), plain) : undefined;
  const suffix = `${edits?.namesDefault === true ? NAMED_DEFAULT : ""}${mayWait ? HAS_RUN : ""}`;
  const output = apply({ map: input.map, plain, edits, prefix: { at: start, text: prefix }, suffix });
  let names: ReadonlySet<string> | undefined;
  let classes: ReadonlyMap<string, ClassSpec> | undefined;
  return {
    ...output,
    names: () => {
      const hidden = edits?.namesDefault === true ? [DEFAULT_NAME] : [];
      const bound = body().map(declarationIn).flatMap(boundNames);
      return (names ??= new Set([...bound.filter((name) => input.helpers?.has(name) !== true), ...hidden]));
    },
    classes: () => (classes ??= classMap(body(), plain)),
    imports: () => {
      if (format !== "module" || input.map === undefined) return [];
      const found = statementsAtMargin(plain, input.map, IMPORT_AT_MARGIN).flatMap(
        ([, double, single]) => double ?? single ?? [],
      );
      return [...new Set(found)];
    },
  };
}

interface Edits extends WriteEdits {
  namesDefault: boolean;
}

function needsParser({ map }: Transpiled, plain: string): boolean {
  if (map === undefined || NEEDS_PARSER.test(plain) || mayWriteConstants(plain)) return true;
  if (!plain.includes("`")) return false;
  return statementsAtMargin(plain, map, CONST_AT_MARGIN).length < [...plain.matchAll(CONST_AT_MARGIN)].length;
}

export function mayWriteConstants(plain: string): boolean {
  const constants = new Set(
    [...plain.matchAll(CONSTANTS_AT_MARGIN)].flatMap(([, names = ""]) => names.match(WORD) ?? []),
  );
  if (constants.size === 0) return false;
  for (const [, ...targets] of plain.matchAll(MAY_WRITE)) {
    const target = targets.find((each) => each !== undefined) ?? "";
    if (target.match(WORD)?.some((word) => constants.has(word)) === true) return true;
  }
  return false;
}

/**
 * The matches that begin a statement: the first mapping of their line is at column 0, which no line inside of a
 * template has.
 */
function statementsAtMargin(plain: string, { mappings }: SourceMapJson, pattern: RegExp): RegExpExecArray[] {
  const lines = mappings.split(";");
  let line = 0;
  let at = 0;
  return [...plain.matchAll(pattern)].filter(({ index }) => {
    for (let next = plain.indexOf("\n", at); next >= 0 && next < index; next = plain.indexOf("\n", at)) {
      line += 1;
      at = next + 1;
    }
    return lines[line]?.startsWith("A") === true;
  });
}

/** `atEnd`: what is added to a class stands behind its members, so that none of them gets another column. */
export function editsOf(body: Body, plain: string, atEnd = false): Edits {
  const edits: Edits = { same: [], inserted: [], namesDefault: false };
  const constants = new Set<string>();
  for (const statement of body) {
    const declaration = declarationIn(statement);
    if (declaration.type === "VariableDeclaration" && declaration.kind === "const" && declaration.declare !== true) {
      edits.same.push({ start: declaration.start, text: "let  " });
      for (const name of declaratorNames(declaration)) constants.add(name);
    }
    const isDefault = statement.type === "ExportDefaultDeclaration" && isNameless(declaration);
    if (isDefault && canBeNamed(declaration) && !plain.includes(DEFAULT_NAME)) {
      nameDefault(edits, statement, declaration, plain);
    }
    const nameless = isClass(declaration) && isNameless(declaration) ? [{ node: declaration }] : [];
    for (const written of [...classesOf(declaration), ...nameless]) {
      const spec = classSpec(written, (start, end) => plain.slice(start, end));
      if (!hasPrivates(spec)) continue;
      const brand = brandBlock(spec);
      edits.inserted.push(
        atEnd
          ? { at: written.node.body.end - 1, text: `;${brand}` }
          : { at: classBodyStart(written.node), text: brand },
      );
    }
  }
  refuseWrites(
    edits,
    freeNames(body, (name) => constants.has(name)),
    plain,
  );
  return edits;
}

function isNameless(declaration: Node): boolean {
  return declaredName(declaration) === undefined;
}

/** What TypeScript alone knows has no value, or a value in words that cannot be behind `=`. */
function canBeNamed(declaration: Node): boolean {
  if (declaration.type === "TSInterfaceDeclaration" || declaration.type === "TSDeclareFunction") return false;
  return declaration.type !== "ClassDeclaration" || (!declaration.abstract && declaration.decorators.length === 0);
}

/** A function stays a hoisted function; any other value becomes the value of a variable. */
function nameDefault(edits: Edits, statement: Node, declaration: Node, plain: string): void {
  edits.namesDefault = true;
  if (declaration.type === "FunctionDeclaration") {
    const open = plain.indexOf("(", declaration.start);
    const head = plain.slice(declaration.start, open).replace(/\s/g, "");
    const named = `${head.startsWith("async") ? "async " : ""}function${head.endsWith("*") ? "*" : ""} ${DEFAULT_NAME}`;
    edits.same.push({ start: statement.start, text: named.padEnd(open - statement.start) });
    return;
  }
  const gap = declaration.start - statement.start;
  edits.same.push({ start: statement.start, text: `let ${DEFAULT_NAME} =`.padEnd(gap) });
  if (declaration.type === "ClassDeclaration") edits.inserted.push({ at: declaration.end, text: ";" });
}

const HAS_RUN = `\n;${inKernel("ran")}(import.meta.url);`;
export const NAMED_DEFAULT = `\nexport { ${DEFAULT_NAME} as default };${inKernel("unname")}(${DEFAULT_NAME});`;

interface Change {
  readonly map: SourceMapJson | undefined;
  readonly plain: string;
  /** Undefined when only beginnings of lines have to change. */
  readonly edits: Edits | undefined;
  readonly prefix: { readonly at: number; readonly text: string };
  readonly suffix: string;
}

function apply({ map, plain, edits, prefix, suffix }: Change): Transpiled {
  const edited = new MagicString(plain);
  if (edits === undefined) {
    const code = plain.replace(CONST_AT_MARGIN, "$1let   ");
    return {
      code: code.slice(0, prefix.at) + prefix.text + code.slice(prefix.at) + suffix,
      ...shifted(map, plain, [prefix]),
    };
  }
  for (const { start, text } of edits.same) edited.overwrite(start, start + text.length, text);
  const inserted = [prefix, ...edits.inserted].toSorted((a, b) => a.at - b.at);
  for (const { at, text } of inserted) {
    if (at === 0) edited.prepend(text);
    else edited.appendLeft(at, text);
  }
  edited.append(suffix);
  const code = edited.toString();
  if (map !== undefined) return { code, ...shifted(map, plain, inserted) };
  const own = edited.generateMap({ hires: true });
  return { code, map: { version: 3, sources: [""], names: [], mappings: own.mappings } };
}

/**
 * Moves the mappings after each insertion. The last insertion is handled first, so that each has its column in the
 * unchanged text.
 */
export function shifted(
  map: SourceMapJson | undefined,
  plain: string,
  inserted: readonly { readonly at: number; readonly text: string }[],
): { map?: SourceMapJson } {
  if (map === undefined) return {};
  const lines = decode(map.mappings);
  for (const { at, text } of inserted.toReversed()) {
    const { line, column } = positionAt(plain, at);
    for (const segment of lines[line] ?? []) if (segment[0] >= column) segment[0] += text.length;
  }
  return { map: { ...map, mappings: encode(lines) } };
}

/**
 * In a circle of CommonJS modules, an export that does not exist yet reads as undefined, as in TypeScript's own output;
 * the transpiler's getters would throw.
 */
function withEarlyExports(code: string): string {
  return code
    .replace(
      "get: Object.getOwnPropertyDescriptor(all, name).get",
      (getter) => `get: ${inKernel("early")}(${getter.slice(5)})`,
    )
    .replace(
      /(Object\.defineProperty\(exports, ("[^"\n]+"), \{\s*enumerable: true,\s*get: )(function\(\) \{\s*return [\w$]+;\s*\})/,
      // Node recognises the names of exports by certain shapes of code. The object that is never assigned is one of
      // these shapes.
      `0&&(module.exports={$2:null});$1${inKernel("early")}($3)`,
    );
}

function classMap(body: Body, plain: string): ReadonlyMap<string, ClassSpec> {
  const text = (start: number, end: number): string => plain.slice(start, end);
  return new Map(
    body.flatMap((statement) => {
      const declaration = declarationIn(statement);
      const isNamelessDefault = statement.type === "ExportDefaultDeclaration" && isNameless(declaration);
      const nameless = isNamelessDefault && isClass(declaration) ? [{ name: DEFAULT_NAME, node: declaration }] : [];
      return [...classesOf(declaration), ...nameless].map((each) => [each.name, classSpec(each, text)] as const);
    }),
  );
}

export function boundNames(node: Node): string[] {
  if (node.type === "ImportDeclaration") return node.specifiers.map(({ local }) => local.name);
  if (node.type === "VariableDeclaration") return declaratorNames(node);
  const name = declaredName(node);
  return name === undefined ? [] : [name];
}
