/** Plays a recording to an editor in place of a server. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import {
  createMessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import { readRecording, type Message } from "./recording.ts";
import { scenarioOf } from "./scenarios.ts";

const METHOD_NOT_FOUND = -32601;

export interface ReplayOptions {
  readonly recording: string;
  /** Where the socket is made. */
  readonly folder: string;
  readonly project: string;
  /** Texts: at the message that contains the next of them the replay stops until `goOn`. */
  readonly holdAt?: readonly string[];
}

export class Replay {
  /** Where it listens, for an editor that connects in place of starting a server. */
  readonly socket: string;
  readonly #listener: Server;
  readonly #messages: Message[];
  readonly #requested = new Map<string, Requests>();
  readonly #holds: { readonly text: string; readonly over: PromiseWithResolvers<void> }[];
  #gone = 0;
  #editor: Socket | undefined;

  private constructor(socket: string, listener: Server, messages: Message[], holdAt: readonly string[]) {
    this.socket = socket;
    this.#listener = listener;
    this.#messages = messages;
    this.#holds = holdAt.map((text) => ({ text, over: Promise.withResolvers<void>() }));
  }

  /** Brings the project to where the recording was made, and waits for an editor. */
  static async start(options: ReplayOptions): Promise<Replay> {
    const socket = join(options.folder, "replay");
    const { files = {} } = scenarioOf(options.recording);
    for (const [path, text] of Object.entries(files)) await writeFile(join(options.project, path), text);
    const messages = await readRecording(options.recording, options.project);
    const listener = createServer().listen(socket);
    await once(listener, "listening");
    const replay = new Replay(socket, listener, messages, options.holdAt ?? []);
    listener.once("connection", (connection) => void replay.#serve(connection));
    return replay;
  }

  /** Goes on from where the replay stops, or will stop next. */
  goOn(): void {
    const hold = this.#holds[this.#gone];
    if (hold === undefined) throw new Error("the replay stops nowhere any more");
    this.#gone += 1;
    hold.over.resolve();
  }

  dispose(): void {
    this.#listener.close();
    this.#editor?.destroy();
  }

  async #serve(socket: Socket): Promise<void> {
    this.#editor = socket;
    // The editor is ended from outside, in the middle of whatever it says.
    socket.on("error", () => socket.destroy());
    const connection = createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket));
    for (const message of this.#messages) if ("ask" in message) this.#expect(connection, message.ask);
    connection.onRequest("shutdown", () => null);
    connection.onRequest((method) => new ResponseError(METHOD_NOT_FOUND, `${method} is not in the recording`));
    connection.listen();
    const answers = new Map<string, Answer>();
    let stops = 0;
    for (const message of this.#messages) {
      const hold = this.#holds[stops];
      if (hold !== undefined && JSON.stringify(message).includes(hold.text)) {
        stops += 1;
        await hold.over.promise;
      }
      if (socket.destroyed) return;
      if ("ask" in message) answers.set(message.ask, await this.#requestedOf(message.ask).next());
      else if ("answer" in message) answers.get(message.answer)?.(message.result);
      else await connection.sendNotification(message.tell, message.params);
    }
  }

  /** The recording waits for a request, and answers it when it comes to its answer. */
  #expect(connection: MessageConnection, method: string): void {
    const requested = this.#requestedOf(method);
    connection.onRequest(method, () => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      requested.made(resolve);
      return promise;
    });
  }

  #requestedOf(method: string): Requests {
    const requests = this.#requested.get(method) ?? new Requests();
    this.#requested.set(method, requests);
    return requests;
  }
}

/** Requests of one method, in the order in which they are made; each is the function that answers it. */
class Requests {
  readonly #made: PromiseWithResolvers<Answer>[] = [];
  #count = 0;
  #taken = 0;

  made(answer: Answer): void {
    this.#at(this.#count++).resolve(answer);
  }

  next(): Promise<Answer> {
    return this.#at(this.#taken++).promise;
  }

  #at(index: number): PromiseWithResolvers<Answer> {
    return (this.#made[index] ??= Promise.withResolvers<Answer>());
  }
}

type Answer = (result: unknown) => void;
