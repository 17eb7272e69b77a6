/** Code and what it becomes at a target; where the project's own target changes nothing, at one that does. */
import type { CompilerOptions } from "typescript/unstable/async";
import {
  firstLoweringTarget,
  isLoweredAt,
  isSyntaxProblem,
  readCode,
  type CodeFeature,
  type SyntaxProblem,
} from "./code-features.ts";
import { lowerCode, type LoweredCode, type LoweringOptions } from "./lower-code.ts";
import { configuredTarget, loweringOptions, type LoweringChoices } from "./lowering-options.ts";
import type { Target } from "./targets.ts";

export interface CodeExpansion {
  readonly kind: "code";
  readonly features: readonly CodeFeature[];
  /** The features that the options lower; empty when only types are taken away. */
  readonly lowered: readonly CodeFeature[];
  /** Whether there were types to take away. */
  readonly hasTypes: boolean;
  /** A decorator that the transformer left where no runtime takes one. */
  readonly leavesDecorator: boolean;
  readonly options: LoweringOptions;
  readonly result: LoweredCode;
  /** The configured target at which nothing changes, when another one was taken for the result. */
  readonly unchangedAt: Target | undefined;
}

export type CodeExpansionResult = CodeExpansion | { readonly kind: "problem"; readonly problem: SyntaxProblem };

export interface CodeToExpand {
  readonly text: string;
  readonly prefersJsx: boolean;
  /** The options of the project that the code belongs to. */
  readonly options: CompilerOptions;
}

/** `full` includes the helpers that the transformer adds. */
export async function expandCode(
  { text, prefersJsx, options: configured }: CodeToExpand,
  choices: LoweringChoices,
  full: boolean,
): Promise<CodeExpansionResult> {
  const syntax = readCode(text, prefersJsx);
  if (isSyntaxProblem(syntax)) return { kind: "problem", problem: syntax };
  const { features } = syntax;
  const first = loweringOptions(configured, choices);
  const isChanged = loweredFeatures(features, first).length > 0;
  // A target that was asked for is answered as asked.
  const better = isChanged || choices.target !== undefined ? undefined : loweringTargetOf(features);
  const options = better === undefined ? first : loweringOptions(configured, { ...choices, target: better });
  const result = await lowerCode(text, syntax, options, full);
  return {
    kind: "code",
    features,
    hasTypes: syntax.hasTypes,
    leavesDecorator: hasDecorator(result.code),
    lowered: loweredFeatures(features, options),
    options,
    result,
    unchangedAt: better === undefined ? undefined : configuredTarget(configured),
  };
}

function hasDecorator(code: string): boolean {
  const syntax = readCode(code, true);
  return !isSyntaxProblem(syntax) && syntax.features.some(({ name }) => name === "decorators");
}

/** The target to try when the one at hand changes nothing. */
export function loweringTargetOf(features: readonly CodeFeature[]): Target | undefined {
  return firstLoweringTarget(features.filter(({ name, since }) => since !== undefined && name !== "let and const"));
}

function loweredFeatures(features: readonly CodeFeature[], options: LoweringOptions): readonly CodeFeature[] {
  return features.filter((feature) => {
    if (feature.name === "JSX") return options.jsx !== "preserve";
    if (feature.name === "satisfies (erased)") return false;
    if (feature.name === "class field" && !options.useDefineForClassFields) return true;
    return isLoweredAt(feature, options.target);
  });
}
