/** A tool from a TypeScript function: its name, description and schema are read from its own signature and JSDoc. */
import type { SafetyLevel } from "../../protocol/shapes.ts";
import { resolveSymbol } from "../../typescript/names/resolve-symbol.ts";
import {
  signatureSchema,
  type ParameterSource,
  type SignatureSchema,
} from "../../typescript/schema/signature-schema.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { resultText } from "../tool-content.ts";
import { createTool, type ForeignTool, type Tool } from "../tool.ts";
import { given } from "../../base/given.ts";

export interface FunctionToolOptions {
  /** The address of the function in the project: `src/orders.ts#cancelOrder`, overload `#2`. */
  readonly function: string;
  /** The module, package or tsconfig that `function` is looked for in, where it names none itself. */
  readonly package?: string;
  /**
   * The function itself. The function gets its parameters as it declares them: a single object parameter as that
   * object, others by position with `undefined` for what was left out, and the signal of the call for an `AbortSignal`
   * parameter.
   */
  readonly invoke: (...parameters: never[]) => unknown;
  /** These take the place of what is derived from the signature. */
  readonly name?: string;
  readonly description?: string;
  readonly safety?: SafetyLevel;
  readonly categories?: readonly string[];
  readonly timeoutMs?: number | null;
}

/** A tool cannot be made of this function; the message says why and what to write instead. */
export class FunctionToolError extends Error {
  override readonly name = "FunctionToolError";
}

const DEFAULT_SIGNAL_MS = 60_000;

/**
 * Reads the signature once: the tool does not follow later changes of the source. Rejects with `FunctionToolError` when
 * there is not exactly one such function, when a type in its signature has no JSON form, or when it has no description.
 */
export async function createFunctionTool(
  service: TypeScriptService,
  options: FunctionToolOptions,
  signal: AbortSignal = AbortSignal.timeout(DEFAULT_SIGNAL_MS),
): Promise<Tool> {
  const signature = await readFunction(service, options, signal);
  const name = options.name ?? signature.name;
  const description = options.description ?? signature.description;
  if (description.trim() === "")
    throw new FunctionToolError(`${noDescription(options.function)}, or give a description.`);
  const { parameters, inputSchema } = signature;
  const { safety, categories, timeoutMs } = options;
  const invoke: ForeignTool["invoke"] = async (args, context) => {
    // What a function gives back is data, also where it looks like an answer.
    const result: unknown = await options.invoke(...(parameterValues(parameters, args, context.signal) as never[]));
    return result === undefined || result === null ? undefined : resultText(result);
  };
  return createTool({ name, description, inputSchema, invoke, ...given({ safety, categories, timeoutMs }) });
}

export function noDescription(address: string): string {
  return `${address} has no description: write a JSDoc comment above it`;
}

/** What a model has to know to call the function, read from its source as it is now. Rejects with `FunctionToolError`. */
export function readFunction(
  service: TypeScriptService,
  { function: address, package: scope }: Pick<FunctionToolOptions, "function" | "package">,
  signal: AbortSignal,
): Promise<SignatureSchema> {
  return service.query(async (view) => {
    const resolution = await resolveSymbol(view, address, scope);
    switch (resolution.kind) {
      case "found":
        break;
      case "ambiguous": {
        const choices = resolution.candidates.map((candidate) => candidate.address).join(", ");
        throw new FunctionToolError(`"${address}" means several symbols; use one of ${choices}.`);
      }
      case "module":
        throw new FunctionToolError(`"${address}" is a module; use the address of a function in it.`);
      case "unknown": {
        const nearest = resolution.nearest.length === 0 ? "" : ` Nearest: ${resolution.nearest.join(", ")}.`;
        throw new FunctionToolError(resolution.reason + nearest);
      }
      default:
        return resolution satisfies never;
    }
    const result = await signatureSchema(view, resolution.target);
    if (result.kind === "schema") return result.signature;
    throw new FunctionToolError(`No tool can be made of ${address}:\n${result.problems.join("\n")}`);
  }, signal);
}

/** The values of the function's parameters, in their order; `signal` for a parameter that is an `AbortSignal`. */
export function parameterValues(
  sources: readonly ParameterSource[],
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): unknown[] {
  return sources.flatMap((source): readonly unknown[] => {
    switch (source.kind) {
      case "signal":
        return [signal];
      case "all arguments":
        return [source.optional && Object.keys(args).length === 0 ? undefined : args];
      case "argument": {
        const value = args[source.name];
        if (source.rest) return (value ?? []) as readonly unknown[];
        return [value];
      }
      default:
        return source satisfies never;
    }
  });
}
