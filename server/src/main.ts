/** argv → which front: the stdio server, the MCP and ACP servers, the terminal, the doctor, help. Nothing else. */
import { createRequire, flushCompileCache } from "node:module";
import { constants } from "node:os";
import { parseArgs } from "node:util";
import { commandLines, helpOfCommands, isKnown, noCommand, usageProblem } from "./terminal/command-line.ts";
import { stackOf } from "./base/errors.ts";
import { given } from "./base/given.ts";

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
/** As shells do: the exit code of a process that a signal ended. */
const FAILED_BY_SIGNAL = 128;
const COMPILE_CACHE_DELAY_MS = 5_000;

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
  else if (parsed.values.stdio === true && command === undefined) await serve(version);
  else if (command === "mcp" && rest.length === 0) await serveTools(version, parsed.values);
  else if (command === "acp" && rest.length === 0) await serveAgent(version, parsed.values.settings);
  else if (command === "doctor" && rest.length === 0) {
    const { runDoctor } = await import("./terminal/doctor.ts");
    process.exitCode = await runDoctor(version);
  } else fail(noCommand(parsed.positionals));
}

function help(command: string | undefined): void {
  if (command !== undefined && !isKnown(command)) fail(noCommand([command]));
  else process.stdout.write(commandLines[command ?? ""]?.help ?? HELP);
}

async function serve(version: string): Promise<void> {
  const [{ createStreamConnection }, { startServer }, { withHandoverSocket }, { composeServices }] = await Promise.all([
    import("./handlers/connection.ts"),
    import("./handlers/stdio-server.ts"),
    import("./doors/handover/handover-socket.ts"),
    import("./composition/compose.ts"),
  ]);
  const connection = createStreamConnection(process.stdin, process.stdout);
  keepServing();
  startServer({
    connection,
    version,
    compose: (client, setup) => {
      const services = composeServices({ version, variables: process.env }, client, setup);
      return withHandoverSocket(services, client, process.env);
    },
  });
}

interface McpArguments {
  readonly settings?: string;
  readonly only: string;
  readonly root?: string;
  readonly structured: boolean;
}

async function serveTools(version: string, args: McpArguments): Promise<void> {
  const { settings: settingsFile, only, root, structured } = args;
  const [{ readSettingsFile }, { serveMcp }, { isProfile }, { folderGiven }, { findEditor }, { composeServices }] =
    await Promise.all([
      import("./doors/settings-file.ts"),
      import("./doors/mcp/serve-mcp.ts"),
      import("./doors/mcp/told-tools.ts"),
      import("./doors/mcp/folder.ts"),
      import("./doors/handover/find-editor.ts"),
      import("./composition/compose.ts"),
    ]);
  const settings = settingsFile === undefined ? {} : await readSettingsFile(settingsFile);
  if (typeof settings === "string") {
    fail(settings);
    return;
  }
  if (!isProfile(only)) {
    fail(`--only takes repl, compiler, both or all: "${only}".`);
    return;
  }
  const folder = root === undefined ? undefined : folderGiven(root);
  if (folder?.why !== undefined) {
    fail(folder.why);
    return;
  }
  keepServing();
  await serveMcp({
    input: process.stdin,
    output: process.stdout,
    cwd: process.cwd(),
    ...given({ root: folder?.path }),
    version,
    settings,
    profile: only,
    isStructured: structured,
    findEditor: (offered) => findEditor(offered, process.env),
    report: (message) => process.stderr.write(`agentq: ${message}\n`),
    compose: (client, setup) => composeServices({ version, variables: process.env }, client, setup),
  });
  process.exit(0);
}

async function serveAgent(version: string, settingsFile: string | undefined): Promise<void> {
  const [{ readSettingsFile }, { serveAcp }] = await Promise.all([
    import("./doors/settings-file.ts"),
    import("./doors/acp/serve-acp.ts"),
  ]);
  const settings = settingsFile === undefined ? {} : await readSettingsFile(settingsFile);
  if (typeof settings === "string") {
    fail(settings);
    return;
  }
  keepServing();
  await serveAcp({
    input: process.stdin,
    output: process.stdout,
    version,
    settings,
    command: [process.execPath, process.argv[1] ?? "", "--stdio"],
    environment: process.env,
    report: (message) => process.stderr.write(`agentq: ${message}\n`),
  });
  process.exit(0);
}

/** What a server's process needs that outlives mistakes, and is often ended by a signal. */
function keepServing(): void {
  // A Node parent's SIGUSR1 would open its inspector; the REPL's programs can send signals.
  process.on("SIGUSR1", () => undefined);
  // Node ends at once on these, and what is to be done at the end (children, folders of the REPL) would be left undone.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => process.exit(FAILED_BY_SIGNAL + constants.signals[signal]));
  }
  const report = (error: unknown): void => {
    process.stderr.write(`agentq: ${stackOf(error)}\n`);
  };
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
  // Editors often kill a server: what was compiled is kept for the next start without waiting for a clean exit.
  setTimeout(() => flushCompileCache(), COMPILE_CACHE_DELAY_MS).unref();
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

function fail(message: string): void {
  process.stderr.write(`agentq: ${message} See agentq --help.\n`);
  process.exitCode = 2;
}
