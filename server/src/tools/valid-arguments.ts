/** What is wrong with the arguments of a call, in the words that its caller reads. */
import { cutText } from "../protocol/cut-text.ts";
import { describeProblem } from "../protocol/errors.ts";
import { whyTooLarge } from "../protocol/json-limits.ts";
import { problemsWith } from "../protocol/json-schema.ts";
import type { Tool } from "./tool.ts";

const MAX_TEXT = 2_000;

/** Every problem at once; undefined when the tool may have the arguments. */
export async function invalidArguments(tool: Tool, args: unknown): Promise<string | undefined> {
  const tooLarge = whyTooLarge(args);
  if (tooLarge !== undefined) return `The arguments of ${tool.name} are ${tooLarge}; nothing was run.`;
  const problems = await problemsWith(tool.inputSchema, args);
  if (problems.length === 0) return undefined;
  const all = problems.map((problem) => `- ${describeProblem(problem)}`).join("\n");
  return cutText(`The arguments of ${tool.name} are not valid; nothing was run.\n${all}`, MAX_TEXT);
}
