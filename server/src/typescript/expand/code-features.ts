/** Which constructs of a code text a transformer has something to do for, and below which target. */
import { parseSync, type Function as FunctionNode, type Node, type Program } from "oxc-parser";
import { walk } from "../../syntax-walk.ts";
import { TARGETS, type Target } from "./targets.ts";

export interface CodeFeature {
  readonly name: string;
  /** Every target before this one lowers the feature; undefined for TypeScript's own, which all targets lower. */
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

/** In the order of the first appearance; the problem of the text as TypeScript when it parses as neither that nor TSX. */
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

function featuresOf(program: Program): Omit<CodeSyntax, "language"> {
  const found = new Map<string, CodeFeature>();
  const state = { hasTypes: false, isCommonJs: false };
  const add: Add = (name, since) => {
    if (!found.has(name)) found.set(name, { name, since });
  };
  walk(program, (node) => {
    if (node.type === "TSExportAssignment" || node.type === "TSImportEqualsDeclaration") state.isCommonJs = true;
    if (/^TS/.test(node.type) && !/^TS(?:Enum|Module|ParameterProperty|ExportAssignment|ImportEquals)/.test(node.type))
      state.hasTypes = true;
    note(node, add);
    // What is only declared leaves nothing.
    return !("declare" in node) || !node.declare;
  });
  return { features: [...found.values()], ...state };
}

type Note<Type extends Node["type"]> = (node: Extract<Node, { readonly type: Type }>, add: Add) => void;

/** By kind of node: the constructs that such a node is. */
const NOTES: { readonly [Type in Node["type"]]?: Note<Type> } = {
  TSEnumDeclaration: (node, add) => {
    if (!node.declare) add(node.const ? "const enum" : "enum");
  },
  TSModuleDeclaration: (node, add) => {
    if (!node.declare && node.kind !== "global") add("namespace");
  },
  TSParameterProperty: (_, add) => add("parameter property"),
  TSSatisfiesExpression: (_, add) => add("satisfies (erased)"),
  TSExportAssignment: (_, add) => add("export ="),
  TSImportEqualsDeclaration: (_, add) => add("import ="),
  Decorator: (_, add) => add("decorators"),
  AccessorProperty: (_, add) => add("accessor", "esnext"),
  JSXElement: (_, add) => add("JSX"),
  JSXFragment: (_, add) => add("JSX"),
  VariableDeclaration: (node, add) => {
    if (node.kind === "using") add("using", "esnext");
    else if (node.kind === "await using") add("await using", "esnext");
    else if (node.kind !== "var") add("let and const", "es2015");
  },
  FunctionDeclaration: noteFunction,
  FunctionExpression: noteFunction,
  ArrowFunctionExpression: (node, add) => {
    noteFunction(node, add);
    add("arrow function", "es2015");
  },
  ForOfStatement: (node, add) => (node.await ? add("for await", "es2018") : add("for of", "es2015")),
  ClassDeclaration: (_, add) => add("class", "es2015"),
  ClassExpression: (_, add) => add("class", "es2015"),
  PropertyDefinition: (_, add) => add("class field", "es2022"),
  StaticBlock: (_, add) => add("static block", "es2022"),
  PrivateIdentifier: (_, add) => add("private name", "es2022"),
  ChainExpression: (_, add) => add("optional chaining", "es2020"),
  LogicalExpression: (node, add) => {
    if (node.operator === "??") add("nullish coalescing", "es2020");
  },
  AssignmentExpression: (node, add) => {
    if (/^(?:\?\?|\|\||&&)=$/.test(node.operator)) add("logical assignment", "es2021");
    if (node.operator === "**=") add("exponentiation", "es2016");
  },
  BinaryExpression: (node, add) => {
    if (node.operator === "**") add("exponentiation", "es2016");
  },
  CatchClause: (node, add) => {
    if (node.param === null) add("catch without binding", "es2019");
  },
  ObjectExpression: (node, add) => noteSpread(node.properties, add),
  ObjectPattern: (node, add) => {
    noteSpread(node.properties, add);
    add("destructuring", "es2015");
  },
  ArrayPattern: (_, add) => add("destructuring", "es2015"),
  SpreadElement: (_, add) => add("spread", "es2015"),
  TemplateLiteral: (_, add) => add("template literal", "es2015"),
  TaggedTemplateExpression: (_, add) => add("template literal", "es2015"),
};

function note<Type extends Node["type"]>(node: Extract<Node, { readonly type: Type }>, add: Add): void {
  const noted: Note<Type> | undefined = NOTES[node.type];
  noted?.(node, add);
}

function noteFunction(node: Pick<FunctionNode, "async" | "generator">, add: Add): void {
  if (node.async && node.generator) add("async generator", "es2018");
  else if (node.async) add("async function", "es2017");
  else if (node.generator) add("generator", "es2015");
}

function noteSpread(properties: readonly Node[], add: Add): void {
  const isSpread = properties.some(({ type }) => type === "SpreadElement" || type === "RestElement");
  if (isSpread) add("object spread or rest", "es2018");
}
