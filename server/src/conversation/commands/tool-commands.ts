/** The commands that ask one tool. */
import type { SlashCommand } from "./command.ts";
import { askTool } from "./ask-tool.ts";

export const toolCommands: readonly SlashCommand[] = [
  askTool({
    name: "describe",
    takes: "SYMBOL",
    summary: "what a symbol is, where it stands, and who refers to it",
    completes: "symbol",
    tool: "describe_symbol",
    parameter: "symbol",
  }),
  askTool({
    name: "callers",
    takes: "SYMBOL",
    summary: "who calls it",
    completes: "symbol",
    tool: "who_calls",
    parameter: "symbol",
  }),
  askTool({
    name: "refs",
    takes: "SYMBOL",
    summary: "every place that names it",
    completes: "symbol",
    tool: "who_references",
    parameter: "symbol",
  }),
  askTool({
    name: "apropos",
    takes: "PART",
    summary: "symbols by a part of their name, cUS for createUserSession, or /a regular expression/i",
    tool: "apropos_search",
    parameter: "pattern",
  }),
  askTool({
    name: "eval",
    takes: "CODE",
    summary: "evaluate in the REPL",
    completes: "value",
    tool: "eval_form",
    parameter: "form",
  }),
  askTool({
    name: "tests",
    takes: "[FILE]",
    summary: "run the tests, or those of a file",
    completes: "file",
    tool: "run_tests",
    parameter: "path",
    isBare: true,
  }),
];
