/**
 * A server in the process of the tests, as whole as one in a process of its own: a start of Node, of our modules and of the
 * compiler costs more than what most tests ask. What was built is read as Node reads it: the test runner would read, and
 * rewrite, each module of the server again.
 */
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { PassThrough, Writable, type Readable } from "node:stream";
import { StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type { ClientPort, Services } from "../../server/src/services.ts";
import type { ServerSetup } from "../../server/src/handlers/stdio-server.ts";

type Stdio = typeof import("../../server/src/fronts/stdio.ts");

export type Compose = (client: ClientPort, setup: ServerSetup) => Services;
export type Variables = Readonly<Record<string, string>>;

const built = createRequire(import.meta.url);
const parts = (): Stdio => built("../../dist/stdio.js") as Stdio;
export const { version } = built("../../package.json") as { version: string };

/** The streams of a server that has these variables; the server ends by the request `shutdown`, and never its process. */
export function serveHere(variables: Variables): { stdin: PassThrough; stdout: PassThrough } {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  serveOver(stdin, stdout, composedWith(variables));
  return { stdin, stdout };
}

/** Serves the client that connected, until it hangs up. */
export function serveSocket(socket: Socket, compose: Compose): void {
  serveOver(messagesOf(socket), answersTo(socket), compose);
}

/** All that `agentq --stdio` composes. */
export function composedWith(variables: Variables): Compose {
  const { withHandoverSocket } = parts();
  return (client, setup) => withHandoverSocket(composeHere(variables, client, setup), client, variables);
}

function serveOver(input: Readable, output: Writable, compose: Compose): void {
  const { createStreamConnection, startServer } = parts();
  startServer({ connection: createStreamConnection(input, output), version, compose });
}

/** What many tests never ask for is not started before somebody asks. */
export function composeHere(variables: Variables, client: ClientPort, setup: ServerSetup): Services {
  const { composeServices } = parts();
  const services = composeServices({ version, variables }, client, setup);
  const hasMcp = Object.keys(setup.settings.mcpServers ?? {}).length > 0;
  return hasMcp ? services : { ...services, warmUp: async (): Promise<void> => void services.keptReviews() };
}

/**
 * The editor's messages without what would end the process: `exit`, the watch over the process of the client, and the end of
 * the input.
 */
function messagesOf(socket: Socket): Readable {
  const messages = new PassThrough();
  const writer = new StreamMessageWriter(messages);
  new StreamMessageReader(socket).listen((message) => {
    const { method, params } = message as { method?: string; params?: object };
    if (method === "exit") {
      socket.end();
      return;
    }
    const told = method === "initialize" ? { ...message, params: { ...params, processId: null } } : message;
    void writer.write(told);
  });
  return messages;
}

/** What is written after the editor hung up goes nowhere. */
function answersTo(socket: Socket): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (socket.writable) socket.write(chunk, () => done());
      else done();
    },
  });
}
