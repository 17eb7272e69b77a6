/** The constructs of a code text that a transformer rewrites, and the targets below which it does. */
import type { ArrowFunctionExpression, Function, Node } from "oxc-parser";
import { parseSync } from "../../base/parser.ts";
import { walk } from "../../base/syntax-walk.ts";
import { TARGETS, type Target } from "./targets.ts";

export interface CodeFeature {
  readonly name: string;
  /**
   * Every target before this one lowers the feature; undefined for TypeScript's own features, which all targets lower.
   */
  readonly since: Target | undefined;
}

export interface CodeSyntax {
  readonly language: "ts" | "tsx";
  readonly features: readonly CodeFeature[];
  /** Whether there are types or declarations to take away. */
  readonly hasTypes: boolean;
  /** `import x = require()` or `export =`: only CommonJS has them. */
  readonly isCommonJs: boolean;
}

export interface SyntaxProblem {
  readonly message: string;
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
}

type Add = (name: string, since?: Target) => void;

/**
 * In the order of the first appearance; the problem of the text read as TypeScript when neither that nor TSX parses.
 */
export function readCode(text: string, prefersJsx: boolean): CodeSyntax | SyntaxProblem {
  const languages = prefersJsx ? (["tsx", "ts"] as const) : (["ts", "tsx"] as const);
  let problem: SyntaxProblem | undefined;
  for (const language of languages) {
    const { program, errors } = parseSync(`form.${language}`, text);
    const [error] = errors;
    if (error === undefined) return { language, ...featuresOf(program) };
    const hasMarkup = /<[A-Za-z>]/.test(text);
    if (problem === undefined || (hasMarkup && language === "tsx")) {
      const offset = error.labels[0]?.start ?? 0;
      const before = text.slice(0, offset).split("\n");
      problem = { message: error.message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    }
  }
  return problem ?? { message: "not readable", line: 1, column: 1 };
}

export function isSyntaxProblem(result: CodeSyntax | SyntaxProblem): result is SyntaxProblem {
  return "message" in result;
}

/** Whether the target lacks what the feature needs. */
export function isLoweredAt({ since }: CodeFeature, target: Target): boolean {
  return since === undefined || TARGETS.indexOf(target) < TARGETS.indexOf(since);
}

/** The newest target at which one of the features would be lowered. */
export function firstLoweringTarget(features: readonly CodeFeature[]): Target | undefined {
  return TARGETS.findLast((target) => features.some((feature) => isLoweredAt(feature, target)));
}

function featuresOf(program: Node): Omit<CodeSyntax, "language"> {
  const found = new Map<string, CodeFeature>();
  const state = { hasTypes: false, isCommonJs: false };
  const add: Add = (name, since) => {
    if (!found.has(name)) found.set(name, { name, since });
  };
  walk(program, (node) => {
    if (node.type === "TSExportAssignment" || node.type === "TSImportEqualsDeclaration") state.isCommonJs = true;
    if (/^TS/.test(node.type) && !/^TS(?:Enum|Module|ParameterProperty|ExportAssignment|ImportEquals)/.test(node.type))
      state.hasTypes = true;
    // Each entry takes the nodes of its own type.
    (NOTES[node.type] as ((node: Node, add: Add) => void) | undefined)?.(node, add);
    // A `declare` leaves nothing.
    return !("declare" in node) || !node.declare;
  });
  return { features: [...found.values()], ...state };
}

/** What each type of node is a sign of. */
const NOTES: { readonly [Type in Node["type"]]?: (node: Extract<Node, { type: Type }>, add: Add) => void } = {
  // TypeScript's own.
  TSEnumDeclaration: (node, add) => {
    if (!node.declare) add(node.const ? "const enum" : "enum");
  },
  TSModuleDeclaration: ({ declare, kind }, add) => {
    if (!declare && kind !== "global") add("namespace");
  },
  TSParameterProperty: (_node, add) => add("parameter property"),
  TSSatisfiesExpression: (_node, add) => add("satisfies (erased)"),
  TSExportAssignment: (_node, add) => add("export ="),
  TSImportEqualsDeclaration: (_node, add) => add("import ="),
  Decorator: (_node, add) => add("decorators"),
  AccessorProperty: (_node, add) => add("accessor", "esnext"),
  JSXElement: (_node, add) => add("JSX"),
  JSXFragment: (_node, add) => add("JSX"),
  // The language's.
  VariableDeclaration: ({ kind }, add) => {
    if (kind === "using" || kind === "await using") add(kind, "esnext");
    else if (kind !== "var") add("let and const", "es2015");
  },
  FunctionDeclaration: noteFunction,
  FunctionExpression: noteFunction,
  ArrowFunctionExpression: noteFunction,
  ForOfStatement: (node, add) => (node.await ? add("for await", "es2018") : add("for of", "es2015")),
  ClassDeclaration: (_node, add) => add("class", "es2015"),
  ClassExpression: (_node, add) => add("class", "es2015"),
  PropertyDefinition: (_node, add) => add("class field", "es2022"),
  StaticBlock: (_node, add) => add("static block", "es2022"),
  PrivateIdentifier: (_node, add) => add("private name", "es2022"),
  ChainExpression: (_node, add) => add("optional chaining", "es2020"),
  LogicalExpression: ({ operator }, add) => {
    if (operator === "??") add("nullish coalescing", "es2020");
  },
  AssignmentExpression: ({ operator }, add) => {
    if (operator === "??=" || operator === "||=" || operator === "&&=") add("logical assignment", "es2021");
    if (operator === "**=") add("exponentiation", "es2016");
  },
  BinaryExpression: ({ operator }, add) => {
    if (operator === "**") add("exponentiation", "es2016");
  },
  CatchClause: ({ param }, add) => {
    if (param === null) add("catch without binding", "es2019");
  },
  ObjectExpression: ({ properties }, add) => {
    if (properties.some(({ type }) => type === "SpreadElement")) add("object spread or rest", "es2018");
  },
  ObjectPattern: ({ properties }, add) => {
    if (properties.some(({ type }) => type === "RestElement")) add("object spread or rest", "es2018");
    add("destructuring", "es2015");
  },
  ArrayPattern: (_node, add) => add("destructuring", "es2015"),
  SpreadElement: (_node, add) => add("spread", "es2015"),
  TemplateLiteral: (_node, add) => add("template literal", "es2015"),
  TaggedTemplateExpression: (_node, add) => add("template literal", "es2015"),
};

function noteFunction(node: Function | ArrowFunctionExpression, add: Add): void {
  if (node.async && node.generator) add("async generator", "es2018");
  else if (node.async) add("async function", "es2017");
  else if (node.generator) add("generator", "es2015");
  if (node.type === "ArrowFunctionExpression") add("arrow function", "es2015");
}
