/** `log_point`: an expression recorded each time a line of a running program runs. */
import { pathToFileURL } from "node:url";
import { inKernel, kernelCall } from "../../repl/child/wire/kernel-call.ts";
import type { Repl } from "../../repl/repl.ts";
import { defineTool, ToolFailure, type Tool } from "../tool.ts";
import type { ExecutionSafety } from "./execution-safety.ts";
import { authorOf } from "./form-author.ts";
import type { ProjectNames } from "./project-names.ts";
import { reportForm, toldBy } from "./trace-function.ts";

export interface LogPointPorts extends ProjectNames {
  /** Whether a program runs whose lines could be recorded. */
  readonly hasPrograms: () => boolean;
  /** An absolute path as people and models read it. */
  readonly showPath: (path: string) => string;
}

const DEFAULT_COUNT = 20;
/** A breakpoint costs the program about half a millisecond each time. */
const MAX_COUNT = 200;
const MAX_SECONDS = 600;
const MAX_WAIT_S = 60;

/** `repl` is that of a program; undefined for the REPL's own process, whose modules stand on other lines. */
export function createLogPoint(
  repl: Pick<Repl, "evaluate"> | undefined,
  ports: LogPointPorts,
  safety: ExecutionSafety,
): Tool {
  const { hasPrograms, findFile, showPath, showUri } = ports;
  return defineTool({
    name: "log_point",
    description:
      "Records an expression each time a line of a running program runs, with what is in scope there; nothing is paused. " +
      "trace_function shows what came.",
    told: {
      at: { type: "string", description: "src/cart.ts:42" },
      expression: { type: "string" },
      count: { type: "integer" },
      wait: { type: "integer" },
      off: { type: "boolean" },
    },
    input: {
      type: "object",
      properties: {
        at: { type: "string", pattern: ":[1-9]\\d{0,6}$", description: "File and line, e.g. src/cart.ts:42." },
        expression: { type: "string", minLength: 1, description: "TypeScript, e.g. { total, lines }." },
        count: {
          type: "integer",
          minimum: 1,
          maximum: MAX_COUNT,
          description: `Ends after so many records (default ${DEFAULT_COUNT}), or after ${MAX_SECONDS} s.`,
        },
        wait: {
          type: "integer",
          minimum: 1,
          maximum: MAX_WAIT_S,
          description: "Waits so many seconds for the records, then shows them.",
        },
        off: { type: "boolean", description: "Ends the log point." },
      },
      required: ["at"],
      additionalProperties: false,
    },
    ...safety,
    categories: ["execution", "repl"],
    timeoutMs: (MAX_WAIT_S + 60) * 1000,
    unavailable: () => (hasPrograms() ? undefined : "no program of the person's runs: they start one with agentq run"),
    run: async ({ at, expression, count = DEFAULT_COUNT, wait, off }, context) => {
      if (repl === undefined) throw new ToolFailure("Name the running program by `process`: its lines are recorded.");
      const [, name = "", line = ""] = /^(.*):(\d+)$/.exec(at) ?? [];
      const file = findFile(name);
      if ("reason" in file) throw new ToolFailure(file.reason);
      const address = `${showPath(file.path)}:${line}`;
      const evaluate = (
        form: { readonly code: string; readonly timeoutMs?: number },
        isLook?: true,
      ): Promise<string> => {
        const tool = { words: `log_point ${address}${off === true ? " off" : ""}`, ...(isLook && { isLook }) };
        return toldBy(repl.evaluate({ ...form, ...authorOf(context), tool }, context.signal), showUri);
      };
      if (off === true) return { content: await evaluate({ code: kernelCall("untrace", address) }) };
      if (expression === undefined)
        throw new ToolFailure("Name the `expression` to record, or end the log point with `off`.");
      const { plainExpression } = await import("../../repl/source/plain-expression.ts");
      const made = plainExpression(expression);
      if ("problem" in made) throw new ToolFailure(`The expression cannot be recorded: ${made.problem}.`);
      const url = pathToFileURL(file.path).href;
      const wanted = { address, url, line: Number(line), expression: made.code, count, seconds: MAX_SECONDS };
      const content = await evaluate({ code: `await ${inKernel("logPoint")}(${JSON.stringify(wanted)})` });
      if (wait === undefined) return { content };
      return { content: `${content}\n\n${await evaluate(reportForm(wait, address), true)}` };
    },
  });
}
