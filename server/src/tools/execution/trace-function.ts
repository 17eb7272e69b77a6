/** `trace_function` and `untrace_function`: the calls of a running function, as they happen. */
import type { Evaluated, EvaluateRequest } from "../../repl/image.ts";
import { inKernel, kernelCall } from "../../repl/child/wire/kernel-call.ts";
import type { Repl } from "../../repl/repl.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import { CAUTIOUS, type ExecutionSafety } from "./execution-safety.ts";
import { authorOf } from "./form-author.ts";
import type { ProjectNames } from "./project-names.ts";
import { renderError } from "../answers/render-evaluation.ts";
import { given } from "../../given.ts";

/** A function by its module and the way to it from there. */
export interface TraceTarget {
  /** Absolute path of the module. */
  readonly file: string;
  /** A name of the module's scope, and members from there. */
  readonly path: readonly string[];
  /** The function's name in answers. */
  readonly address: string;
}

export interface TraceNames {
  /**
   * Finds the function that an address names, or gives an answer that says why the address names no single function.
   */
  readonly locate: (
    address: string,
    packageName: string | undefined,
    signal: AbortSignal,
  ) => Promise<TraceTarget | ToolAnswer>;
  readonly showUri: ProjectNames["showUri"];
}

type TracedRepl = Pick<Repl, "evaluate">;

const symbolSchema = {
  type: "string",
  minLength: 1,
  description: "Address, e.g. total, Cart.add, src/cart.ts#total.",
} as const;
const scopeSchema = { type: "string", description: "Module file, package or tsconfig to look in." } as const;

export function createTraceFunction(repl: TracedRepl, names: TraceNames, options: ExecutionSafety = CAUTIOUS): Tool {
  return defineTraceTool(
    { repl, names, options },
    {
      name: "trace_function",
      description:
        "Traces a function or method of the running program: every call is then reported with arguments, caller, result and " +
        "time in the output of the evaluation that makes it. Loads the module where it is not loaded. Without `symbol`: " +
        "what is traced and the latest calls, also those made outside evaluations.",
      all: kernelCall("traces"),
      isLook: true,
      one: ({ path, address, file }) => ({
        code: `${inKernel("trace")}((code: string) => eval(code), ${JSON.stringify(path)}, ${JSON.stringify(address)})`,
        module: file,
      }),
    },
  );
}

export function createUntraceFunction(repl: TracedRepl, names: TraceNames, options: ExecutionSafety = CAUTIOUS): Tool {
  return defineTraceTool(
    { repl, names, options },
    {
      name: "untrace_function",
      description:
        "Removes the trace of a function, by default all traces, and answers how often each function was called and how long it took.",
      all: kernelCall("untrace"),
      one: ({ address }) => ({ code: kernelCall("untrace", address) }),
    },
  );
}

export interface TraceForm {
  readonly code: string;
  readonly module?: string;
}

interface TraceTool {
  readonly name: string;
  readonly description: string;
  /** The code that is evaluated when no function is named. */
  readonly all: string;
  readonly isLook?: true;
  readonly one: (target: TraceTarget) => TraceForm;
}

interface TraceParts {
  readonly repl: TracedRepl;
  readonly names: TraceNames;
  readonly options: ExecutionSafety;
}

function defineTraceTool(
  { repl, names, options }: TraceParts,
  { name, description, all, isLook, one }: TraceTool,
): Tool {
  return defineTool({
    name,
    description,
    input: {
      type: "object",
      properties: { symbol: symbolSchema, path: scopeSchema },
      additionalProperties: false,
    },
    ...options,
    categories: ["execution"],
    run: async (args, { signal, caller }) => {
      const by = authorOf(caller);
      const run = (form: EvaluateRequest): Promise<string> => told(repl.evaluate(form, signal), names.showUri);
      if (args.symbol === undefined) return run({ code: all, by, tool: { words: name, ...given({ isLook }) } });
      const target = await names.locate(args.symbol, args.path, signal);
      if ("content" in target) return target;
      return run({ ...one(target), by, tool: { words: `${name} ${target.address}` } });
    },
  });
}

/** What the form printed. */
async function told(running: Promise<Evaluated>, showUri: ProjectNames["showUri"]): Promise<string> {
  const result = await running;
  if (result.error !== undefined) {
    const isForm = ({ uri }: { readonly uri: string }): boolean => uri.startsWith("repl:");
    const ours = result.error.name === "Error" && result.error.frames.every(isForm);
    throw new ToolFailure(ours ? result.error.message : renderError(result.error, showUri));
  }
  return result.stdout.trimEnd();
}
