/** `agentq clients`: where the editors' clients and the skill lie, which come with this program. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { EXIT } from "./exit-codes.ts";
import { UsageError, type Stage } from "./stage.ts";

const HELP = `usage: agentq clients nvim|emacs|skill

Prints the folder of an editor's client, or of the skill for clients of MCP, which comes with this program and is of the same version:

  -- Neovim
  vim.opt.runtimepath:prepend(vim.trim(vim.fn.system({ "agentq", "clients", "nvim" })))

  ;; Emacs
  (load (expand-file-name "agentq-load.el" (string-trim (shell-command-to-string "agentq clients emacs"))) nil t)

  # Claude Code
  cp -r "$(agentq clients skill)" ~/.claude/skills/

Exit codes: 0 the folder is printed, 1 the program lies alone, 2 the command line makes no sense.
`;

/** By the word for them, from the package on. */
const FOLDERS: Readonly<Record<string, string>> = {
  nvim: "client-nvim",
  emacs: "client-emacs",
  skill: join("skills", "agentq"),
};

export async function runClients(args: readonly string[], stage: Stage): Promise<number> {
  const options = { help: { type: "boolean", short: "h", default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  if (values.help) {
    stage.out.write(HELP);
    return EXIT.ok;
  }
  const [word = "", ...more] = positionals;
  const found = Object.hasOwn(FOLDERS, word) ? FOLDERS[word] : undefined;
  if (found === undefined || more.length > 0) throw new UsageError(`Name one of ${Object.keys(FOLDERS).join(", ")}.`);
  // Package managers start this program by a link.
  const program = realpathSync(stage.host.argv[1] ?? "");
  const folder = join(dirname(dirname(program)), found);
  if (!existsSync(folder)) {
    stage.errors.line(`agentq clients: there is no ${folder}: install the whole package.`);
    return EXIT.failed;
  }
  stage.out.line(folder);
  return EXIT.ok;
}
