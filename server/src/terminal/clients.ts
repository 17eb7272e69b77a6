/** `agentq clients`: where the editors' clients and the skill lie, which come with this program. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { EXIT } from "./exit-codes.ts";
import { UsageError, type Stage } from "./stage.ts";

const HELP = `usage: agentq clients nvim|emacs|vscode|skill

Prints the folder of an editor's client, the packed extension of VS Code, or the folder of the skill for clients of MCP, which come with
this program and are of the same version:

  -- Neovim
  vim.opt.runtimepath:prepend(vim.trim(vim.fn.system({ "agentq", "clients", "nvim" })))

  ;; Emacs
  (load (expand-file-name "agentq-load.el" (string-trim (shell-command-to-string "agentq clients emacs"))) nil t)

  # VS Code
  code --install-extension "$(agentq clients vscode)"

  # Claude Code
  cp -r "$(agentq clients skill)" ~/.claude/skills/

Exit codes: 0 the path is printed, 1 the program lies alone, 2 the command line makes no sense.
`;

/** By the word for them, from the package on. */
const PLACES: Readonly<Record<string, string>> = {
  nvim: "client-nvim",
  emacs: "client-emacs",
  vscode: join("client-vscode", "agentq.vsix"),
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
  const found = Object.hasOwn(PLACES, word) ? PLACES[word] : undefined;
  if (found === undefined || more.length > 0) throw new UsageError(`Name one of ${Object.keys(PLACES).join(", ")}.`);
  // Package managers start this program by a link.
  const program = realpathSync(stage.host.argv[1] ?? "");
  const place = join(dirname(dirname(program)), found);
  if (!existsSync(place)) {
    stage.errors.line(
      `agentq clients: there is no ${place}: ${word === "vscode" ? "in a checkout, `npm run package` in client-vscode makes it" : "install the whole package"}.`,
    );
    return EXIT.failed;
  }
  stage.out.line(place);
  return EXIT.ok;
}
