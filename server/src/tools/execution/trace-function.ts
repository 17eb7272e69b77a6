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

const MAX_WAIT_S = 60;

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

const countSchema = { type: "integer", minimum: 1, maximum: 1000, description: "Ends after so many calls." } as const;
const whenSchema = {
  type: "string",
  minLength: 1,
  description: "Keeps the calls for which this expression of args, result and error holds, e.g. error !== undefined.",
} as const;
const callSchema = {
  type: "integer",
  minimum: 1,
  description: "Shows this kept call at length, with a form that makes the call again.",
} as const;
const waitSchema = {
  type: "integer",
  minimum: 1,
  maximum: MAX_WAIT_S,
  description: "Waits so many seconds for the calls, then shows them.",
} as const;

/** What models are told of only while a program of the person's runs, whose calls come by themselves. */
export const TOLD_IN_PROGRAMS = { count: countSchema, when: whenSchema, call: callSchema, wait: waitSchema };

interface TraceArguments {
  readonly symbol?: string;
  readonly path?: string;
  readonly off?: boolean;
  readonly count?: number;
  readonly when?: string;
  readonly call?: number;
  readonly wait?: number;
}

function traceForm({ path, address, file }: TraceTarget, { count, when }: TraceArguments): TraceForm {
  const wanted = [
    `path: ${JSON.stringify(path)}, address: ${JSON.stringify(address)}, filename: import.meta.filename`,
    ...(count === undefined ? [] : [`count: ${count}`]),
    ...(when === undefined ? [] : [`when: (args: any, result: any, error: any) => (${when}\n)`]),
  ];
  return { code: `${inKernel("trace")}((code: string) => eval(code), { ${wanted.join(", ")} })`, module: file };
}

/** What is recorded, after a wait for what is to come. */
export function reportForm(wait: number | undefined, address?: string): TraceForm {
  const report = kernelCall("traces");
  if (wait === undefined) return { code: report, isLook: true };
  const waiting = kernelCall("recorded", wait * 1000, ...(address === undefined ? [] : [address]));
  return { code: `await ${waiting}; ${report}`, isLook: true, timeoutMs: (wait + 30) * 1000 };
}

/** The forms for a call of the tool; their output is the answer. */
function formsOf(target: TraceTarget | undefined, args: TraceArguments): readonly TraceForm[] {
  const { off, call, wait } = args;
  if (off === true)
    return [{ code: target === undefined ? kernelCall("untrace") : kernelCall("untrace", target.address) }];
  if (target === undefined) return [reportForm(wait)];
  if (call !== undefined) return [{ code: kernelCall("traced", target.address, call), isLook: true }];
  return [traceForm(target, args), ...(wait === undefined ? [] : [reportForm(wait, target.address)])];
}

export interface TraceForm {
  readonly code: string;
  readonly module?: string;
  readonly isLook?: true;
  readonly timeoutMs?: number;
}

export function createTraceFunction(repl: TracedRepl, names: TraceNames, options: ExecutionSafety = CAUTIOUS): Tool {
  return defineTool({
    name: "trace_function",
    description:
      "Traces a function of the running program: each call is reported, with arguments, caller, result and time, in the " +
      "output of the evaluation that makes it. Without `symbol`: what is traced and the latest calls. " +
      "`off` ends the trace, without `symbol` all.",
    told: {
      symbol: { type: "string" },
      path: null,
      off: { type: "boolean" },
      count: null,
      when: null,
      call: null,
      wait: null,
    },
    input: {
      type: "object",
      properties: { symbol: symbolSchema, path: scopeSchema, off: offSchema, ...TOLD_IN_PROGRAMS },
      additionalProperties: false,
    },
    ...options,
    ...given({ needsApproval: options.needsApproval && unlessLook(options.needsApproval) }),
    categories: ["execution", "repl"],
    timeoutMs: (MAX_WAIT_S + 60) * 1000,
    run: async (args, context) => {
      if (args.call !== undefined && args.symbol === undefined)
        throw new ToolFailure("`call` needs `symbol`: whose call.");
      const target = args.symbol === undefined ? undefined : await names.locate(args.symbol, args.path, context.signal);
      if (target !== undefined && "content" in target) return target;
      const ending = args.off === true ? "off" : undefined;
      const words = ["trace_function", target?.address, ending].filter((each) => each !== undefined).join(" ");
      let content = "";
      for (const { isLook, ...form } of formsOf(target, args)) {
        const tool = { words, ...given({ isLook }) };
        const told = await toldBy(
          repl.evaluate({ ...form, ...authorOf(context), tool }, context.signal),
          names.showUri,
        );
        content += `${content === "" ? "" : "\n\n"}${told}`;
      }
      if (target === undefined) return { content };
      return { content, lists: () => ({ places: foundPlaces([target], ({ address }) => address) }) };
    },
  });
}

/** To read what was traced runs none of the project's code. */
function unlessLook(ask: NeedsApproval<unknown>): NeedsApproval<TraceArguments> {
  return async (args, context) => {
    const isLook = args.off !== true && (args.symbol === undefined || args.call !== undefined);
    return isLook ? { ask: false } : ask(args, context);
  };
}

/** What a form of a tool printed. */
export async function toldBy(running: Promise<Evaluated>, showUri: ProjectNames["showUri"]): Promise<string> {
  const result = await running;
  if (result.error !== undefined) {
    const isForm = ({ uri }: { readonly uri: string }): boolean => uri.startsWith("repl:");
    const ours = result.error.name === "Error" && result.error.frames.every(isForm);
    throw new ToolFailure(ours ? result.error.message : renderError(result.error, showUri));
  }
  return result.stdout.trimEnd();
}
