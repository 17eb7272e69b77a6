/** `trace_function`: the calls of a running function, as they happen. */
import type { Evaluated } from "../../repl/image.ts";
import { inKernel, kernelCall } from "../../repl/child/wire/kernel-call.ts";
import type { Repl } from "../../repl/repl.ts";
import { defineTool, ToolFailure, type NeedsApproval, type Tool, type ToolAnswer } from "../tool.ts";
import { CAUTIOUS, type ExecutionSafety } from "./execution-safety.ts";
import { authorOf } from "./form-author.ts";
import type { ProjectNames } from "./project-names.ts";
import type { LspPosition } from "../../typescript/places.ts";
import { foundPlaces } from "../answers/found-places.ts";
import { renderError } from "../answers/rendered/render-evaluation.ts";
import { given } from "../../base/given.ts";

/** A function by its module and the way to it from there. */
export interface TraceTarget {
  /** Absolute path of the module. */
  readonly file: string;
  /** Where the function's name is declared. */
  readonly at: LspPosition;
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
const offSchema = {
  type: "boolean",
  description: "End the trace; answers how often the function was called, and how long it took.",
} as const;
const scopeSchema = { type: "string", description: "Module file, package or tsconfig to look in." } as const;

function traceForm(target: TraceTarget | undefined): TraceForm {
  if (target === undefined) return { code: kernelCall("traces"), isLook: true };
  const { path, address, file } = target;
  const named = `${JSON.stringify(path)}, ${JSON.stringify(address)}, import.meta.filename`;
  const code = `${inKernel("trace")}((code: string) => eval(code), ${named})`;
  return { code, module: file };
}

function untraceForm(target: TraceTarget | undefined): TraceForm {
  return { code: target === undefined ? kernelCall("untrace") : kernelCall("untrace", target.address) };
}

export interface TraceForm {
  readonly code: string;
  readonly module?: string;
  readonly isLook?: true;
}

export function createTraceFunction(repl: TracedRepl, names: TraceNames, options: ExecutionSafety = CAUTIOUS): Tool {
  return defineTool({
    name: "trace_function",
    description:
      "Traces a function of the running program: each call is reported, with arguments, caller, result and time, in the " +
      "output of the evaluation that makes it. Without `symbol`: what is traced and the latest calls. " +
      "`off` ends the trace, without `symbol` all.",
    told: { symbol: { type: "string" }, path: null, off: { type: "boolean" } },
    input: {
      type: "object",
      properties: { symbol: symbolSchema, path: scopeSchema, off: offSchema },
      additionalProperties: false,
    },
    ...options,
    ...given({ needsApproval: options.needsApproval && unlessLook(options.needsApproval) }),
    categories: ["execution"],
    run: async (args, { signal, caller }) => {
      const by = authorOf(caller);
      const run = async (target: TraceTarget | undefined): Promise<ToolAnswer> => {
        const { isLook, ...request } = args.off === true ? untraceForm(target) : traceForm(target);
        const words = [
          "trace_function",
          ...(target === undefined ? [] : [target.address]),
          ...(args.off === true ? ["off"] : []),
        ];
        const tool = { words: words.join(" "), ...given({ isLook }) };
        const content = await told(repl.evaluate({ ...request, by, tool }, signal), names.showUri);
        if (target === undefined) return { content };
        return { content, lists: () => ({ places: foundPlaces([target], ({ address }) => address) }) };
      };
      if (args.symbol === undefined) return run(undefined);
      const target = await names.locate(args.symbol, args.path, signal);
      return "content" in target ? target : run(target);
    },
  });
}

/** To read what was traced runs none of the project's code. */
function unlessLook(ask: NeedsApproval<unknown>): NeedsApproval<{ readonly symbol?: string; readonly off?: boolean }> {
  return async (args, context) =>
    args.symbol === undefined && args.off !== true ? { ask: false } : ask(args, context);
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
