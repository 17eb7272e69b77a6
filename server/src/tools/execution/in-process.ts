/**
 * The tools of the REPL in the running programs of the person: one more argument names the program. A form never goes to
 * another process than the named one, and each answer says where it ran.
 */
import type { Repl } from "../../repl/repl.ts";
import type { JsonSchema, SafetyLevel } from "../../protocol/shapes.ts";
import { ToolFailure, type ApprovalNeed, type Tool, type ToolContext, type ToolResultValue } from "../tool.ts";

export interface Programs {
  /** The names of those that run now. */
  readonly names: () => readonly string[];
  /** Its REPL and what the program is; undefined where no program that has that name runs. */
  readonly find: (name: string) => Promise<{ readonly repl: Repl; readonly shown: string } | undefined>;
}

/** As the schema has them. */
type Arguments = Readonly<Record<string, unknown>> & { readonly process?: string };

const WHERE = {
  type: "string",
  minLength: 1,
  description: "A running program of the person's, in place of the REPL.",
} as const;

export interface InProcessParts {
  readonly repl: Repl;
  readonly programs: Programs;
  /** Parameters of the tool that models are told of only while a program runs. */
  readonly told?: Readonly<Record<string, JsonSchema>>;
}

/** `make` makes the tool for a REPL: for the own one now, for that of a program with each call that names the program. */
export function inProcess(make: (repl: Repl) => Tool, { repl, programs, told = {} }: InProcessParts): Tool {
  const own = make(repl);
  const there = async (name: string): Promise<{ readonly tool: Tool; readonly shown: string }> => {
    const found = await programs.find(name);
    if (found === undefined) throw new ToolFailure(`NOT RUN: ${notRunning(name, programs.names())}`);
    return { tool: make(found.repl), shown: found.shown };
  };
  const run = async ({ process, ...args }: Arguments, context: ToolContext): Promise<ToolResultValue> => {
    if (process === undefined) return own.run(args, context);
    const { tool, shown } = await there(process);
    return toldOf(shown, async () => tool.run(args, context));
  };
  const needsApproval = async ({ process, ...args }: Arguments, context: ToolContext): Promise<ApprovalNeed> => {
    if (process === undefined) return own.needsApproval?.(args, context) ?? { ask: own.safety === "dangerous" };
    const found = await programs.find(process);
    if (found === undefined) return { refused: notRunning(process, programs.names()) };
    const { repl: its, shown } = found;
    const need = (await make(its).needsApproval?.(args, context)) ?? { ask: false };
    if ("refused" in need) return need;
    const tool = make(its);
    const runThere = need.run ?? tool.run;
    // What was judged, or agreed to, was this process: another one that has its name since is not meant.
    const runIn = async (given: Arguments, running: ToolContext): Promise<ToolResultValue> => {
      if ((await programs.find(process))?.shown !== shown) throw new ToolFailure(`NOT RUN: ${shown} has ended since.`);
      const { process: _process, ...rest } = given;
      return toldOf(shown, async () => runThere(rest, running));
    };
    return need.ask ? { ...need, because: `it runs in ${shown}`, run: runIn } : { ...need, run: runIn };
  };
  const mayAct = own.needsApproval !== undefined;
  const safetyOf = (args: Arguments): SafetyLevel =>
    mayAct && args["process"] !== undefined ? "dangerous" : own.safety;
  return Object.freeze(
    Object.defineProperties({} as Tool, {
      ...Object.getOwnPropertyDescriptors(own),
      inputSchema: { value: withProcess(own.inputSchema), enumerable: true },
      offeredSchema: {
        get: () => (programs.names().length === 0 ? own.offeredSchema : withProcess(own.offeredSchema, told)),
        enumerable: true,
      },
      ...(own.needsApproval === undefined ? {} : { needsApproval: { value: needsApproval, enumerable: true } }),
      safetyOf: { value: safetyOf, enumerable: true },
      run: { value: run, enumerable: true },
    }),
  );
}

function withProcess(schema: JsonSchema, told: InProcessParts["told"] = {}): JsonSchema {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  return { ...schema, properties: { ...properties, ...told, process: WHERE } };
}

function notRunning(name: string, names: readonly string[]): string {
  const running =
    names.length === 0 ? "none runs; the person starts one with agentq run" : `running: ${names.join(", ")}`;
  return `there is no running program ${name} (${running}). Nothing ran in the REPL instead.`;
}

/** What the work answers, or how it failed, with the program that it ran in. */
async function toldOf(shown: string, work: () => Promise<ToolResultValue>): Promise<ToolResultValue> {
  try {
    const answer = await work();
    if (typeof answer === "string") return `In ${shown}:\n${answer}`;
    return typeof answer === "object" && answer !== null
      ? { ...answer, content: `In ${shown}:\n${answer.content}` }
      : answer;
  } catch (error) {
    throw error instanceof ToolFailure ? new ToolFailure(`In ${shown}: ${error.message}`) : error;
  }
}
