/**
 * Turns a snippet of TypeScript into what the image evaluates. Top-level declarations become assignments to hoisted
 * names, so that everything can be declared again; imports go to the bridge; the last expression is kept in a handle.
 */
import MagicString from "magic-string";
import type { EmitOptions } from "./compiler-options.ts";
import { rewriteTopLevel } from "./snippet-rewrite.ts";
import { chain, mapperOf, positionAt, type Position, type PositionMapper } from "./source-position.ts";
import { parseProgram } from "./syntax.ts";
import { isProblem, transpile, type SyntaxProblem, type Transpiled } from "./transpile.ts";

/** Where a snippet's own names live: on the image's global scope or inside one module. */
export type SnippetScope =
  | { readonly kind: "global"; readonly declared: ReadonlySet<string> }
  | { readonly kind: "module"; readonly url: string; readonly bound: ReadonlySet<string> };

export interface Snippet {
  /** What `Runtime.evaluate` gets. */
  readonly code: string;
  /** Names that this snippet declares and that were not there before. */
  readonly declares: readonly string[];
  /** Every name it declares or imports on the global scope. */
  readonly binds: readonly string[];
  readonly imports: boolean;
  /** From positions in `repl:<number>` to positions in the person's text. */
  readonly mapper: PositionMapper;
}

export interface SnippetProblem {
  readonly message: string;
  readonly position?: Position;
}

export function rewriteSnippet(
  text: string,
  number: number,
  scope: SnippetScope,
  emit: EmitOptions = {},
): Snippet | SnippetProblem {
  const transpiled = transpileSnippet(text, emit);
  if (isProblem(transpiled.result)) return toSnippetProblem(text, transpiled.result);
  const { code: javascript, map } = transpiled.result;
  const edited = new MagicString(javascript);
  const body = parseProgram(javascript, "module");
  const { names, live, imports } = rewriteTopLevel(edited, body, scope, number, enumNames(text));
  const known = scope.kind === "global" ? scope.declared : scope.bound;
  const declares = [...names].filter((name) => !known.has(name));
  const hoisted = declares.length === 0 ? "" : `let ${declares.join(",")};`;
  const enter = `await __agentq.tick();__agentq.enter(${number});`;
  if (scope.kind === "global") edited.prepend(enter + hoisted).append("\n");
  else {
    const url = JSON.stringify(scope.url);
    edited.prepend(`${hoisted}__agentq.grow(${url},__agentq$=>eval(__agentq$));(async()=>{`).append("\n})()\n");
  }
  edited.append(`//# sourceURL=repl:${number}`);
  const back = mapperOf(edited.generateMap({ hires: "boundary" }));
  const mapper = chain(chain(back, mapperOf(map)), transpiled.shift);
  return {
    code: scope.kind === "global" ? edited.toString() : inModule(edited.toString(), scope.url, number),
    declares,
    binds: scope.kind === "global" ? [...declares, ...live] : [],
    imports,
    mapper,
  };

  /** The module is loaded first; the form then runs in an evaluator of the module's own scope. */
  function inModule(inner: string, url: string, id: number): string {
    const where = JSON.stringify(url);
    return `${enter}await __agentq.imp(${where});await __agentq.keep(${id},await __agentq.within(${where},${JSON.stringify(inner)}))\n//# sourceURL=repl-call:${id}`;
  }
}

/** A look at the text is enough: it only says which of the emitted declarations may be an enum's. */
function enumNames(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/\benum\s+([\w$\u0080-\uffff]+)/g)].map(([, name = ""]) => name));
}

export function isSnippetProblem(result: Snippet | SnippetProblem): result is SnippetProblem {
  return "message" in result;
}

interface Attempt {
  readonly result: Transpiled | SyntaxProblem;
  readonly shift: PositionMapper;
}

/** An object literal is tried before a block, and JSX after plain TypeScript; the plain reading names the error. */
function transpileSnippet(text: string, emit: EmitOptions): Attempt {
  const attempt = (path: string, source: string, shift: PositionMapper): Attempt => ({
    result: transpile({ path, text: source, format: "module", emit, keepImports: true }),
    shift,
  });
  const unshifted: PositionMapper = (position) => position;
  if (/^\s*\{/.test(text) && !/;\s*$/.test(text)) {
    const object = attempt("repl.ts", `(${text}\n)`, ({ line, column }) => ({
      line,
      column: line === 0 ? Math.max(0, column - 1) : column,
    }));
    if (!isProblem(object.result)) return object;
  }
  const plain = attempt("repl.ts", text, unshifted);
  if (!isProblem(plain.result) || !/<\/?[\w>]/.test(text)) return plain;
  const withJsx = attempt("repl.tsx", text, unshifted);
  return isProblem(withJsx.result) ? plain : withJsx;
}

function toSnippetProblem(text: string, problem: SyntaxProblem): SnippetProblem {
  return {
    message: problem.message,
    ...(problem.offset === undefined ? {} : { position: positionAt(text, problem.offset) }),
  };
}
