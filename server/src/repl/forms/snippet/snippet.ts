/**
 * Turns a form of TypeScript into its snippet, the code that the image evaluates. Top-level declarations become
 * assignments to hoisted names, so that everything can be declared again. Imports become calls of the kernel, and the
 * value of the last expression is kept under a handle.
 */
import { inKernel, kernelCall } from "../../child/wire/kernel-call.ts";
import MagicString from "magic-string";
import { markAwaits } from "./await-marks.ts";
import type { EmitOptions } from "../../source/compiler-options.ts";
import { NO_CONTENTS, type FormContents } from "../scope-memory.ts";
import { namesOf, type FormScope, type WrittenForm } from "../scope-types.ts";
import type { WrittenFacts } from "./rewriting.ts";
import { importOrigins, usedNames } from "../import-origins.ts";
import { importedOtherwise } from "./snippet-imports.ts";
import { rewriteTopLevel, type Rewritten } from "./snippet-rewrite.ts";
import { chain, mapperOf, positionAt, type Position, type PositionMapper } from "../../source/source-position.ts";
import { parsePlain } from "../../source/plain-script.ts";
import { parseProgram, type Body } from "../../source/syntax.ts";
import { isProblem, transpile, type SyntaxProblem, type Transpiled } from "../../source/transpile.ts";
import { given } from "../../../base/given.ts";

const KEEP_COLUMNS = 16;

export interface Snippet extends FormContents {
  /** The expression for `Runtime.evaluate`. */
  readonly code: string;
  readonly imports: boolean;
  /** The module of each name that the form imports. */
  readonly origins?: ReadonlyMap<string, string>;
  /** The names that the form uses and does not declare, as far as `isMeant` holds for them. */
  readonly uses?: (isMeant: (name: string) => boolean) => readonly string[];
  /** From positions in `repl:<number>` to positions in the person's text. */
  readonly mapper: PositionMapper;
  /** The beginnings of the form's own `await`s in the person's text. */
  readonly awaits?: () => readonly (Position | undefined)[];
}

export interface SnippetProblem {
  readonly message: string;
  readonly position?: Position;
}

export function rewriteSnippet(form: WrittenForm): Snippet | SnippetProblem {
  const { number, scope } = form;
  const parts = takeApart(form, "evaluate");
  if (isSnippetProblem(parts)) return parts;
  const { edited, hoisted, needsBlock } = parts;
  const enter = enterCode(number);
  if (scope.kind === "global")
    edited.prepend(enter + hoisted + (needsBlock ? "{" : "")).append(needsBlock ? "\n}\n" : "\n");
  else edited.prepend(`${hoisted}${growCode(scope.url)}(async()=>{`).append("\n})()\n");
  edited.append(`//# sourceURL=repl:${number}`);
  const inner = edited.toString();
  return {
    ...contentsOf(parts, scope),
    origins: importOrigins(parts.plain),
    uses: (isMeant) => usedNames(parts.plain, isMeant),
    code: scope.kind === "global" ? inner : `${enter}${inModule(inner, scope.url, number)}`,
    mapper: parts.mapper(),
    awaits: parts.awaits,
  };
}

/** Loads the module first; then the form runs in an evaluator of the module's scope. */
function inModule(inner: string, url: string, id: number): string {
  const where = JSON.stringify(url);
  return `await ${inKernel("ready")}(${where});await ${inKernel("keep")}(${id},await ${inKernel("within")}(${where},${JSON.stringify(inner)}))\n//# sourceURL=repl-call:${id}`;
}

export interface SnippetParts extends Rewritten {
  readonly edited: MagicString;
  /** The syntax of the form without types, before the edits. */
  readonly plain: Body;
  /** The names that the scope does not have yet; `hoisted` is the code that declares them. */
  readonly declares: readonly string[];
  readonly hoisted: string;
  /** To be called after the last edit. */
  readonly mapper: () => PositionMapper;
  /** The beginnings of the form's own `await`s in the person's text, in the order of the numbers that they report. */
  readonly awaits: () => readonly (Position | undefined)[];
}

export function takeApart(form: WrittenForm, mode: WrittenFacts["mode"]): SnippetParts | SnippetProblem {
  const { text, number, scope, emit } = form;
  // The first line may name the program that runs the file. A comment of the same length replaces it.
  const transpiled = transpileSnippet(text.replace(/^(\uFEFF?)#!/, "$1//"), emit);
  if (isProblem(transpiled.result)) return toSnippetProblem(text, transpiled.result);
  const { code: emitted, map } = transpiled.result;
  const plain = transpiled.body ?? parseProgram(emitted, "module");
  const refused = mode === "evaluate" ? importedOtherwise(plain, scope) : undefined;
  if (refused !== undefined) {
    const position = chain(mapperOf(map), transpiled.shift)(positionAt(emitted, refused.start));
    return { message: refused.message, ...given({ position }) };
  }
  const marked = mode === "evaluate" ? markAwaits(emitted, plain, number, text) : undefined;
  const javascript = marked?.code ?? emitted;
  const edited = new MagicString(javascript);
  const body = marked === undefined ? plain : parseProgram(javascript, "module");
  const facts: WrittenFacts = {
    enums: declaredAs("enum", text),
    namespaces: declaredAs("(?:namespace|module)", text),
    helpers: transpiled.result.helpers ?? new Set(),
    mode,
  };
  const rewritten = rewriteTopLevel({ edited, scope, number, text: facts }, body);
  const declares = [...rewritten.names].filter((name) => !namesOf(scope).has(name));
  const hoisted = declares.length === 0 ? "" : `let ${declares.join(",")};`;
  const fromEmitted = chain(mapperOf(map), transpiled.shift);
  // Made when an error needs it: making the mapper costs as much as all the rest.
  const mapper = (): PositionMapper => {
    let made: PositionMapper | undefined;
    return (position) => {
      const inner = marked === undefined ? fromEmitted : chain(marked.mapper, fromEmitted);
      made ??= chain(mapperOf(edited.generateMap({ hires: "boundary" }), true), inner);
      return made(position) ?? ahead(made, position);
    };
  };
  const awaits = (): readonly (Position | undefined)[] => marked?.positions().map(fromEmitted) ?? [];
  return { ...rewritten, edited, plain, declares, hoisted, mapper, awaits };
}

/**
 * V8 gives an error in an assignment the place of the call around it, which is added code: the form begins a few
 * columns later.
 */
function ahead(mapper: PositionMapper, { line, column }: Position): Position | undefined {
  for (let more = 1; more <= KEEP_COLUMNS; more++) {
    const at = mapper({ line, column: column + more });
    if (at !== undefined) return at;
  }
  return undefined;
}

export function contentsOf(parts: SnippetParts, scope: FormScope): FormContents & Pick<Snippet, "imports"> {
  const { declares, live, constants, lexical, names, classes, imports } = parts;
  const binds = scope.kind === "global" ? [...declares, ...live] : [];
  return { declares, binds, constants, lexical, redeclared: new Set([...names, ...live]), classes, imports };
}

/** The snippet of a form whose value a trial has already given; undefined for any other form. */
export function trialSnippet(form: { readonly number: number; readonly trial?: string }): Snippet | undefined {
  const { number, trial } = form;
  if (trial === undefined) return undefined;
  const keep = kernelCall("keepTrial", number, trial);
  const code = `${enterCode(number)}${keep}\n//# sourceURL=repl-call:${number}`;
  return { ...NO_CONTENTS, code, imports: false, mapper: (position) => position };
}

/** Forms are strict, as the project's modules are. */
export function enterCode(number: number): string {
  return `"use strict";await ${kernelCall("tick")};${kernelCall("enter", number)};`;
}

/** A new evaluator with the new names takes the place of the module's present one. */
export function growCode(url: string): string {
  return `${inKernel("grow")}(${JSON.stringify(url)},__agentq$=>eval(__agentq$));`;
}

/**
 * The names after the keyword, read from the text: enough to recognise emitted declarations that may be of an enum or a
 * namespace.
 */
function declaredAs(keyword: string, text: string): ReadonlySet<string> {
  const pattern = new RegExp(`\\b${keyword}\\s+([\\w$\\u0080-\\uffff]+)`, "g");
  return new Set([...text.matchAll(pattern)].map(([, name = ""]) => name));
}

export function isSnippetProblem(result: object): result is SnippetProblem {
  return "message" in result;
}

interface Attempt {
  readonly result: Transpiled | SyntaxProblem;
  readonly shift: PositionMapper;
  readonly body?: Body;
}

const UNSHIFTED: PositionMapper = (position) => position;

/**
 * The form is tried as an object literal before a block, and as plain TypeScript before JSX; errors come from the plain
 * reading.
 */
function transpileSnippet(text: string, emit: EmitOptions): Attempt {
  const attempt = (path: string, source: string, shift: PositionMapper): Attempt => ({
    result: transpile({ path, text: source, format: "module", emit, keepImports: true }),
    shift,
  });
  if (/^\s*\{/.test(text) && !/;\s*$/.test(text)) {
    const object = attempt("repl.ts", `(${text}\n)`, ({ line, column }) => ({
      line,
      column: line === 0 ? Math.max(0, column - 1) : column,
    }));
    if (!isProblem(object.result)) return object;
  }
  const body = parsePlain(text);
  if (body !== undefined) return { result: { code: text }, shift: UNSHIFTED, body };
  const plain = attempt("repl.ts", text, UNSHIFTED);
  if (!isProblem(plain.result) || !/<\/?[\w>]/.test(text)) return plain;
  const withJsx = attempt("repl.tsx", text, UNSHIFTED);
  return isProblem(withJsx.result) ? plain : withJsx;
}

function toSnippetProblem(text: string, problem: SyntaxProblem): SnippetProblem {
  return {
    message: problem.message,
    ...(problem.offset === undefined ? {} : { position: positionAt(text, problem.offset) }),
  };
}
