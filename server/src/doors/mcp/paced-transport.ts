/** The SDK's transport over two streams, which reads no further while the client does not read, and tells of its end. */
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

export class PacedTransport extends StdioServerTransport {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #onEnd: () => void;

  constructor(input: Readable, output: Writable, onEnd: () => void) {
    super(input, output);
    [this.#input, this.#output, this.#onEnd] = [input, output, onEnd];
  }

  override async send(message: Parameters<StdioServerTransport["send"]>[0]): Promise<void> {
    const sent = super.send(message);
    if (this.#output.writableNeedDrain && !this.#input.isPaused()) {
      this.#input.pause();
      this.#output.once("drain", () => this.#input.resume());
    }
    return sent;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onEnd();
  }
}
