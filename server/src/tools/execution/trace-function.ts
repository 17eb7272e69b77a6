/** `trace_function` and `untrace_function`: the calls of a running function, as they happen. */
import { inKernel, kernelCall } from "../../repl/child/wire/kernel-call.ts";
import type { EvalResult } from "../../protocol/repl-shapes.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import type { ExecutionSafety } from "./execution-safety.ts";
import { authorOf, type FormAuthor } from "./form-author.ts";
import { renderError } from "../answers/render-evaluation.ts";

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
  readonly evaluate: (request: Asked & { readonly by: FormAuthor }, signal: AbortSignal) => Promise<EvalResult>;
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

export function createTraceFunction(port: TracePort, options: ExecutionSafety = { safety: "cautious" }): Tool {
  return defineTraceTool(port, options, {
    name: "trace_function",
    description:
      "Traces a function or method of the running program: every call is then told with arguments, caller, result and " +
      "time in the output of the evaluation that makes it. Loads the module where it is not loaded. Without `function`: " +
      "what is traced and the latest calls, also those made outside evaluations.",
    all: kernelCall("traces"),
    isLook: true,
    one: ({ path, address, file }) => ({
      code: `${inKernel("trace")}((code: string) => eval(code), ${JSON.stringify(path)}, ${JSON.stringify(address)})`,
      module: file,
    }),
  });
}

export function createUntraceFunction(port: TracePort, options: ExecutionSafety = { safety: "cautious" }): Tool {
  return defineTraceTool(port, options, {
    name: "untrace_function",
    description:
      "Takes the trace of a function away again, by default of all, and answers how often it was called and how long it took.",
    all: kernelCall("untrace"),
    one: ({ address }) => ({ code: kernelCall("untrace", address) }),
  });
}

export interface TraceForm {
  readonly code: string;
  readonly module?: string;
}

interface TraceTool {
  readonly name: string;
  readonly description: string;
  /** What is evaluated where no function is named. */
  readonly all: string;
  readonly isLook?: true;
  readonly one: (target: TraceTarget) => TraceForm;
}

function defineTraceTool(
  port: TracePort,
  options: ExecutionSafety,
  { name, description, all, isLook, one }: TraceTool,
): Tool {
  return defineTool({
    name,
    description,
    input: {
      type: "object",
      properties: { function: functionSchema, package: packageSchema },
      additionalProperties: false,
    },
    ...options,
    categories: ["execution"],
    run: async (args, { signal, caller }) => {
      const by = authorOf(caller);
      const look = isLook === undefined ? {} : { isLook };
      if (args.function === undefined) return run(port, { code: all, words: name, by, ...look }, signal);
      const target = await port.locate(args.function, args.package, signal);
      return "content" in target
        ? target
        : run(port, { ...one(target), words: `${name} ${target.address}`, by }, signal);
    },
  });
}

type Asked = TraceForm & { readonly words: string; readonly isLook?: true };

async function run(port: TracePort, form: Asked & { readonly by: FormAuthor }, signal: AbortSignal): Promise<string> {
  const result = await port.evaluate(form, signal);
  if (result.error !== undefined) {
    const isForm = ({ uri }: { readonly uri: string }): boolean => uri.startsWith("repl:");
    const ours = result.error.name === "Error" && result.error.frames.every(isForm);
    throw new ToolFailure(ours ? result.error.message : renderError(result.error, port.showUri));
  }
  return result.stdout.trimEnd();
}
