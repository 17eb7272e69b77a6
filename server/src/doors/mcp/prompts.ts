/**
 * What a person can ask for by name in an MCP client, where it becomes a slash command. Each tells the model what to call: some
 * clients put the person's words into the text afterwards, so that no answer can be in it.
 */
import { ProtocolError, ProtocolErrorCode, type GetPromptResult, type Prompt } from "@modelcontextprotocol/server";
import { showHidden } from "../../workspace/hidden-characters.ts";
import { isTold, type Profile } from "./told-tools.ts";

interface Told {
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  readonly takes: { readonly name: string; readonly description: string; readonly required: boolean };
  /** The tool's parameter for the person's words. */
  readonly parameter: string;
  readonly then: string;
}

const symbol = { name: "symbol", description: "Its name, or src/cart.ts#Cart.total.", required: true };

const PROMPTS: Readonly<Record<string, Told>> = {
  describe: {
    tool: "describe_symbol",
    title: "Describe a symbol",
    description: "What a symbol is, and who refers to it",
    takes: symbol,
    parameter: "symbol",
    then: "Say what it is and how it is used.",
  },
  callers: {
    tool: "who_calls",
    title: "Who calls it",
    description: "Who calls a function or method",
    takes: symbol,
    parameter: "symbol",
    then: "Say who calls it, each with its place and what for.",
  },
  tests: {
    tool: "run_tests",
    title: "Run the tests",
    description: "Run the tests, and say what fails and why",
    takes: { name: "file", description: "A test file; all tests without one.", required: false },
    parameter: "path",
    then: "Say which tests fail and why, each with its place; change nothing.",
  },
};

/** Those whose tool the client is told of. */
export function promptsOf(profile: Profile): Prompt[] {
  return Object.entries(PROMPTS)
    .filter(([, { tool }]) => isTold(profile, tool, undefined))
    .map(([name, { title, description, takes }]) => ({ name, title, description, arguments: [takes] }));
}

/** Throws a `ProtocolError` for what is no prompt. */
export function promptFor(
  profile: Profile,
  name: string,
  args: Readonly<Record<string, string>> = {},
): GetPromptResult {
  const told = Object.hasOwn(PROMPTS, name) ? PROMPTS[name] : undefined;
  if (told === undefined || !isTold(profile, told.tool, undefined)) {
    throw wrong(`There is no prompt ${name}. prompts/list tells what is.`);
  }
  const words = args[told.takes.name] ?? "";
  if (words === "" && told.takes.required) throw wrong(`${name} needs a ${told.takes.name}.`);
  const which = words === "" ? "" : ` with ${told.parameter} ${JSON.stringify(words)}`;
  const text = showHidden(`Call ${told.tool}${which}. ${told.then}`);
  return { messages: [{ role: "user", content: { type: "text", text } }] };
}

function wrong(why: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, why);
}
