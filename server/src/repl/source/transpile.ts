/**
 * TypeScript to JavaScript: oxc because it is fast, and swc for what oxc cannot do (decorators, `accessor`, CommonJS,
 * exported `let`).
 */
import type { Options as SwcOptions, Output as SwcOutput } from "@swc/core";
import { transformSync as oxcTransform } from "oxc-transform";
import type { EmitOptions } from "./compiler-options.ts";
import { needsSwc } from "./syntax.ts";
import { nameAccessorFields } from "./classes/accessor-fields.ts";
import { withEnumTypes } from "./classes/metadata-types.ts";
import { nameDecoratedClasses } from "./classes/decorated-classes.ts";
import { inKernel } from "../child/wire/kernel-call.ts";
import { swc } from "./swc.ts";
import { given } from "../../base/given.ts";
import { errorText } from "../../base/errors.ts";

export interface Transpiled {
  readonly code: string;
  /** Top-level names of lowered decorators; no source text has them. */
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
  /** Offset in the source, in UTF-16 units; undefined when the transpiler gives no place. */
  readonly offset?: number;
}

export interface TranspileRequest {
  readonly path: string;
  readonly text: string;
  readonly format: "module" | "commonjs";
  readonly emit: EmitOptions;
  /** A form's imports are bindings for later forms: an unused import must stay. */
  readonly keepImports?: boolean;
}

export function transpile(request: TranspileRequest): Transpiled | SyntaxProblem {
  const output = lowered(request);
  return isProblem(output) || !/^export\s*=/m.test(request.text) ? output : withExportsLast(output);
}

/**
 * Moves `module.exports = …` to the end: the name after `export =` may be declared after it, and TypeScript exports at
 * the end.
 */
function withExportsLast(output: Transpiled): Transpiled {
  const found = /^module\.exports = [\w$.]+;$/m.exec(output.code);
  if (found === null) return output;
  const [statement] = found;
  const before = output.code.slice(0, found.index);
  const behind = output.code.slice(found.index + statement.length);
  return { ...output, code: `${before}${" ".repeat(statement.length)}${behind}\n${statement}` };
}

function lowered(request: TranspileRequest): Transpiled | SyntaxProblem {
  const { path, text, format, emit } = request;
  const lang = languageOf(path);
  if (needsSwc(text, lang)) return withSwc(request);
  const result = oxcTransform(path, text, {
    lang,
    sourceType: format,
    sourcemap: true,
    target: "esnext",
    typescript: {
      onlyRemoveTypeImports: request.keepImports === true || emit.verbatimModuleSyntax === true,
      removeClassFieldsWithoutInitializer: assignsFields(request),
    },
    assumptions: { setPublicClassFields: assignsFields(request) },
    jsx: jsxOptions(emit),
  });
  const failure = problemIn(result.errors, text);
  if (failure !== undefined) return failure;
  const isLowered = emit.lowersUsing === true && /\busing\b/.test(result.code);
  if (result.errors.length > 0 || isLowered || hasNamespacePieces(text)) return withSwc(request);
  const code = asDeclared(result.code);
  const output = { code, ...given({ map: result.map }), helpers: keyNames(code, text) };
  if (format === "commonjs") return asCommonJs(request, output);
  return request.keepImports === true ? output : { ...output, code: withRequire(code, text) };
}

/** `import fs = require("fs")` in an ES module, which has no `require`. */
function withRequire(code: string, text: string): string {
  if (!/\bimport\s+[\w$]+\s*=\s*require\b/.test(text)) return code;
  return code.replace(/^((?:export )?const [\w$]+ = )require(?=\("[^"\n]+"\);$)/gm, `$1${OWN_REQUIRE}`);
}

const OWN_REQUIRE = `${inKernel("requireOf")}(import.meta.url)`;

/**
 * Changes oxc's enums and namespaces to TypeScript's form. They become `var`, because a module of a circle may read
 * them early, and a member whose value is a string at run time gets no reverse mapping. No column moves.
 */
function asDeclared(code: string): string {
  return code
    .replace(DECLARED, "$1var")
    .replace(COMPUTED_MEMBER, (_, ...[indent, name = "", member, value]: readonly string[]) => {
      const assigned = `${indent}${" ".repeat(name.length + 1)}${member} = ${value};`;
      return `${assigned} if (typeof ${member} !== "string") ${name}[${member}]`;
    });
}

const DECLARED =
  /^((?:export )?)let(?= ([\w$]+)(?: = \/\* @__PURE__ \*\/ function\(\2\) \{$|;\n\(function\(_\2\d*\) \{$))/gm;
const COMPUTED_MEMBER = /^(\t+)([\w$]+)\[(\2\["(?:[^"\\\n]|\\.)+"\]) = (?![-\d])(.*)\](?= = ".*";$)/gm;

/** The variables for computed keys of fields that are assigned: `let _key, _key2;` */
function keyNames(code: string, text: string): ReadonlySet<string> {
  const [, names = ""] = /^(?:let|var) (_[\w$]+(?:, _[\w$]+)*);$/m.exec(code) ?? [];
  return new Set(names.split(", ").filter((name) => name !== "" && !text.includes(name)));
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

/** Whether class fields are assigned in the constructor: the default below ES2022. */
function assignsFields({ path, emit }: TranspileRequest): boolean {
  const defines = emit.useDefineForClassFields ?? !OLD_TARGET.test(emit.target ?? "");
  return !defines && languageOf(path).startsWith("ts");
}

const OLD_TARGET = /^es(?:[356]|201\d|202[01])$/i;

/**
 * Whether a namespace is declared several times: oxc does not qualify names that one declaration takes from another.
 */
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

/** Decorators may come before or after `export`. */
const JAVASCRIPT = {
  syntax: "ecmascript",
  decorators: true,
  decoratorsBeforeExport: true,
  autoAccessors: true,
} as const;

/** swc does all of the work, including the removal of types. */
function withSwc(request: TranspileRequest): Transpiled | SyntaxProblem {
  const { path, text, format, emit, keepImports } = request;
  const language = languageOf(path);
  const legacy = emit.experimentalDecorators === true;
  const options = swcOptions(request, {
    target: emit.lowersUsing === true ? "es2022" : "esnext",
    parser: language.startsWith("ts")
      ? { syntax: "typescript", decorators: true, tsx: language === "tsx" }
      : { ...JAVASCRIPT, jsx: language === "jsx" },
    transform: {
      ...(legacy
        ? { legacyDecorator: true, decoratorMetadata: emit.emitDecoratorMetadata === true }
        : { decoratorVersion: "2022-03" as const }),
      useDefineForClassFields: !assignsFields(request),
      verbatimModuleSyntax: keepImports === true || emit.verbatimModuleSyntax === true,
      react: jsxOptions(emit),
    },
  });
  const { transformSync } = swc();
  try {
    const { code: emitted, map } = withoutAccessors(transformSync(text, options), options, legacy);
    const isLowered = !legacy && emitted.includes("_apply_decs_");
    const named = isLowered
      ? nameDecoratedClasses(emitted, text, format)
      : { code: withEnumTypes(emitted), helpers: keyNames(emitted, text) };
    const code = nameAccessorFields(named.code, text, format);
    return { ...named, code, ...(map === undefined ? {} : { map: JSON.parse(map) as SourceMapJson }) };
  } catch (error) {
    // swc does not tell the place of a syntax error. oxc does, and it names the missing token.
    const { errors } = oxcTransform(path, text, { lang: language, sourceType: "module" });
    return problemIn(errors, text) ?? swcProblem(errorText(error));
  }
}

/** swc changes only the module format; the rest is already done. */
function asCommonJs(request: TranspileRequest, output: Transpiled): Transpiled | SyntaxProblem {
  const options = swcOptions(request, { target: "esnext", parser: JAVASCRIPT });
  const inputSourceMap = JSON.stringify(output.map);
  try {
    const { code, map } = swc().transformSync(output.code, { ...options, inputSourceMap });
    return { ...output, code, ...(map === undefined ? {} : { map: JSON.parse(map) as SourceMapJson }) };
  } catch (error) {
    return swcProblem(errorText(error));
  }
}

function swcOptions({ path, format }: TranspileRequest, jsc: NonNullable<SwcOptions["jsc"]>): SwcOptions {
  return {
    filename: path,
    swcrc: false,
    configFile: false,
    sourceMaps: true,
    inputSourceMap: false,
    isModule: true,
    module: format === "commonjs" ? { type: "commonjs", exportInteropAnnotation: true } : { type: "es6" },
    jsc: { externalHelpers: false, ...jsc },
  };
}

/** Lowers `accessor`, which swc does not change when decorators are legacy. */
function withoutAccessors(output: SwcOutput, options: SwcOptions, legacy: boolean): SwcOutput {
  if (!legacy || !needsSwc(output.code, "js")) return output;
  const transform = { decoratorVersion: "2022-03" } as const;
  const { map } = output;
  return swc().transformSync(output.code, {
    ...options,
    ...given({ inputSourceMap: map }),
    jsc: { ...options.jsc, parser: JAVASCRIPT, transform },
  });
}

/** swc reports a drawn code frame; the first line of the frame is the message. */
function swcProblem(report: string): SyntaxProblem {
  const lines = report.replace(/\u001b\[[0-9;]*m/g, "").split("\n");
  const message =
    lines.find((line) => /^\s*[x×]\s/.test(line))?.replace(/^\s*[x×]\s+/, "") ?? lines[0] ?? "syntax error";
  return { message };
}

/** Some releases of oxc count UTF-8 bytes, others UTF-16 units; for an ASCII text both are the same. */
function utf16Offset(text: string, offset: number): number {
  return Math.min(offset, text.length);
}
