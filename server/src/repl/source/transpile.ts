/**
 * TypeScript to JavaScript: oxc for speed, swc where oxc refuses (decorators, `accessor`, CommonJS, exported `let`).
 */
import type { Options as SwcOptions, Output as SwcOutput } from "@swc/core";
import { transformSync as oxcTransform } from "oxc-transform";
import type { EmitOptions } from "./compiler-options.ts";
import { needsSwc } from "./syntax.ts";
import { nameAccessorFields } from "./accessor-fields.ts";
import { nameDecoratedClasses } from "./decorated-classes.ts";
import { swc } from "./swc.ts";
import { given } from "../../given.ts";
import { errorText } from "../../protocol/errors.ts";

export interface Transpiled {
  readonly code: string;
  /** Names at the top level in which lowered decorators keep their state; no source text mentions them. */
  readonly helpers?: ReadonlySet<string>;
  /** A version 3 source map; absent when the text was not changed. */
  readonly map?: SourceMapJson;
}

export interface SourceMapJson {
  readonly version: number;
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
}

export interface SyntaxProblem {
  readonly message: string;
  /** Offset in the source, in UTF-16 units; undefined when the transpiler names no place. */
  readonly offset?: number;
}

export interface TranspileRequest {
  readonly path: string;
  readonly text: string;
  readonly format: "module" | "commonjs";
  readonly emit: EmitOptions;
  /** A form's imports are bindings for later forms: none may be dropped as unused. */
  readonly keepImports?: boolean;
}

export function transpile(request: TranspileRequest): Transpiled | SyntaxProblem {
  if (request.format === "commonjs") return withSwc(request);
  const { path, text, emit } = request;
  const result = oxcTransform(path, text, {
    lang: languageOf(path),
    sourceType: "module",
    sourcemap: true,
    target: "esnext",
    typescript: { onlyRemoveTypeImports: request.keepImports === true || emit.verbatimModuleSyntax === true },
    jsx: jsxOptions(emit),
    ...(emit.useDefineForClassFields === false ? { assumptions: { setPublicClassFields: true } } : {}),
  });
  const failure = problemIn(result.errors, text);
  if (failure !== undefined) return failure;
  const isLowered = emit.lowersUsing === true && /\busing\b/.test(result.code);
  if (result.errors.length > 0 || isLowered || hasNamespacePieces(text) || needsSwc(result.code))
    return withSwc(request);
  return { code: result.code, ...given({ map: result.map }) };
}

export function isProblem(result: Transpiled | SyntaxProblem): result is SyntaxProblem {
  return "message" in result;
}

function problemIn(errors: ReturnType<typeof oxcTransform>["errors"], text: string): SyntaxProblem | undefined {
  const failure = errors.find((error) => (error.severity as string) === "Error");
  if (failure === undefined) return undefined;
  const offset = failure.labels[0]?.start;
  const message = failure.helpMessage === null ? failure.message : `${failure.message} (${failure.helpMessage})`;
  return { message, ...(offset === undefined ? {} : { offset: utf16Offset(text, offset) }) };
}

/** oxc does not qualify what one piece of a namespace takes from another. */
function hasNamespacePieces(text: string): boolean {
  const seen = new Set<string>();
  for (const [, name = ""] of text.matchAll(/\b(?:namespace|module)\s+([\w$]+)/g)) {
    if (seen.has(name)) return true;
    seen.add(name);
  }
  return false;
}

function languageOf(path: string): "ts" | "tsx" | "js" | "jsx" {
  if (/\.tsx$/.test(path)) return "tsx";
  if (/\.jsx$/.test(path)) return "jsx";
  return /\.[cm]?ts$/.test(path) ? "ts" : "js";
}

function jsxOptions(emit: EmitOptions): object {
  const classic = emit.jsx === "react" || emit.jsxFactory !== undefined;
  return {
    runtime: classic ? "classic" : "automatic",
    ...given({ pragma: emit.jsxFactory, pragmaFrag: emit.jsxFragmentFactory }),
    ...(classic || emit.jsxImportSource === undefined ? {} : { importSource: emit.jsxImportSource }),
  };
}

/** Decorators may stand before `export` and behind it. */
const JAVASCRIPT = {
  syntax: "ecmascript",
  decorators: true,
  decoratorsBeforeExport: true,
  autoAccessors: true,
} as const;

function withSwc({ path, text, format, emit, keepImports }: TranspileRequest): Transpiled | SyntaxProblem {
  const language = languageOf(path);
  const typescript = language === "ts" || language === "tsx";
  const legacy = emit.experimentalDecorators === true;
  const options: SwcOptions = {
    filename: path,
    swcrc: false,
    configFile: false,
    sourceMaps: true,
    inputSourceMap: false,
    isModule: true,
    module: format === "commonjs" ? { type: "commonjs", exportInteropAnnotation: true } : { type: "es6" },
    jsc: {
      target: emit.lowersUsing === true ? "es2022" : "esnext",
      externalHelpers: false,
      parser: typescript
        ? { syntax: "typescript", decorators: true, tsx: language === "tsx" }
        : { ...JAVASCRIPT, jsx: language === "jsx" },
      transform: {
        ...(legacy
          ? { legacyDecorator: true, decoratorMetadata: emit.emitDecoratorMetadata === true }
          : { decoratorVersion: "2022-03" as const }),
        useDefineForClassFields: emit.useDefineForClassFields ?? true,
        verbatimModuleSyntax: keepImports === true || emit.verbatimModuleSyntax === true,
        react: jsxOptions(emit),
      },
    },
  };
  const { transformSync } = swc();
  try {
    const { code: emitted, map } = withoutAccessors(transformSync(text, options), options, legacy);
    const isLowered = !legacy && emitted.includes("_apply_decs_");
    const named = isLowered ? nameDecoratedClasses(emitted, text, format) : { code: emitted };
    const code = nameAccessorFields(named.code, text, format);
    return { ...named, code, ...(map === undefined ? {} : { map: JSON.parse(map) as SourceMapJson }) };
  } catch (error) {
    // swc does not say where a syntax error is; oxc does, and names what is missing.
    const { errors } = oxcTransform(path, text, { lang: language, sourceType: "module" });
    return problemIn(errors, text) ?? swcProblem(errorText(error));
  }
}

/** Lowers `accessor`, which swc leaves as it is where decorators are legacy. */
function withoutAccessors(output: SwcOutput, options: SwcOptions, legacy: boolean): SwcOutput {
  if (!legacy || !needsSwc(output.code)) return output;
  const transform = { decoratorVersion: "2022-03" } as const;
  const { map } = output;
  return swc().transformSync(output.code, {
    ...options,
    ...given({ inputSourceMap: map }),
    jsc: { ...options.jsc, parser: JAVASCRIPT, transform },
  });
}

/** swc reports as a drawn code frame; its first line is the message. */
function swcProblem(report: string): SyntaxProblem {
  const lines = report.replace(/\u001b\[[0-9;]*m/g, "").split("\n");
  const message =
    lines.find((line) => /^\s*[x×]\s/.test(line))?.replace(/^\s*[x×]\s+/, "") ?? lines[0] ?? "syntax error";
  return { message };
}

/** oxc counts UTF-8 bytes in some releases and UTF-16 units in others; a text of ASCII makes both the same. */
function utf16Offset(text: string, offset: number): number {
  return Math.min(offset, text.length);
}
