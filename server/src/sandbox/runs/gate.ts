/**
 * A program behind a wall begins only when the whole wall is known to be there. Each process of the set-up ends with
 * the one that started it, but only once it has asked the kernel for that: where one is killed before, the rest would
 * go on alone. So the program waits at a gate that the server opens, and that closes for good when the server or the
 * set-up ends.
 */
import type { ChildProcess } from "../../process/spawn.ts";

/** What the program says when it is at the gate: nobody prints that as the first thing. */
const HERE = 0;
const WAIT = `printf '\\000'; read -r go && exec "$@" </dev/null`;

/** The program, waiting at the gate, which is its standard input. */
export function gated(command: readonly string[]): string[] {
  return ["sh", "-c", WAIT, "sh", ...command];
}

/** Opens the gate of a child with pipes in the places of its first two streams. */
export class Gate {
  readonly #child: ChildProcess;
  readonly #onOpen: () => void;
  /** From then on what is written is the program's. */
  isOpen = false;

  /** @param onOpen called when the program may begin */
  constructor(child: ChildProcess, onOpen: () => void = () => undefined) {
    this.#child = child;
    this.#onOpen = onOpen;
    // Whoever should read it may be gone.
    child.stdin?.on("error", () => undefined);
    child.once("exit", () => child.stdin?.destroy());
  }

  /** What a chunk of the standard output holds of the program's own. */
  pass(chunk: Buffer): Buffer {
    if (this.isOpen || chunk[0] !== HERE) return chunk;
    this.isOpen = true;
    this.#child.stdin?.end("go\n");
    this.#onOpen();
    return chunk.subarray(1);
  }
}
