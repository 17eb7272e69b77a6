/**
 * `agentq` for a terminal with its server in the test's process, where a start of the server's own program costs as much as all
 * that a test asks. For tests that are not about the process, its start or its death.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import type { Host } from "../../server/src/terminal/stage.ts";
import type { Run, RunOptions } from "./run-agentq.ts";
import { bareEnvironment } from "./server-client.ts";
import { ServersHere } from "./server-here.ts";

type Terminal = typeof import("../../server/src/terminal/run.ts");

const built = createRequire(import.meta.url);

export class AgentqHere {
  /** Stands in for `bin/agentq.js`, in an environment that `environment` has answered. */
  readonly program: string = fileURLToPath(new URL("agentq-here.mjs", import.meta.url));
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), "agentq-here-")));
  readonly #servers = new ServersHere(this.#folder);

  /** The same variables for the terminal as for the servers from now on. */
  environment(env: Readonly<Record<string, string>>): Record<string, string> {
    this.#servers.useVariables(bareEnvironment(env));
    return bareEnvironment({ ...env, AGENTQ_TEST_SERVER: this.#servers.socket });
  }

  /** As `runAgentq`, and the terminal is in the test's process too. */
  async run([command = "", ...args]: readonly string[], options: RunOptions): Promise<Run> {
    const { runTerminal } = built("../../dist/run.js") as Terminal;
    const [stdin, stdout, stderr] = [Readable.from([options.input ?? ""]), new PassThrough(), new PassThrough()];
    const [env, argv] = [this.environment(options.env ?? {}), [process.execPath, this.program]];
    const exit = (code: unknown): never => {
      throw new Error(`agentq would have ended its process with ${String(code)}`);
    };
    const { execPath } = process;
    const host = { stdin, stdout, stderr, env, argv, execPath, exit, cwd: () => options.cwd, on: () => undefined };
    const shown = Promise.all([text(stdout), text(stderr)]);
    const code = await runTerminal(command, args, host as unknown as Host);
    stdout.end();
    stderr.end();
    const [out, errors] = await shown;
    return { code, stdout: out, stderr: errors };
  }

  async dispose(): Promise<void> {
    await this.#servers.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Registers its own hooks for the file. */
export function shareAgentqHere(): () => AgentqHere {
  let here: AgentqHere;
  beforeAll(() => {
    here = new AgentqHere();
  });
  afterAll(() => here.dispose());
  return () => here;
}
