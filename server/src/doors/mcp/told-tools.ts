/**
 * The tools that an MCP client is told of. A host that edits, searches and runs commands itself pays for each tool with each of
 * its requests, so it is told only of what it does not have: the live REPL and the compiler's answers.
 */
import type { Tool as McpTool, ToolAnnotations } from "@modelcontextprotocol/server";
import type { ModelToolSchema } from "../../model/model-port.ts";
import type { Tool } from "../../tools/tool.ts";

interface Told {
  /** As clients show the tool to a person. */
  readonly title: string;
  /** The words by which a host finds the tool that tells its model names alone. */
  readonly hint: string;
  /** The tool teaches what all of this is: the host tells its model the whole of it at once. */
  readonly isFirst?: true;
}

const REPL: Readonly<Record<string, Told>> = {
  eval_form: { title: "Evaluate TypeScript", hint: "REPL run code live process state value", isFirst: true },
  try_edit: { title: "Try an edit", hint: "prove a fix before editing, run code with changed files", isFirst: true },
  run_tests: { title: "Run tests", hint: "vitest jest mocha node:test unsaved edits", isFirst: true },
  inspect_object: { title: "Look into a value", hint: "inspect object members private fields map entries" },
  compile_form: { title: "Redefine running code", hint: "hot reload function class without restart" },
  trace_function: { title: "Trace calls", hint: "log calls arguments results callers watch function" },
  log_point: { title: "Record a line", hint: "logpoint breakpoint line expression running program" },
  get_repl_history: { title: "REPL history", hint: "earlier evaluations results" },
  restart_repl: { title: "Restart the REPL", hint: "fresh process replay" },
};

const COMPILER: Readonly<Record<string, Told>> = {
  describe_symbol: { title: "Describe a symbol", hint: "type signature documentation definition", isFirst: true },
  who_calls: { title: "Who calls", hint: "callers call hierarchy of a function" },
  who_references: { title: "Who uses", hint: "find references reads writes of a symbol" },
  find_implementations: { title: "Implementations", hint: "implementers overrides subclasses" },
  read_symbol: { title: "Read a symbol", hint: "source text of one function or class" },
  get_diagnostics: { title: "Compiler errors", hint: "type errors tsc check diagnostics" },
  rename_symbol: { title: "Rename a symbol", hint: "refactor rename everywhere" },
};

export const PROFILES = {
  repl: REPL,
  compiler: COMPILER,
  both: { ...REPL, ...COMPILER },
  all: undefined,
} as const;

export type Profile = keyof typeof PROFILES;

export function isProfile(word: string): word is Profile {
  return Object.hasOwn(PROFILES, word);
}

/** Tools that the person has named are always told. */
const NAMED_BY_THE_PERSON = ["own", "mcp"];

export function isTold(profile: Profile, name: string, tool: Pick<Tool, "categories"> | undefined): boolean {
  const told = PROFILES[profile];
  if (told === undefined || Object.hasOwn(told, name)) return true;
  return tool?.categories.some((category) => NAMED_BY_THE_PERSON.includes(category)) === true;
}

const WHAT: Readonly<Record<Profile, string>> = {
  repl: "a REPL in a live process with the project's code, and its tests",
  compiler: "the compiler's own answers",
  both: "the compiler's own answers, a REPL in a live process with the project's code, and its tests",
  all: "the compiler's own answers, a REPL in a live process with the project's code, tests, searches",
};
const EDITS =
  "A tool that proposes edits waits for the person's review where an editor with Agent-Q has the workspace open; " +
  "else it changes no file and answers with a patch, checked by the compiler, which you show the person and then apply. ";

export function instructionsOf(profile: Profile): string {
  const edits = profile === "repl" ? "" : EDITS;
  return `Tools for the TypeScript project in the workspace: ${WHAT[profile]}. ${edits}Paths are relative to the workspace folder.`;
}

export function whyNotTold(profile: Profile, name: string): string {
  return `Unknown tool "${name}": this server offers ${WHAT[profile]}. The person can have all tools by agentq mcp --only all.`;
}

export function toldTool(schema: ModelToolSchema, tool: Tool | undefined): McpTool {
  const { name, description, inputSchema } = schema;
  const { title, hint, isFirst } = { ...REPL, ...COMPILER }[name] ?? {};
  const meta = {
    ...(hint === undefined ? {} : { "anthropic/searchHint": hint }),
    ...(isFirst === undefined ? {} : { "anthropic/alwaysLoad": true }),
  };
  return {
    name,
    ...(title === undefined ? {} : { title, _meta: meta }),
    description,
    inputSchema: { ...inputSchema, type: "object" as const },
    annotations: annotationsOf(tool),
  };
}

/** The tools of the profile as they are told where no program runs and the person has no tools of their own. */
export async function usualTools(profile: Profile): Promise<McpTool[]> {
  const { default: all } = await import("./usual-tools.json", { with: { type: "json" } });
  return (all as McpTool[]).filter(({ name }) => isTold(profile, name, undefined));
}

/** Hints for the client's own questions to the person; ours do not depend on them. An edit is reviewed, or a patch. */
function annotationsOf(tool: Tool | undefined): ToolAnnotations {
  const isDangerous = tool?.safety === "dangerous" && !tool.asksItself;
  return { readOnlyHint: tool?.safety === "safe", destructiveHint: isDangerous, openWorldHint: isDangerous };
}
