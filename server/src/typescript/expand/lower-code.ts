/** What code becomes at run time, by the transformers that are installed: swc, and oxc where swc does too much. */
import { createRequire } from "node:module";
import type { Options as SwcOptions, ReactConfig } from "@swc/core";
import type { CodeSyntax } from "./code-features.ts";
import type { Target } from "./targets.ts";
import { given } from "../../base/given.ts";
import { errorText } from "../../base/errors.ts";

export type DecoratorKind = "standard" | "experimental";
export type JsxKind = "preserve" | "react" | "react-jsx" | "react-jsxdev";

/** The compiler options that change what code becomes. */
export interface LoweringOptions {
  readonly target: Target;
  readonly decorators: DecoratorKind;
  readonly decoratorMetadata: boolean;
  readonly jsx: JsxKind;
  readonly jsxFactory: string | undefined;
  readonly jsxFragmentFactory: string | undefined;
  readonly jsxImportSource: string | undefined;
  readonly useDefineForClassFields: boolean;
  /** Each file by itself: const enums stay, imports are kept as written. */
  readonly isolated: boolean;
}

export interface LoweredCode {
  readonly code: string;
  /** `swc 1.16.22`. */
  readonly transformer: string;
  /** The helpers that the code calls, when they are not written out in it. */
  readonly helpers: readonly string[];
}

const require = createRequire(import.meta.url);
const HELPER_IMPORT = /^import \{ _ as (\w+) \} from "@swc\/helpers\/[^"]+";\n/gm;

/** With `full` the helpers are written out in the code. Throws with the transformer's own words when it refuses. */
export async function lowerCode(
  text: string,
  syntax: CodeSyntax,
  options: LoweringOptions,
  full: boolean,
): Promise<LoweredCode> {
  return keepsMoreThanSwc(syntax, options) ? withOxc(text, syntax, options) : withSwc(text, syntax, options, full);
}

/** swc lowers `using` and `accessor` at every target, also at the one that has them. */
function keepsMoreThanSwc({ features }: CodeSyntax, { target }: LoweringOptions): boolean {
  const names = new Set(features.map(({ name }) => name));
  if (target !== "esnext" || names.has("decorators") || names.has("const enum")) return false;
  return names.has("using") || names.has("await using") || names.has("accessor");
}

async function withSwc(
  text: string,
  syntax: CodeSyntax,
  options: LoweringOptions,
  full: boolean,
): Promise<LoweredCode> {
  const { transform } = await import("@swc/core");
  let code: string;
  try {
    ({ code } = await transform(text, swcOptions(syntax, options, full)));
  } catch (error) {
    throw new Error(firstLine(errorText(error)), { cause: error });
  }
  const helpers = [...code.matchAll(HELPER_IMPORT)].map(([, name = ""]) => name);
  const body = code.replaceAll(HELPER_IMPORT, "").replace(/^export \{ ?\};\n?$/m, "");
  return { code: body.trim(), transformer: `swc ${version("@swc/core")}`, helpers };
}

function swcOptions({ language, isCommonJs }: CodeSyntax, options: LoweringOptions, full: boolean): SwcOptions {
  const isExperimental = options.decorators === "experimental";
  return {
    filename: `form.${language}`,
    swcrc: false,
    configFile: false,
    isModule: true,
    module: { type: isCommonJs ? "commonjs" : "es6" },
    jsc: {
      // es2025 has no syntax of its own, and swc does not know the name.
      target: options.target === "es2025" ? "es2024" : options.target,
      externalHelpers: !full,
      parser: { syntax: "typescript", tsx: language === "tsx", decorators: true },
      transform: {
        ...(isExperimental
          ? { legacyDecorator: true, decoratorMetadata: options.decoratorMetadata }
          : { decoratorVersion: "2022-03" as const }),
        useDefineForClassFields: options.useDefineForClassFields,
        verbatimModuleSyntax: options.isolated,
        react: reactOptions(options),
      },
    },
  };
}

function reactOptions(options: LoweringOptions): ReactConfig {
  const { jsx, jsxFactory, jsxFragmentFactory, jsxImportSource } = options;
  if (jsx === "preserve") return { runtime: "preserve" };
  if (jsx === "react") {
    return {
      runtime: "classic",
      ...given({ pragma: jsxFactory, pragmaFrag: jsxFragmentFactory }),
    };
  }
  const importSource = jsxImportSource === undefined ? {} : { importSource: jsxImportSource };
  return { runtime: "automatic", development: jsx === "react-jsxdev", ...importSource };
}

async function withOxc(text: string, { language }: CodeSyntax, options: LoweringOptions): Promise<LoweredCode> {
  const { transform } = await import("oxc-transform");
  const result = await transform(`form.${language}`, text, {
    lang: language,
    sourceType: "module",
    target: "esnext",
    typescript: { onlyRemoveTypeImports: options.isolated },
    jsx: options.jsx === "preserve" ? "preserve" : { runtime: options.jsx === "react" ? "classic" : "automatic" },
    ...(options.useDefineForClassFields ? {} : { assumptions: { setPublicClassFields: true } }),
  });
  const [error] = result.errors;
  if (error !== undefined) throw new Error(error.message);
  return { code: result.code.trim(), transformer: `oxc ${version("oxc-transform")}`, helpers: [] };
}

/** swc reports as a drawn code frame. */
function firstLine(report: string): string {
  const lines = report.replace(/\u001b\[[0-9;]*m/g, "").split("\n");
  const line = lines.find((each) => /^\s*[x×]\s/.test(each)) ?? lines[0] ?? "the code was refused";
  return line.replace(/^\s*[x×]\s+/, "");
}

function version(name: string): string {
  return (require(`${name}/package.json`) as { version: string }).version;
}
