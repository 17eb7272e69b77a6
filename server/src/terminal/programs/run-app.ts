/** `agentq run`: a command of the person's, as it is, whose Node processes can be worked with from editors. */
import { constants } from "node:os";
import { basename, join } from "node:path";
import { given } from "../../base/given.ts";
import type { Variables } from "../../base/variables.ts";
import { spawnForPerson } from "../../process/spawn.ts";
import { CHILD_FOLDER } from "../../repl/child-folder.ts";
import { RUN_VARIABLE } from "../../repl/child/wire/app-frames.ts";
import { EXIT } from "../exit-codes.ts";
import { nameProblem, NO_PLACE, runFacts } from "./run-facts.ts";

const HELP = `usage: agentq run [--name NAME] [--] COMMAND [ARGUMENT ...]

Starts the command in this terminal, as it is: its own streams, signals and exit code. From an editor on this folder, and from
agentq repl --in NAME, forms can then be evaluated in every Node process of it that loads code of the folder: in the scopes of
its modules, with its values, as it runs. You are asked before the first one. A process that starts anew has its name again.

  --name NAME   how the program is called; by default like the current folder

  agentq run -- npm run dev
  agentq run --name api -- tsx watch src/server.ts

Exit codes: those of the command; 2 the command line makes no sense, 126 or 127 the command cannot be started.
`;

const OTHER_RUNTIME = /^(bunx?|deno)(?:\.exe)?$/;
const SIGNALS = ["SIGTERM", "SIGHUP", "SIGUSR2"] as const;
/** As shells do. */
const FAILED = { bySignal: 128, notRunnable: 126, notFound: 127 } as const;

/** Answers the exit code. */
export async function runApp(
  args: readonly string[],
  host: Pick<NodeJS.Process, "stdout" | "stderr">,
): Promise<number> {
  const tell = (message: string): void => void host.stderr.write(`agentq run: ${message}\n`);
  const asked = readArguments(args);
  if ("problem" in asked || (asked.command.length === 0 && asked.isHelp !== true)) {
    tell(`${"problem" in asked ? asked.problem : "Name the command to run."} See agentq run --help.`);
    return EXIT.usage;
  }
  const [program, ...rest] = asked.command;
  if (program === undefined) {
    host.stdout.write(HELP);
    return EXIT.ok;
  }
  const { environment, why } = environmentFor(asked.name, process.cwd(), process.env);
  const [, other] = OTHER_RUNTIME.exec(basename(program)) ?? [];
  const reason = other === undefined ? why : `${other} has none of Node's hooks.`;
  if (reason !== undefined) tell(`${reason} The command runs without agentq.`);
  const child = spawnForPerson(program, rest, environment);
  // The terminal sends Ctrl-C to the command too, which says what it means; this process waits for the end.
  const wait = (): void => undefined;
  process.on("SIGINT", wait).on("SIGQUIT", wait);
  for (const signal of SIGNALS) process.on(signal, () => void child.kill(signal));
  return await new Promise((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      tell(`${program} cannot be started: ${error.message}`);
      resolve(error.code === "ENOENT" ? FAILED.notFound : FAILED.notRunnable);
    });
    child.once("exit", (code, signal) => {
      resolve(signal === null ? (code ?? 0) : FAILED.bySignal + constants.signals[signal]);
    });
  });
}

interface Asked {
  readonly isHelp?: true;
  readonly name?: string;
  readonly command: readonly string[];
}

/** Options stand before the command, and the words of the command are its own. A sentence where they make no sense. */
function readArguments(args: readonly string[]): Asked | { readonly problem: string } {
  let name: string | undefined;
  for (let at = 0; ; at++) {
    const word = args[at];
    if (word === "--help" || word === "-h") return { isHelp: true, command: [] };
    if (word === "--") return { command: args.slice(at + 1), ...given({ name }) };
    const [, inline] = /^--name(?:=(.*))?$/s.exec(word ?? "") ?? [];
    if (word?.startsWith("--name") === true && (inline !== undefined || word === "--name")) {
      name = inline ?? args[++at] ?? "";
      const problem = nameProblem(name);
      if (problem !== undefined) return { problem };
    } else if (word?.startsWith("-") === true) return { problem: `There is no option ${word}.` };
    else return { command: args.slice(at), ...given({ name }) };
  }
}

function environmentFor(
  name: string | undefined,
  folder: string,
  variables: Variables,
): { readonly environment: Variables; readonly why?: string } {
  const facts = runFacts(name, folder, variables);
  if (facts === undefined) return { environment: variables, why: NO_PLACE };
  const preload = `--require ${quoted(join(CHILD_FOLDER, "preload.cjs"))}`;
  const options = [variables["NODE_OPTIONS"], preload].filter((each) => each !== undefined && each !== "").join(" ");
  return { environment: { ...variables, NODE_OPTIONS: options, [RUN_VARIABLE]: JSON.stringify(facts) } };
}

/** As Node reads the words of NODE_OPTIONS. */
function quoted(path: string): string {
  return /[\s"\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"` : path;
}
