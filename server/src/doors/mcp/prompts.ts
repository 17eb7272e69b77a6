/**
 * What a person can ask for by name in an MCP client, where it becomes a slash command. Each tells the model what to call: some
 * clients put the person's words into the text afterwards, so that no answer can be in it.
 */
import { ProtocolError, ProtocolErrorCode, type GetPromptResult, type Prompt } from "@modelcontextprotocol/server";
import { showHidden } from "../../workspace/hidden-characters.ts";

const symbol = { name: "symbol", description: "Its name, or src/cart.ts#Cart.total.", required: true };
const file = { name: "file", description: "A test file; all tests without one.", required: false };

export const prompts: Prompt[] = [
  {
    name: "describe",
    title: "Describe a symbol",
    description: "What a symbol is, and who refers to it",
    arguments: [symbol],
  },
  { name: "callers", title: "Who calls it", description: "Who calls a function or method", arguments: [symbol] },
  {
    name: "tests",
    title: "Run the tests",
    description: "Run the tests, and say what fails and why",
    arguments: [file],
  },
];

/** Throws a `ProtocolError` for what is no prompt. */
export function promptFor(name: string, args: Readonly<Record<string, string>> = {}): GetPromptResult {
  const asked = (argument: string): string => JSON.stringify(args[argument] ?? "");
  const told: Readonly<Record<string, () => string>> = {
    describe: () => `Call describe_symbol with symbol ${asked("symbol")}. Say what it is and how it is used.`,
    callers: () => `Call who_calls with symbol ${asked("symbol")}. Say who calls it, each with its place and what for.`,
    tests: () => {
      const which = (args["file"] ?? "") === "" ? "" : ` with path ${asked("file")}`;
      return `Call run_tests${which}. Say which tests fail and why, each with its place; change nothing.`;
    },
  };
  const words = Object.hasOwn(told, name) ? told[name] : undefined;
  if (words === undefined) throw wrong(`There is no prompt ${name}. prompts/list tells what is.`);
  if (name !== "tests" && (args["symbol"] ?? "") === "") throw wrong(`${name} needs a symbol.`);
  return { messages: [{ role: "user", content: { type: "text", text: showHidden(words()) } }] };
}

function wrong(why: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, why);
}
