/** Questions to the person at the terminal. */
import { createInterface } from "node:readline/promises";

/** The person pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** The answer without the spaces around it, or undefined after Ctrl-D. Ctrl-C throws `Interrupted`. */
export async function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const done = new AbortController();
  let interrupted = false;
  lines.once("SIGINT", () => {
    interrupted = true;
    done.abort();
  });
  lines.once("close", () => done.abort());
  try {
    return (await lines.question(question, { signal: done.signal })).trim();
  } catch {
    process.stdout.write("\n");
    if (interrupted) throw new Interrupted("interrupted");
    return undefined;
  } finally {
    lines.close();
  }
}
