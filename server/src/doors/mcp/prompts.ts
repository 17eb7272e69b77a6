/** What a person can ask for by name in an MCP client, where it becomes a slash command: as those of our own conversations. */
import { ProtocolError, ProtocolErrorCode, type GetPromptResult, type Prompt } from "@modelcontextprotocol/server";
import { fenced } from "../../base/fenced.ts";
import { showHidden } from "../../workspace/hidden-characters.ts";
import type { ToolResult } from "../../protocol/tool-shapes.ts";

const symbol = { name: "symbol", description: "Its name, or src/cart.ts#Cart.total.", required: true };

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
    description: "Run the tests, or those of a file, and say what fails and why",
    arguments: [{ name: "file", description: "A test file; all tests without one.", required: false }],
  },
];

const LOOKS: Readonly<Record<string, string>> = { describe: "describe_symbol", callers: "who_calls" };

export type Look = (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolResult>;

/** Rejects with a `ProtocolError` for what is no prompt. */
export async function promptFor(
  name: string,
  args: Readonly<Record<string, string>> = {},
  look: Look,
): Promise<GetPromptResult> {
  const of = (text: string): GetPromptResult => ({
    messages: [{ role: "user", content: { type: "text", text: showHidden(text) } }],
  });
  if (name === "tests") {
    const which = args["file"] === undefined || args["file"] === "" ? "" : ` with path ${JSON.stringify(args["file"])}`;
    return of(`Call run_tests${which}. Say which tests fail and why, each with its place; change nothing.`);
  }
  const tool = Object.hasOwn(LOOKS, name) ? LOOKS[name] : undefined;
  if (tool === undefined) throw wrong(`There is no prompt ${name}. prompts/list tells what is.`);
  const asked = args["symbol"] ?? "";
  if (asked === "") throw wrong(`${name} needs a symbol.`);
  const { success, content, error = "failed" } = await look(tool, { symbol: asked });
  return of(`What ${tool} says of ${asked}:\n\n${fenced("", success ? content : error).trimStart()}`);
}

function wrong(why: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, why);
}
