/** The commands of `agentq`, from which its help and the completion in shells follow. */
import { nearestNames } from "../base/spelling.ts";

export interface CommandLine {
  /** As it is typed, without the name of the program. */
  readonly usage: string;
  readonly summary: string;
  readonly options: readonly string[];
  /** What may be written in the place of the argument. */
  readonly values?: readonly string[];
  /** The help of a command that does not read its own arguments. */
  readonly help?: string;
}

const SETTINGS = "  --settings FILE   what an editor has in initializationOptions, as JSON with comments\n";

export const commandLines: Readonly<Record<string, CommandLine>> = {
  chat: {
    usage: "chat",
    summary: "talk about the project in the current folder; you decide about each edit",
    options: ["--continue"],
  },
  ask: {
    usage: 'ask "..."',
    summary: "one question, for scripts: the answer on standard output, an edit as a patch",
    options: ["--json", "--apply", "--yes-to"],
  },
  tool: {
    usage: "tool",
    summary: "list the tools; agentq tool NAME key=value ... calls one",
    options: ["--json", "--apply", "--yes-to"],
  },
  repl: { usage: "repl", summary: "evaluate TypeScript in the project, with its modules", options: ["--in", "--yes"] },
  run: {
    usage: "run COMMAND",
    summary: "start a program of yours, whose processes forms can then run in",
    options: ["--name"],
  },
  attach: {
    usage: "attach PID",
    summary: "the same for a Node process that runs already, or for the PORT of its inspector",
    options: ["--name", "--yes"],
  },
  detach: {
    usage: "detach NAME",
    summary: "take agentq out of such a program, which goes on",
    options: [],
  },
  mcp: {
    usage: "mcp",
    summary:
      "serve the REPL and the compiler's answers over the Model Context Protocol; --only, --root, --settings FILE",
    options: ["--only", "--root", "--structured", "--settings"],
    help: `usage: agentq mcp [--only repl|compiler|both|all] [--root FOLDER] [--structured] [--settings FILE]

Serves the tools over the Model Context Protocol, on standard input and output, to clients such as Claude Code, which start this
command in the project's folder. Where an editor has the project open, forms run in its REPL and edits are reviewed there; else
the REPL is an own one, and edits are answered as patches (docs/mcp.md).

  --only WHICH      both (default) for a client that has an editor, a search and a shell of its own: what it does not have.
                    repl or compiler for one of the two, all for every tool
  --root FOLDER     the project, for a client that starts its servers elsewhere
  --structured      answers as data beside the text, for programs: many hosts would show their model the data alone

${SETTINGS}`,
  },
  acp: {
    usage: "acp",
    summary: "serve the agent over the Agent Client Protocol (Zed, agent-shell, CodeCompanion); --settings FILE",
    options: ["--settings"],
    help: `usage: agentq acp [--settings FILE]

Serves the agent over the Agent Client Protocol, on standard input and output, to clients such as Zed, which start this command.
Each hunk of an edit and each dangerous call is a question of the client's to you (docs/acp.md).

${SETTINGS}`,
  },
  doctor: {
    usage: "doctor",
    summary: "tell what is installed, what is missing, and what to type",
    options: [],
    help: `usage: agentq doctor

Tells what is installed, what is missing, and what to type, for the project in the current folder.

Exit codes: 0 nothing is broken, 1 something is.
`,
  },
  clients: {
    usage: "clients",
    summary: "print the folder of an editor's client: nvim or emacs",
    options: [],
    values: ["nvim", "emacs"],
  },
  completion: {
    usage: "completion",
    summary: "print completion for a shell: bash, zsh or fish",
    options: [],
    values: ["bash", "zsh", "fish"],
  },
};

const COLUMN = 21;

export function helpOfCommands(): string {
  return Object.values(commandLines)
    .map(({ usage, summary }) => `  agentq ${usage.padEnd(COLUMN - "agentq ".length)}${summary}\n`)
    .join("");
}

const FRONT_OPTIONS = ["--stdio", "--version"];
const FRONT_WORDS = ["help", "version"];

export function isKnown(command: string): boolean {
  return commandLines[command] !== undefined || FRONT_WORDS.includes(command);
}

/** What `parseArgs` has against a command line, and what may be meant instead. */
export function usageProblem(error: Error, args: readonly string[]): string {
  const command = args.find((each) => commandLines[each] !== undefined);
  const [, option] = /^Unknown option '(-[^']*)'/.exec(error.message) ?? [];
  if (option === undefined) return error.message.replace(/\. To specify .*$/s, ".");
  const known = command === undefined ? FRONT_OPTIONS : (commandLines[command]?.options ?? []);
  return `There is no option ${option}.${isMeant(option, [...known, "--help"])}`;
}

/** Why the words are no command. */
export function noCommand([name, ...rest]: readonly string[]): string {
  if (name === undefined) return "Nothing to do.";
  if (commandLines[name] !== undefined) return `${name} takes no "${rest.join(" ")}".`;
  return `Unknown command "${name}".${isMeant(name, [...Object.keys(commandLines), ...FRONT_WORDS])}`;
}

function isMeant(word: string, known: readonly string[]): string {
  const [near] = nearestNames(word, known, 1);
  return near === undefined ? "" : ` Is "${near}" meant?`;
}
