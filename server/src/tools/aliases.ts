/**
 * Other names of tools, which programs, people and permission rules know. A call under such a name is a call of the tool
 * that the name leads to, with the arguments translated, and its answer is that tool's. No model is told of these names.
 * Four tools of which no model is told either have an answer that no other tool gives, and stay tools: `method_specializers`
 * (what a member overrides), `macroexpand_form` (what code becomes), `get_file_info` and `get_project_root` (git, tsconfig).
 */
import type { JsonSchema } from "../protocol/shapes.ts";
import { given } from "../base/given.ts";
import type { Op } from "./edit-schema.ts";
import { defineTool, type NeedsApproval, type Tool } from "./tool.ts";

type Arguments = Readonly<Record<string, unknown>>;

interface Alias {
  readonly leadsTo: string;
  /** What a call does, as a sentence. */
  readonly what: string;
  /** The parameters, those that may be left out with a question mark. */
  readonly takes: string;
  /** Parameters that the tool itself does not have. */
  readonly parameters?: Readonly<Record<string, JsonSchema>>;
  /** Contract: takes any arguments and never throws. The arguments as they are, without it. */
  readonly as?: (args: Arguments) => Arguments;
}

/** Parameters of one edit. */
const OF_AN_EDIT: Readonly<Record<string, JsonSchema>> = {
  path: { type: "string", minLength: 1, description: "File path relative to the workspace folder." },
  content: { type: "string", description: "The whole text." },
  original: { type: "string", minLength: 1, description: "Exact current text to replace; occurs once." },
  modified: { type: "string", description: "The replacement, or the whole new text without `original`." },
  old: { type: "string", minLength: 1, description: "The exact text that stands there." },
  new: { type: "string", description: "The text in its place." },
  line: { type: "integer", minimum: 1, description: "Counted from 1." },
  to: { type: "string", minLength: 1, description: "The whole new path." },
  description: { type: "string", description: "Why, in a sentence; the person reads it." },
};

/** What `propose_edits` calls them, where it calls them otherwise. */
const FIELDS: Readonly<Record<string, string>> = { content: "modified", old: "original", new: "modified" };

const TREE_DEPTH = 3;

const IMPORTS: Readonly<Record<string, string>> = {
  all: "source.organizeImports",
  sort: "source.sortImports",
  remove_unused: "source.removeUnusedImports",
};

const ALIASES: Readonly<Record<string, Alias>> = {
  function_arglist: {
    leadsTo: "describe_symbol",
    what: "How to call a function.",
    takes: "symbol path? limit? cursor?",
  },
  directory_tree: {
    leadsTo: "list_directory",
    what: `What stands in a folder, over ${TREE_DEPTH} levels or another depth.`,
    takes: "path? depth? cursor?",
    as: (args) => ({ depth: TREE_DEPTH, ...args }),
  },
  eval_in_package: {
    leadsTo: "eval_form",
    what: "Evaluates TypeScript inside the scope of one module.",
    takes: "form path timeout_ms? process?",
  },
  untrace_function: {
    leadsTo: "trace_function",
    what: "Ends the trace of a function, by default all traces.",
    takes: "symbol? path? process?",
    as: (args) => ({ ...args, off: true }),
  },
  get_last_error: {
    leadsTo: "get_repl_history",
    what: "The evaluation that raised the last error, in full.",
    takes: "",
    as: () => ({ id: "last_error" }),
  },
  get_compilation_notes: {
    leadsTo: "get_repl_history",
    what: "The latest evaluation in full, with what the compiler said.",
    takes: "",
    as: () => ({ id: "latest" }),
  },
  propose_file_edit: edit(
    {},
    "Proposes one replacement in a file, or without `original` its whole new text.",
    "path original? modified",
  ),
  write_file: edit({ op: "write" }, "Writes the whole text of a file.", "path content"),
  edit_file: edit({ op: "replace" }, "Replaces a text that occurs exactly once.", "path old new"),
  insert_at_line: edit(
    { op: "insert_at_line" },
    "Inserts whole lines before a line; one more than there are lines is the end.",
    "path line content",
  ),
  create_file: edit({ op: "create" }, "Creates a file that does not exist.", "path content"),
  move_file: edit({ op: "move" }, "Moves a file or a folder; imports follow.", "path to"),
  delete_file: edit({ op: "delete" }, "Deletes a file or a folder.", "path"),
  write_to_buffer: edit({ op: "write" }, "Writes the whole text of an open file.", "path content"),
  organize_imports: {
    leadsTo: "apply_code_action",
    what: "Sorts and merges the imports of a file and drops the unused ones, or only one of the two.",
    takes: "path mode?",
    parameters: { mode: { enum: ["all", "sort", "remove_unused"], description: "Default all." } },
    as: ({ path, mode = "all" }) => ({ path, action: IMPORTS[String(mode)] }),
  },
};

/** A proposal of one edit; without an op the edit is what its fields say. */
function edit(op: { readonly op?: Op }, what: string, takes: string): Alias {
  return {
    leadsTo: "propose_edits",
    what,
    takes: `${takes} description?`,
    parameters: OF_AN_EDIT,
    as: ({ description, ...fields }) => {
      const named = Object.entries(fields).map(([name, value]) => [FIELDS[name] ?? name, value]);
      const why = description === undefined || description === "" ? "No reason was given." : description;
      return { description: why, edits: [{ ...op, ...(Object.fromEntries(named) as Arguments) }] };
    },
  };
}

/** The other names of these tools, each as a tool of its own. */
export function createAliases(tools: readonly Tool[]): Tool[] {
  return Object.entries(ALIASES).flatMap(([name, alias]) => {
    const tool = tools.find((each) => each.name === alias.leadsTo);
    return tool === undefined ? [] : [createAlias(name, alias, tool)];
  });
}

function createAlias(name: string, alias: Alias, tool: Tool): Tool {
  const { leadsTo, what, as = (args) => args } = alias;
  const { filesOf, needsApproval } = tool;
  return defineTool({
    name,
    description: `${what} Another name of ${leadsTo}.`,
    input: inputOf(alias, tool),
    safety: tool.isJudgedLate ? () => tool.safety : tool.safety,
    categories: tool.categories,
    timeoutMs: tool.timeoutMs,
    asksItself: tool.asksItself,
    saysItsEnd: tool.saysItsEnd,
    isOffered: false,
    unavailable: tool.unavailable,
    leadsTo: { tool, as },
    ...given({
      filesOf: filesOf && ((args: Arguments) => filesOf(as(args))),
      needsApproval: needsApproval && translated(needsApproval, as),
    }),
    run: (args, context) => tool.run(as(args as Arguments), context),
  });
}

function translated(ask: NeedsApproval<Arguments>, as: (args: Arguments) => Arguments): NeedsApproval<unknown> {
  return async (args, context) => {
    const need = await ask(as(args as Arguments), context);
    if ("refused" in need || need.run === undefined) return need;
    const { run } = need;
    return { ...need, run: (own, running) => run(as(own), running) };
  };
}

function inputOf({ takes, parameters }: Alias, { inputSchema }: Tool): JsonSchema {
  const { properties: own } = inputSchema as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  const known = { ...own, ...parameters };
  const words = takes.split(" ").filter((word) => word !== "");
  const names = words.map((word) => word.replace("?", ""));
  const properties = Object.fromEntries(names.map((each) => [each, known[each] ?? {}]));
  return {
    type: "object",
    properties,
    required: words.filter((word) => !word.endsWith("?")),
    additionalProperties: false,
  };
}
