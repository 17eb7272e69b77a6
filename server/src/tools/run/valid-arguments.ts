/** The arguments of a call as its tool takes them, or what is wrong with them, in the words that its caller reads. */
import { cutText } from "../../base/cut-text.ts";
import { describeProblem, type ParameterProblem } from "../../base/errors.ts";
import { whyTooLarge } from "../../base/json-limits.ts";
import { problemsWith } from "../../schema/json-schema.ts";
import { fencedCode } from "../fences.ts";
import { meantValue } from "./meant-values.ts";
import { withOwnNames } from "../own/parameter-names.ts";
import type { Tool } from "../tool.ts";

const MAX_TEXT = 2_000;

type Arguments = Readonly<Record<string, unknown>>;

export type TakenArguments = { readonly args: Arguments } | { readonly invalid: string };

/** Under the tool's own names and as they are meant, valid; or every problem at once. */
export async function takenArguments(tool: Tool, given: Arguments): Promise<TakenArguments> {
  const tooLarge = whyTooLarge(given);
  if (tooLarge !== undefined) return refusedAsTooLarge(tool, tooLarge);
  const named = withOwnNames(tool.inputSchema, given);
  if ("problem" in named)
    return { invalid: `The arguments of ${tool.name} are not valid; nothing was run.\n- ${named.problem}` };
  const args = withoutFence(meantValue({ ...tool.inputSchema, type: "object" }, named.args) as Arguments);
  // Values that came as texts are nested from here on.
  const nested = whyTooLarge(args);
  if (nested !== undefined) return refusedAsTooLarge(tool, nested);
  const invalid = await whyInvalid(tool, args);
  return invalid === undefined ? { args } : { invalid };
}

/** A form is code, and nothing round it. */
function withoutFence(args: Arguments): Arguments {
  const code = typeof args["form"] === "string" ? fencedCode(args["form"]) : undefined;
  return code === undefined ? args : { ...args, form: code };
}

function refusedAsTooLarge({ name }: Tool, why: string): TakenArguments {
  return { invalid: `The arguments of ${name} are ${why}; nothing was run.` };
}

async function whyInvalid(tool: Tool, args: Arguments): Promise<string | undefined> {
  const problems = await problemsWith(tool.inputSchema, args);
  if (problems.length === 0) return undefined;
  const all = problems.map((problem) => `- ${describeProblem(problem)}${howSeveral(tool, problem)}`).join("\n");
  return cutText(`The arguments of ${tool.name} are not valid; nothing was run.\n${all}`, MAX_TEXT);
}

/** What to write in place of a list where one text is taken. */
function howSeveral({ name }: Tool, { path, expected, received }: ParameterProblem): string {
  const isSeveral =
    Array.isArray(received) && received.length > 1 && received.every((each) => typeof each === "string");
  if (!isSeveral || !/^(?:string|one of the known names)/.test(expected)) return "";
  const [first = "", second = ""] = received as readonly string[];
  switch (path) {
    case "/glob":
      return `; several are one text with commas: ${JSON.stringify(`${first}, ${second}`)}`;
    case "/pattern":
      return `; several are one regular expression: ${JSON.stringify(name === "apropos_search" ? `/${first}|${second}/` : `${first}|${second}`)}`;
    default:
      return "; it takes one: make a call for each, in one reply";
  }
}
