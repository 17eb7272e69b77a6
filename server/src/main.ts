/** argv → which front: the stdio server, the MCP and ACP servers, the terminal, the doctor, help. Nothing else. */
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { commandLines, helpOfCommands, isKnown, noCommand, usageProblem } from "./terminal/command-line.ts";

const HELP = `agentq - a REPL-aware coding agent for TypeScript, as a language-server sidecar

Usage
  agentq --stdio       speak LSP and agentq/* over standard input and output (what editors start)
${helpOfCommands()}  agentq version       print the version; so does --version
  agentq help COMMAND  tell about a command; without one, print this text, as --help does

Environment
  ANTHROPIC_API_KEY    key of the model's API; without it the tools, the REPL and the review still work
  ANTHROPIC_BASE_URL   another server that speaks the Messages API (a local one needs no key)
  AGENTQ_MODEL         the model's name
  HTTPS_PROXY          the proxy on the way to the model; also HTTP_PROXY and NO_PROXY
`;

/** The commands of terminal/, which read their own arguments; each has a --help. */
const TERMINAL: ReadonlySet<string> = new Set([
  "ask",
  "attach",
  "chat",
  "clients",
  "completion",
  "detach",
  "repl",
  "tool",
]);

await main(process.argv.slice(2));

async function main(args: string[]): Promise<void> {
  // `agentq help chat` is `agentq chat --help`.
  const [front = "", ...own] = args[0] === "help" ? [...args.slice(1, 2), "--help"] : args;
  if (TERMINAL.has(front)) {
    const { runTerminal } = await import("./terminal/run.ts");
    process.exitCode = await runTerminal(front, own, process);
    return;
  }
  if (front === "run") {
    const { runApp } = await import("./terminal/programs/run-app.ts");
    process.exitCode = await runApp(own, process);
    return;
  }
  const version = packageVersion();
  let parsed;
  try {
    parsed = parseArgs({
      args: front === "" ? [] : [front, ...own],
      allowPositionals: true,
      options: {
        stdio: { type: "boolean" },
        version: { type: "boolean", short: "v" },
        help: { type: "boolean", short: "h" },
        clientProcessId: { type: "string" },
        settings: { type: "string" },
        only: { type: "string", default: "both" },
        root: { type: "string" },
        structured: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    fail(usageProblem(error as Error, args));
    return;
  }
  const [command, ...rest] = parsed.positionals;
  if (parsed.values.version === true || command === "version") process.stdout.write(`${version}\n`);
  else if (parsed.values.help === true) help(command);
  else if (parsed.values.stdio === true && command === undefined) {
    const { serveEditor } = await import("./fronts/stdio.ts");
    serveEditor(version);
  } else if (command === "mcp" && rest.length === 0) {
    const { serveTools } = await import("./fronts/mcp.ts");
    refused(await serveTools(version, parsed.values));
  } else if (command === "acp" && rest.length === 0) {
    const { serveAgent } = await import("./fronts/acp.ts");
    refused(await serveAgent(version, parsed.values.settings));
  } else if (command === "doctor" && rest.length === 0) {
    const { runDoctor } = await import("./terminal/doctor.ts");
    process.exitCode = await runDoctor(version);
  } else fail(noCommand(parsed.positionals));
}

function help(command: string | undefined): void {
  if (command !== undefined && !isKnown(command)) fail(noCommand([command]));
  else process.stdout.write(commandLines[command ?? ""]?.help ?? HELP);
}

function packageVersion(): string {
  const require = createRequire(import.meta.url);
  // dist/ and server/src/ lie at different depths.
  for (const candidate of ["../package.json", "../../package.json"]) {
    try {
      const { name, version } = require(candidate) as { name?: string; version?: string };
      if (name === "agentq" && version !== undefined) return version;
    } catch {
      // Not at this depth.
    }
  }
  return "0.0.0";
}

/** A front that serves ends the process itself, unless it says why it does not serve. */
function refused(why: string | undefined): void {
  if (why !== undefined) fail(why);
}

function fail(message: string): void {
  process.stderr.write(`agentq: ${message} See agentq --help.\n`);
  process.exitCode = 2;
}
