/** What to type to have the same in a real editor, with the paths of this checkout. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Screen } from "../../../server/src/terminal/screen.ts";

export const PROGRAM = fileURLToPath(new URL("../../../bin/agentq.js", import.meta.url));
export const NVIM_CLIENT = fileURLToPath(new URL("../../../client-nvim", import.meta.url));
export const EMACS_CLIENT = fileURLToPath(new URL("../../../client-emacs", import.meta.url));

/** The command that starts the server with the Node that runs now, which is new enough. */
export const SERVER_COMMAND: readonly string[] = [process.execPath, PROGRAM, "--stdio"];

export function nvimSetup(): string {
  return `require("agentq").setup({ cmd = { ${SERVER_COMMAND.map(luaString).join(", ")} } })`;
}

export function emacsSetup(): readonly string[] {
  return [
    `(load ${JSON.stringify(join(EMACS_CLIENT, "agentq-load.el"))} nil t)`,
    `(setq agentq-program '(${SERVER_COMMAND.map((word) => JSON.stringify(word)).join(" ")}))`,
  ];
}

export function showNextSteps(screen: Screen, story: "project" | "app" = "project"): void {
  const agentq = [process.execPath, PROGRAM].map(shellWord).join(" ");
  screen.line();
  if (story === "app") {
    heading(screen, "With a program of yours, in its folder; then prompt in an editor or a chat on that folder");
    screen.line(`    ${agentq} run -- npm run dev`);
  } else {
    heading(screen, "The same in an editor, at once");
    screen.line("    npm start -- --nvim");
    screen.line("    npm start -- --emacs");
  }
  screen.line();
  heading(screen, "In a terminal, in a project of yours");
  screen.line(`    ${agentq} chat`);
  showSetup(screen, "nvim");
  showSetup(screen, "emacs");
  screen.line();
  screen.line("  Set ANTHROPIC_API_KEY before you start the editor, or point ANTHROPIC_BASE_URL at a local server");
  screen.line("  that speaks the Messages API.");
}

/** The lines for one's own editor. */
export function showSetup(screen: Screen, name: "nvim" | "emacs"): void {
  screen.line();
  if (name === "nvim") {
    heading(screen, "In your own Neovim (0.10 or newer), in init.lua; then :AgentQ");
    screen.line(`    vim.opt.runtimepath:prepend(${luaString(NVIM_CLIENT)})`);
    screen.line(`    ${nvimSetup()}`);
    return;
  }
  heading(screen, "In your own Emacs (30 or newer), in init.el; then M-x agentq");
  for (const line of emacsSetup()) screen.line(`    ${line}`);
}

function heading(screen: Screen, text: string): void {
  screen.line(`  ${screen.paint("bold", text)}`);
}

function luaString(text: string): string {
  return JSON.stringify(text);
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
