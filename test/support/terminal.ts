/** A program in a real pseudo terminal of 80 columns, which script(1) gives: keys go in, and what it shows comes out. */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { serverProgram, bareEnvironment } from "./server-client.ts";

const TIMEOUT_MS = 40_000;

/** Why there is no terminal for a test; "" where there is one. */
export function whyNoTerminal(): string {
  return spawnSync("script", ["-qfec", "true", "/dev/null"]).status === 0 ? "" : "script(1) of util-linux is missing";
}

export class Terminal {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exit: Promise<number | null>;
  readonly #woken = new Set<() => void>();
  #shown = "";
  /** What a test has seen already. */
  #seen = 0;

  constructor(
    args: readonly string[],
    options: { readonly cwd: string; readonly env: Record<string, string>; readonly program?: string },
  ) {
    const { PATH: searchPath, ...env } = options.env;
    const { program = serverProgram } = options;
    // Only the program itself has another search path.
    const search = searchPath === undefined ? "" : `PATH="${searchPath}" `;
    const command = `stty cols 80 rows 40; ${search}exec "${process.execPath}" "${program}" ${args.join(" ")}`;
    this.#child = spawn("script", ["-qfec", command, "/dev/null"], {
      cwd: options.cwd,
      env: bareEnvironment({ TERM: "xterm-256color", SHELL: "/bin/sh", ...env }),
    });
    this.#exit = once(this.#child, "close").then(([code]) => code as number | null);
    this.#child.stdin.on("error", () => undefined);
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#shown += text;
      for (const wake of this.#woken) wake();
    });
  }

  /** Everything that was shown, without colours. */
  get text(): string {
    return stripVTControlCharacters(this.#shown).replaceAll("\r", "");
  }

  /** Everything that was shown, as it came. */
  get raw(): string {
    return this.#shown;
  }

  send(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Waits for what comes next, after what was waited for before. */
  async until(pattern: RegExp): Promise<void> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const found = pattern.exec(this.text.slice(this.#seen));
      if (found !== null) {
        this.#seen += found.index + found[0].length;
        return;
      }
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`${String(pattern)} was not shown after:\n${this.text}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, left);
      this.#woken.add(resolve);
      await promise;
      clearTimeout(timer);
      this.#woken.delete(resolve);
    }
  }

  /** The exit code. */
  ended(): Promise<number | null> {
    return this.#exit;
  }

  async dispose(): Promise<void> {
    // The terminal goes away, which the program in it hears.
    this.#child.kill("SIGKILL");
    await this.#exit;
  }
}
