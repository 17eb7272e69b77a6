/**
 * A door of the server, `agentq acp` or `agentq mcp`: a program of its own where a test is about its process, its arguments or
 * its death; else in the test's process, as the servers of `served-here.ts`.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { given } from "../../server/src/base/given.ts";
import { composeHere, composedWith, serveSocket, version, type Variables } from "./served-here.ts";
import { bareEnvironment, serverProgram } from "./server-client.ts";
import type { Ground } from "./session-stage.ts";

type Profile = import("../../server/src/doors/mcp/told-tools.ts").Profile;
type Acp = typeof import("../../server/src/fronts/acp.ts");
type Mcp = typeof import("../../server/src/fronts/mcp.ts");

export interface DoorOptions {
  readonly settings?: object;
  /** Of the tools for an MCP client; all of them by default, because most tests are about a tool. */
  readonly only?: Profile;
  readonly root?: string;
  /** Answers as data too. */
  readonly isStructured?: boolean;
  /** By default the folder of the project. */
  readonly cwd?: string;
  readonly isProgram?: boolean;
  /** By default that of the checkout. */
  readonly program?: string;
}

interface Opened {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles with the exit code; a door in the test's process has none. */
  readonly ended: Promise<number | null>;
  readonly child?: ChildProcess;
}

const built = createRequire(import.meta.url);
const bridge = fileURLToPath(new URL("agentq-here.mjs", import.meta.url));

export class Door {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess | undefined;
  stderr = "";

  constructor(kind: "acp" | "mcp", stage: Ground, options: DoorOptions = {}) {
    const env = bareEnvironment(stage.environment());
    const { settings = {}, cwd = stage.folder } = options;
    const report = (message: string): void => void (this.stderr += `agentq: ${message}\n`);
    const open = (): Opened => {
      const profile = options.only ?? "all";
      const only = kind === "mcp" ? ["--only", profile] : [];
      if (options.isProgram === true)
        return this.#start([kind, ...only, ...settingsOf(stage, options)], { env, cwd }, options);
      return kind === "mcp"
        ? mcpHere({
            env,
            settings,
            cwd,
            report,
            profile,
            isStructured: options.isStructured ?? false,
            root: options.root,
          })
        : acpHere({ env, settings, report });
    };
    ({ stdin: this.stdin, stdout: this.stdout, ended: this.ended, child: this.#child } = open());
    this.stdin.on("error", () => undefined);
  }

  /** Of a door that is a program. */
  get child(): ChildProcess {
    if (this.#child === undefined) throw new Error("This door has no process: `isProgram` gives it one.");
    return this.#child;
  }

  /** As a client that goes. */
  async close(): Promise<void> {
    this.stdin.end();
    await this.ended;
  }

  /** As a crash; a door in the test's process only loses its client. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.close();
  }

  #start(
    args: readonly string[],
    place: { env: Variables; cwd: string },
    { program = serverProgram }: DoorOptions,
  ): Opened {
    const child = spawn(process.execPath, [program, ...args], place);
    child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    const ended = once(child, "exit").then(([code]) => code as number | null);
    return { stdin: child.stdin, stdout: child.stdout, ended, child };
  }
}

/** The arguments for these settings, whose file has a comment as people write them. */
function settingsOf(stage: Ground, { settings }: DoorOptions): string[] {
  return settings === undefined ? [] : ["--settings", writeSettings(stage, settings)];
}

export function writeSettings(stage: Ground, settings: object): string {
  const file = path.join(path.dirname(stage.folder), "settings.json");
  writeFileSync(file, `// As an editor's initializationOptions.\n${JSON.stringify(settings)}`);
  return file;
}

interface Here {
  readonly env: Variables;
  readonly settings: object;
  readonly report: (message: string) => void;
}

interface McpHere extends Here {
  readonly cwd: string;
  readonly profile: Profile;
  readonly isStructured: boolean;
  readonly root: string | undefined;
}

function mcpHere({ root, isStructured, env, settings, cwd, report, profile }: McpHere): Opened {
  const { findEditor, serveMcp } = built("../../dist/mcp.js") as Mcp;
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const ended = serveMcp({
    input: stdin,
    output: stdout,
    cwd,
    ...given({ root }),
    version,
    settings,
    profile,
    isStructured,
    report,
    findEditor: (offered) => findEditor(offered, env),
    compose: (client, setup) => composeHere(env, client, setup),
  });
  return { stdin, stdout, ended: ended.then(() => null) };
}

/** The servers that it starts are in the test's process too, at the end of a line. */
function acpHere({ env, settings, report }: Here): Opened {
  const { serveAcp } = built("../../dist/acp.js") as Acp;
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const folder = mkdtempSync(path.join(tmpdir(), "agentq-door-"));
  const socket = path.join(folder, "server");
  const listener = createServer((line) => serveSocket(line, composedWith(env))).listen(socket);
  const serve = async (): Promise<null> => {
    const environment = { ...env, AGENTQ_TEST_SERVER: socket };
    const command = [process.execPath, bridge, "--stdio"];
    await serveAcp({ input: stdin, output: stdout, version, settings, command, environment, report });
    listener.close();
    rmSync(folder, { recursive: true });
    return null;
  };
  return { stdin, stdout, ended: serve() };
}
