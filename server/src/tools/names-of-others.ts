/** Names by which models know the tools of other agents, and the tools here that do such work. */
const WORK: Readonly<Record<string, string>> = {
  read_file: "read cat view view_file open_file file_read fs_read get_file read_files read_many_files",
  propose_edits:
    "edit multi_edit write write_to_file create str_replace str_replace_editor str_replace_based_edit_tool text_editor " +
    "apply_patch apply_diff patch update replace replace_in_file search_replace edit_files insert insert_edit_into_file " +
    "file_write fs_write delete remove rm mv move rename_file",
  search_text: "grep rg ripgrep search search_code code_search grep_search search_file_content codebase_search",
  search_files: "glob find find_files file_search glob_file_search",
  list_directory: "ls dir list list_dir list_files tree view_directory",
  run_command:
    "bash shell sh zsh terminal exec execute execute_command execute_bash run run_in_terminal run_terminal_cmd " +
    "run_shell_command local_shell powershell cmd git npm",
  eval_form: "repl eval evaluate node python javascript typescript code_interpreter execute_code run_code",
  who_references: "references find_references find_all_references find_usages usages",
  describe_symbol: "hover definition go_to_definition goto_definition get_definition type_definition find_symbol",
  document_outline: "outline document_symbols get_symbols_overview",
  rename_symbol: "rename",
  get_diagnostics: "diagnostics get_problems get_errors problems errors lint typecheck read_lints tsc",
  run_tests: "test tests run_test vitest jest",
  delegate: "task agent sub_agent dispatch_agent",
};

const BY_NAME = new Map(
  Object.entries(WORK).flatMap(([tool, names]) => names.split(" ").map((name) => [plain(name), tool] as const)),
);

/** The tool here for such a name; case, underscores and the part before a dot make no difference. */
export function toolForWork(name: string): string | undefined {
  return BY_NAME.get(plain(name.replace(/^.*[./]/, ""))) ?? BY_NAME.get(plain(name.replace(/^mcp__\w+?__/, "")));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}
