/** Which constructs of a code text a transformer has something to do for, and below which target. */
import { parseSync } from "oxc-parser";
import { TARGETS, type Target } from "./targets.ts";

export interface CodeFeature {
  readonly name: string;
  /** It is lowered by every target before this one; undefined for TypeScript's own, lowered by all. */
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

interface SyntaxNode {
  readonly type: string;
  readonly [key: string]: unknown;
}

type Add = (name: string, since?: Target) => void;

/** In the order of the first appearance; the problem of the text as TypeScript when it parses as neither that nor TSX. */
export function readCode(text: string, prefersJsx: boolean): CodeSyntax | SyntaxProblem {
  const languages = prefersJsx ? (["tsx", "ts"] as const) : (["ts", "tsx"] as const);
  let problem: SyntaxProblem | undefined;
  for (const language of languages) {
    const { program, errors } = parseSync(`form.${language}`, text);
    const [error] = errors;
    if (error === undefined) return { language, ...featuresOf(program as unknown as SyntaxNode) };
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

function featuresOf(program: SyntaxNode): Omit<CodeSyntax, "language"> {
  const found = new Map<string, CodeFeature>();
  const state = { hasTypes: false, isCommonJs: false };
  const add: Add = (name, since) => {
    if (!found.has(name)) found.set(name, { name, since });
  };
  const visit = (node: SyntaxNode): void => {
    if (node.type === "TSExportAssignment" || node.type === "TSImportEqualsDeclaration") state.isCommonJs = true;
    if (/^TS/.test(node.type) && !/^TS(?:Enum|Module|ParameterProperty|ExportAssignment|ImportEquals)/.test(node.type))
      state.hasTypes = true;
    note(node, add);
    // What is only declared leaves nothing.
    if (node["declare"] === true) return;
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) if (isNode(child)) visit(child);
    }
  };
  visit(program);
  return { features: [...found.values()], ...state };
}

function note(node: SyntaxNode, add: Add): void {
  switch (node.type) {
    case "TSEnumDeclaration":
      if (node["declare"] !== true) add(node["const"] === true ? "const enum" : "enum");
      return;
    case "TSModuleDeclaration":
      if (node["declare"] !== true && node["kind"] !== "global") add("namespace");
      return;
    case "TSParameterProperty":
      add("parameter property");
      return;
    case "TSSatisfiesExpression":
      add("satisfies (erased)");
      return;
    case "TSExportAssignment":
      add("export =");
      return;
    case "TSImportEqualsDeclaration":
      add("import =");
      return;
    case "Decorator":
      add("decorators");
      return;
    case "AccessorProperty":
      add("accessor", "esnext");
      return;
    case "JSXElement":
    case "JSXFragment":
      add("JSX");
      return;
    default:
      noteStandard(node, add);
  }
}

function noteStandard(node: SyntaxNode, add: Add): void {
  switch (node.type) {
    case "VariableDeclaration":
      if (node["kind"] === "using") add("using", "esnext");
      else if (node["kind"] === "await using") add("await using", "esnext");
      else if (node["kind"] !== "var") add("let and const", "es2015");
      return;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      noteFunction(node, add);
      return;
    case "ForOfStatement":
      if (node["await"] === true) add("for await", "es2018");
      else add("for of", "es2015");
      return;
    case "ClassDeclaration":
    case "ClassExpression":
      add("class", "es2015");
      return;
    case "PropertyDefinition":
      add("class field", "es2022");
      return;
    case "StaticBlock":
      add("static block", "es2022");
      return;
    case "PrivateIdentifier":
      add("private name", "es2022");
      return;
    case "ChainExpression":
      add("optional chaining", "es2020");
      return;
    case "LogicalExpression":
      if (node["operator"] === "??") add("nullish coalescing", "es2020");
      return;
    case "AssignmentExpression":
      if (/^(?:\?\?|\|\||&&)=$/.test(String(node["operator"]))) add("logical assignment", "es2021");
      if (node["operator"] === "**=") add("exponentiation", "es2016");
      return;
    case "BinaryExpression":
      if (node["operator"] === "**") add("exponentiation", "es2016");
      return;
    case "CatchClause":
      if (node["param"] === null) add("catch without binding", "es2019");
      return;
    case "ObjectExpression":
    case "ObjectPattern":
      if (hasSpread(node["properties"])) add("object spread or rest", "es2018");
      if (node.type === "ObjectPattern") add("destructuring", "es2015");
      return;
    case "ArrayPattern":
      add("destructuring", "es2015");
      return;
    case "SpreadElement":
      add("spread", "es2015");
      return;
    case "TemplateLiteral":
    case "TaggedTemplateExpression":
      add("template literal", "es2015");
      return;
    default:
  }
}

function noteFunction(node: SyntaxNode, add: Add): void {
  const isAsync = node["async"] === true;
  const isGenerator = node["generator"] === true;
  if (isAsync && isGenerator) add("async generator", "es2018");
  else if (isAsync) add("async function", "es2017");
  else if (isGenerator) add("generator", "es2015");
  if (node.type === "ArrowFunctionExpression") add("arrow function", "es2015");
}

function hasSpread(properties: unknown): boolean {
  return (
    Array.isArray(properties) && properties.some((each) => isNode(each) && /^(?:Spread|Rest)Element$/.test(each.type))
  );
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}
