/** Node's own REPL over a pipe: the prompt tells that an answer is complete. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

const PROMPT = "> ";
const ANSWER_LIMIT_MS = 20_000;

export class NodeRepl {
  readonly startedAt: number = performance.now();
  readonly #child: ChildProcessWithoutNullStreams;
  #output = "";
  #wake: () => void = () => undefined;

  constructor(cwd: string) {
    this.#child = spawn(process.execPath, ["-i"], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", NODE_REPL_HISTORY: "", TERM: "dumb" },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
      this.#wake();
    });
    this.#child.stdin.on("error", () => undefined);
    this.#child.once("exit", () => this.#wake());
  }

  sinceSpawn(): number {
    return performance.now() - this.startedAt;
  }

  async ready(): Promise<void> {
    await this.#nextPrompt();
  }

  /** What was printed for the line, without the prompt. */
  async evaluate(line: string): Promise<string> {
    this.send(line);
    return this.#nextPrompt();
  }

  /** Writes the line that many times at once; what was printed until the last prompt. */
  async evaluateAtOnce(line: string, times: number): Promise<string> {
    this.#child.stdin.write(`${line}\n`.repeat(times));
    let printed = "";
    for (let prompts = 0; prompts < times; prompts = printed.split(PROMPT).length - 1) {
      printed += (await this.#nextPrompt()) + PROMPT;
    }
    return printed;
  }

  send(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Stops the running line with Ctrl-C's signal; resolves when the prompt is back. */
  async interrupt(): Promise<string> {
    this.#child.kill("SIGINT");
    return this.#nextPrompt();
  }

  async close(): Promise<void> {
    const exited = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await exited;
  }

  async #nextPrompt(): Promise<string> {
    const deadline = performance.now() + ANSWER_LIMIT_MS;
    while (!this.#output.endsWith(PROMPT)) {
      const left = deadline - performance.now();
      if (left <= 0 || this.#child.exitCode !== null) throw new Error(`node -i gave no prompt back: ${this.#output}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, left);
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
    }
    const answer = this.#output.slice(0, -PROMPT.length);
    this.#output = "";
    return answer;
  }
}
