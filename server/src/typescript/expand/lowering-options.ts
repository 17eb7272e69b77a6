/** The part of a tsconfig that says what code becomes, as the compiler read it. */
import type { CompilerOptions } from "typescript/unstable/async";
import { TARGETS, type Target } from "./targets.ts";
import type { JsxKind, LoweringOptions } from "./lower-code.ts";

/** The numbers of TypeScript's `ScriptTarget`, which the module of the types has no values for. */
const TARGET_NUMBERS = new Map<number, Target>([
  [1, "es5"],
  [2, "es2015"],
  [3, "es2016"],
  [4, "es2017"],
  [5, "es2018"],
  [6, "es2019"],
  [7, "es2020"],
  [8, "es2021"],
  [9, "es2022"],
  [10, "es2023"],
  [11, "es2024"],
  [12, "es2025"],
  [99, "esnext"],
]);
/** The numbers of TypeScript's `JsxEmit`. */
const JSX_NUMBERS = new Map<number, JsxKind>([
  [1, "preserve"],
  [2, "preserve"],
  [3, "react"],
  [4, "react-jsx"],
  [5, "react-jsxdev"],
]);
/** What the compiler takes when a tsconfig says nothing. */
const DEFAULT_TARGET = "es2025";

export type LoweringChoices = Partial<Pick<LoweringOptions, "target" | "decorators" | "jsx">>;

export function loweringOptions(options: CompilerOptions, choices: LoweringChoices): LoweringOptions {
  const target = choices.target ?? configuredTarget(options);
  const isolated = [options.isolatedModules, options.verbatimModuleSyntax, options.preserveConstEnums].includes(true);
  return {
    target,
    decorators: choices.decorators ?? (options.experimentalDecorators === true ? "experimental" : "standard"),
    decoratorMetadata: options.emitDecoratorMetadata === true,
    // Without the option JSX is an error to the compiler; here JSX becomes calls, which say more than the JSX itself.
    jsx: choices.jsx ?? JSX_NUMBERS.get(options.jsx ?? 0) ?? "react-jsx",
    jsxFactory: options.jsxFactory,
    jsxFragmentFactory: options.jsxFragmentFactory,
    jsxImportSource: options.jsxImportSource,
    useDefineForClassFields: options.useDefineForClassFields ?? TARGETS.indexOf(target) >= TARGETS.indexOf("es2022"),
    isolated,
  };
}

export function configuredTarget(options: CompilerOptions): Target {
  return TARGET_NUMBERS.get(options.target ?? 0) ?? DEFAULT_TARGET;
}
