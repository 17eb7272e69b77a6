/** The names that a form declares and uses, and the parts that are only valid at the top level of a file. */
import { parseSync } from "../../../base/parser.ts";
import { parsePlain } from "../../source/plain-script.ts";
import type { Node } from "oxc-parser";
import { declarationIn, declaratorNames, identifierName, type Body } from "../../source/syntax.ts";
import { walk } from "../../../base/syntax-walk.ts";

export interface ParsedForm {
  /** The extension of the source text: `.tsx` for a form with JSX. */
  readonly extension: ".ts" | ".tsx";
  readonly values: readonly string[];
  readonly types: readonly string[];
  /** Names that the form declares with the keyword `export`. */
  readonly exported: ReadonlySet<string>;
  readonly uses: ReadonlySet<string>;
  /** The parts that are only valid at the top level: import declarations, and the keyword `export`. */
  readonly topLevelOnly: readonly TopLevelOnly[];
  readonly lastExpression: { readonly start: number; readonly end: number } | undefined;
}

export interface TopLevelOnly {
  readonly start: number;
  readonly end: number;
  readonly isImport: boolean;
  /** A value follows, which could be read as a statement without the keywords. */
  readonly isOfValue?: boolean;
}

/** Undefined when the form does not parse. */
export function parseForm(code: string): ParsedForm | undefined {
  const plain = parsePlain(code);
  if (plain !== undefined) return readForm(plain, ".ts");
  for (const extension of [".ts", ".tsx"] as const) {
    const { program, errors } = parseSync(`form${extension}`, code, { sourceType: "module" });
    if (errors.length > 0) continue;
    return readForm(program.body, extension);
  }
  return undefined;
}

function readForm(body: Body, extension: ParsedForm["extension"]): ParsedForm {
  const values: string[] = [];
  const types: string[] = [];
  const exported = new Set<string>();
  const topLevelOnly: TopLevelOnly[] = [];
  const uses = new Set<string>();
  for (const statement of body) {
    walk(statement, (node) => {
      if (node.type === "Identifier" || node.type === "JSXIdentifier") uses.add(node.name);
    });
    const { type, start, end } = statement;
    if (type === "ImportDeclaration") topLevelOnly.push({ start, end, isImport: true });
    const declaration = declarationIn(statement);
    const names = declaredNames(declaration);
    const isOfValue = type === "ExportDefaultDeclaration" && names.length === 0;
    if (declaration !== statement) topLevelOnly.push({ start, end: declaration.start, isImport: false, isOfValue });
    (isTypeOnly(declaration) ? types : values).push(...names);
    if (type === "ExportNamedDeclaration") for (const name of names) exported.add(name);
  }
  const last = body.at(-1);
  const expression = last?.type === "ExpressionStatement" ? last.expression : undefined;
  return { extension, values: [...new Set(values)], types, exported, uses, topLevelOnly, lastExpression: expression };
}

function isTypeOnly(node: Node): boolean {
  if (node.type === "ImportDeclaration") return node.importKind === "type";
  return node.type === "TSInterfaceDeclaration" || node.type === "TSTypeAliasDeclaration";
}

function declaredNames(node: Node): string[] {
  switch (node.type) {
    case "ImportDeclaration":
      return node.specifiers.map(({ local }) => local.name);
    case "VariableDeclaration":
      return declaratorNames(node);
    case "FunctionDeclaration":
    case "TSDeclareFunction":
    case "ClassDeclaration":
    case "TSEnumDeclaration":
    case "TSModuleDeclaration":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSImportEqualsDeclaration": {
      const name = identifierName(node.id);
      return name === undefined ? [] : [name];
    }
    default:
      return [];
  }
}
