/** `trace_function` and `untrace_function`: the calls of a running function, as they happen. */
import type { EvalResult } from "../../protocol/repl-shapes.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import type { EvalFormOptions } from "./eval-form.ts";
import { renderError } from "./render-evaluation.ts";

/** A function by its module and the way to it from there. */
export interface TraceTarget {
  /** Absolute path of the module. */
  readonly file: string;
  /** A name of the module's scope, and members from there. */
  readonly path: readonly string[];
  /** As it is called in answers. */
  readonly address: string;
}

export interface TracePort {
  readonly evaluate: (
    request: { readonly code: string; readonly module?: string; readonly by: "agent" },
    signal: AbortSignal,
  ) => Promise<EvalResult>;
  /** What an address names, or an answer that says why it names no one function. */
  readonly locate: (
    address: string,
    packageName: string | undefined,
    signal: AbortSignal,
  ) => Promise<TraceTarget | ToolAnswer>;
  readonly showUri: (uri: string) => string;
}

const functionSchema = {
  type: "string",
  minLength: 1,
  description: "Address, e.g. total, Cart.add, src/cart.ts#total.",
} as const;
const packageSchema = { type: "string", description: "Module file, package or tsconfig to look in." } as const;

export function createTraceFunction(port: TracePort, options: EvalFormOptions = { safety: "cautious" }): Tool {
  return defineTool({
    name: "trace_function",
    description:
      "Traces a function or method of the running program: every call is then told with arguments, caller, result and " +
      "time in the output of the evaluation that makes it. Loads the module where it is not loaded. Without `function`: " +
      "what is traced and the latest calls, also those made outside evaluations.",
    input: {
      type: "object",
      properties: { function: functionSchema, package: packageSchema },
      additionalProperties: false,
    },
    safety: options.safety,
    categories: ["execution"],
    run: async (args, { signal }) => {
      if (args.function === undefined) return run(port, "__agentq.traces()", undefined, signal);
      const target = await port.locate(args.function, args.package, signal);
      if ("content" in target) return target;
      const path = JSON.stringify(target.path);
      const code = `__agentq.trace((code: string) => eval(code), ${path}, ${JSON.stringify(target.address)})`;
      return run(port, code, target.file, signal);
    },
  });
}

export function createUntraceFunction(port: TracePort, options: EvalFormOptions = { safety: "cautious" }): Tool {
  return defineTool({
    name: "untrace_function",
    description:
      "Takes the trace of a function away again, by default of all, and answers how often it was called and how long it took.",
    input: {
      type: "object",
      properties: { function: functionSchema, package: packageSchema },
      additionalProperties: false,
    },
    safety: options.safety,
    categories: ["execution"],
    run: async (args, { signal }) => {
      if (args.function === undefined) return run(port, "__agentq.untrace()", undefined, signal);
      const target = await port.locate(args.function, args.package, signal);
      if ("content" in target) return target;
      return run(port, `__agentq.untrace(${JSON.stringify(target.address)})`, undefined, signal);
    },
  });
}

async function run(port: TracePort, code: string, module: string | undefined, signal: AbortSignal): Promise<string> {
  const result = await port.evaluate({ code, by: "agent", ...(module === undefined ? {} : { module }) }, signal);
  if (result.error !== undefined) {
    const ours = result.error.frames.length === 0 && result.error.name === "Error";
    throw new ToolFailure(ours ? result.error.message : renderError(result.error, port.showUri));
  }
  return result.stdout.trimEnd();
}
