/** `npm start`: plays the main job of Agent-Q on the example project, in this terminal or in an editor. */
import { parseArgs } from "node:util";
import { openEditor } from "./story/open-editor.ts";
import { runAppStory } from "./story/app-story.ts";
import { runStory } from "./story/story.ts";
import { LineLeft } from "../../server/src/terminal/line.ts";
import { createScreen } from "../../server/src/terminal/screen.ts";

const HELP = `usage: npm start [-- options]

Plays the main job of Agent-Q on a copy of examples/invoices: a question, the compiler's answers, an evaluation that
shows a bug, a proposed edit that you review hunk by hunk, and the evaluation again.

  --app      play the story of a running service: a failing request is recorded in it, and mended without a restart
  --yes      decide about the hunks without asking (so does a run without a terminal)
  --nvim     open the copy in Neovim, with the client loaded
  --emacs    open the copy in Emacs, with the client loaded
  --help     show this text

Without ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN or ANTHROPIC_BASE_URL a script stands in for the model. NO_COLOR is
respected.
`;

// A pipe that closes early, as in "npm start | head", ends the demo and is no error.
process.stdout.on("error", () => process.exit(0));
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
process.once("SIGHUP", () => process.exit(129));
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const screen = createScreen(process.stdout, process.env);
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        yes: { type: "boolean", short: "y", default: false },
        app: { type: "boolean", default: false },
        nvim: { type: "boolean", default: false },
        emacs: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      screen.write(HELP);
      return 0;
    }
    if (values.nvim || values.emacs) return await openEditor(values.nvim ? "nvim" : "emacs", screen, process.env);
    const hasPerson = process.stdin.isTTY && process.stdout.isTTY;
    const play = values.app ? runAppStory : runStory;
    return await play({
      screen,
      environment: process.env,
      interactive: hasPerson && !values.yes,
      paceMs: process.stdout.isTTY ? 12 : 0,
    });
  } catch (error) {
    if (error instanceof LineLeft) return 130;
    const hint = error instanceof TypeError && "code" in error ? " Try --help." : "";
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}${hint}\n`);
    return 1;
  }
}
