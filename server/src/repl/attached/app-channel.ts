/** The channel to the control thread of a running program. To end the channel leaves the program alone. */
import { randomBytes } from "node:crypto";
import { createConnection, type Socket } from "node:net";
import { createFrameReader, encodeFrame } from "../child/wire/frames.ts";
import type { AppFacts } from "../child/wire/app-frames.ts";
import type { FromImage, ToImage } from "../child/wire/wire.ts";
import type { ImageChannel, ImageListener } from "../process/image-channel.ts";

const START_MS = 10_000;

export class AppChannel implements ImageChannel {
  readonly pid: number;
  readonly ready: Promise<{ readonly refused?: string }>;
  readonly gone: Promise<string>;
  readonly #socket: Socket;
  readonly #token = randomBytes(16).toString("hex");
  readonly #ready = Promise.withResolvers<{ readonly refused?: string }>();
  #listener: ImageListener | undefined;
  readonly #unheard: FromImage[] = [];
  #isLeft = false;

  private constructor(socket: Socket, { name, pid }: AppFacts, howEnded: () => string) {
    this.pid = pid;
    this.#socket = socket;
    this.ready = this.#ready.promise;
    this.gone = new Promise((resolve) => {
      socket.once("close", () => resolve(this.#isLeft ? `${name} was left` : `${name} (process ${pid}) ${howEnded()}`));
    });
    const patience = setTimeout(() => this.#ready.resolve({ refused: "its main thread does not answer" }), START_MS);
    void this.ready.then(() => clearTimeout(patience));
    void this.gone.then((reason) => this.#ready.resolve({ refused: reason }));
    socket.on(
      "data",
      createFrameReader(
        (frame) => this.#take(frame as FromImage & { token?: unknown }),
        () => this.kill(),
      ),
    );
    this.send({ t: "hello", token: this.#token });
  }

  /** A sentence where nobody listens. `howEnded` tells the end of the program: "has ended". */
  static async to(path: string, facts: AppFacts, howEnded: () => string): Promise<AppChannel | string> {
    const { promise, resolve } = Promise.withResolvers<AppChannel | string>();
    const socket = createConnection(path, () => resolve(new AppChannel(socket, facts, howEnded)));
    socket
      .unref()
      .on("error", ({ message }) => resolve(`${facts.name} (process ${facts.pid}) does not answer: ${message}.`));
    return promise;
  }

  send(frame: ToImage): void {
    if (this.#socket.writable) this.#socket.write(encodeFrame(frame));
  }

  listen(to: ImageListener): void {
    this.#listener = to;
    for (const frame of this.#unheard.splice(0)) to.onFrame(frame);
  }

  kill(): void {
    this.#isLeft = true;
    this.#socket.destroy();
  }

  #take(frame: FromImage & { token?: unknown }): void {
    if (frame.token !== this.#token) return;
    if (frame.t === "ready") this.#ready.resolve({});
    else if (frame.t === "refused") this.#ready.resolve({ refused: frame.reason });
    else if (this.#listener === undefined) this.#unheard.push(frame);
    else this.#listener.onFrame(frame);
  }
}
