/** Reads a module's names from its text. */
import type { Node, Program } from "oxc-parser";
import { parseSync } from "../../../base/parser.ts";
import { childrenOf, walk } from "../../../base/syntax-walk.ts";
import { EVERY, UNREAD, type DeclaredNames, type ModuleNames, type TakenName } from "./module-names.ts";

const SCRIPT = /\.[cm]?jsx?$/;
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
const ASSIGNED_EXPORTS = /\bmodule\s*\.\s*exports\b|\bexports\s*[.[]|\bexport\s*=|\bexport\s+as\s+namespace\b/;
const GLOBAL_NAMES = /\bdeclare\s+(?:global|module)\b|^\s*\/\/\/\s*<reference\b/m;
const LOOSE = /\b(?:import|require)\s*\(\s*["'`]([^"'`\n]+)["'`]/g;

export function readModule(file: string, text: string): ModuleNames {
  if (file.endsWith(".json")) return UNREAD;
  const { program, module, errors, comments } = parseSync(file, text, { astType: "ts", sourceType: "module" });
  const isWrong = errors.length > 0;
  const isAssigned = ASSIGNED_EXPORTS.test(text);
  const cut = SCRIPT.test(file) ? [] : [...comments, ...typedBodies(program)];
  const given = new Map<string, string>();
  const taken: TakenName[] = module.staticImports.flatMap(({ moduleRequest: { value: from }, entries }) =>
    entries.map(({ importName, localName }) => ({ from, name: nameOf(importName), local: localName.value })),
  );
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, importName, exportName, localName } of entries) {
      const exported = isKind(exportName, "Default") ? "default" : (exportName.name ?? EVERY);
      if (moduleRequest !== null) taken.push({ from: moduleRequest.value, name: nameOf(importName), exported });
      else given.set(exported, localName.name ?? exported);
    }
  }
  const bare = module.staticImports.flatMap(({ moduleRequest, entries }) =>
    entries.length === 0 ? moduleRequest.value : [],
  );
  const code = textWithout(text, { start: 0, end: text.length }, comments);
  return {
    taken,
    bare: new Set(bare),
    loose: new Set([...code.matchAll(LOOSE)].map(([, name = ""]) => name)),
    given,
    declared: program.body.flatMap((statement) => declaredBy(statement, text, cut)),
    isGlobal: (!module.hasModuleSyntax && !isAssigned && !isWrong) || GLOBAL_NAMES.test(text),
    isOpaque: isWrong || isAssigned,
  };
}

interface RecordedName {
  readonly kind: string;
  readonly name: string | null;
}

function nameOf(recorded: RecordedName): string {
  if (isKind(recorded, "Default")) return "default";
  return isKind(recorded, "Name") ? (recorded.name ?? EVERY) : EVERY;
}

function isKind({ kind }: RecordedName, wanted: "Default" | "Name"): boolean {
  return kind === wanted;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** What no other file can see: the body of a function whose result is written down, the value of what has a written type. */
function typedBodies(program: Program): Stretch[] {
  const found: Stretch[] = [];
  walk(program, (node) => {
    const hidden = hiddenPart(node);
    if (hidden === undefined) return true;
    found.push(hidden);
    return false;
  });
  return found;
}

function hiddenPart(node: Node): Stretch | undefined {
  if (
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression"
  ) {
    return node.returnType && node.body ? node.body : undefined;
  }
  if (node.type === "VariableDeclarator") return node.id.typeAnnotation && node.init ? node.init : undefined;
  if (node.type === "PropertyDefinition") return node.typeAnnotation && node.value ? node.value : undefined;
  return undefined;
}

function declaredBy(statement: Node, text: string, cut: readonly Stretch[]): DeclaredNames[] {
  if (statement.type === "ImportDeclaration" || statement.type === "ExportAllDeclaration") return [];
  const isDefault = statement.type === "ExportDefaultDeclaration";
  const declaration = isDefault || statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  if (declaration === null) return [];
  const names = [...namesIn(declaration, text), ...(isDefault ? ["default"] : [])];
  if (names.length === 0) return [];
  const shape = textWithout(text, statement, cut);
  return [{ names, shape, words: new Set(shape.match(WORD)) }];
}

/** A statement that declares nothing may still add to what it begins with: `area.unit = "m²"`. */
function namesIn(node: Node, text: string): string[] {
  if (node.type === "VariableDeclaration") return node.declarations.flatMap(({ id }) => boundNames(id));
  const id = "id" in node ? node.id : undefined;
  if (id !== null && typeof id === "object" && "name" in id && typeof id.name === "string") return [id.name];
  const [first] = text.slice(node.start, node.end).match(WORD) ?? [];
  return node.type === "ExpressionStatement" && first !== undefined ? [first] : [];
}

function boundNames(pattern: Node): string[] {
  if (pattern.type === "Identifier") return [pattern.name];
  return childrenOf(pattern).flatMap(([key, child]) =>
    key === "key" || key === "typeAnnotation" || key === "right" ? [] : boundNames(child),
  );
}

function textWithout(text: string, { start, end }: Stretch, cut: readonly Stretch[]): string {
  let left = "";
  let at = start;
  for (const hidden of cut
    .filter((each) => each.start >= start && each.end <= end)
    .toSorted((a, b) => a.start - b.start)) {
    if (hidden.start < at) continue;
    left += `${text.slice(at, hidden.start)} `;
    at = hidden.end;
  }
  return (left + text.slice(at, end)).replaceAll(/\s+/g, " ");
}
