/**
 * A server in the process of the tests, as whole as one in a process of its own: a start of Node, of our modules and of the
 * compiler costs more than what most tests ask. What was built is read as Node reads it: the test runner would read, and
 * rewrite, each module of the server again.
 */
import { createRequire } from "node:module";
import { PassThrough, type Readable, type Writable } from "node:stream";
import type { ClientPort, Services } from "../../server/src/handlers/services.ts";
import type { ServerSetup } from "../../server/src/handlers/stdio-server.ts";

type Compose = typeof import("../../server/src/compose.ts");
type Connection = typeof import("../../server/src/handlers/connection.ts");
type Stdio = typeof import("../../server/src/handlers/stdio-server.ts");
type ReviewSocket = typeof import("../../server/src/doors/review/review-socket.ts");

export type Variables = Readonly<Record<string, string>>;

const built = createRequire(import.meta.url);
const { version } = built("../../package.json") as { version: string };

/** The streams of a server that has these variables; the server ends by the request `shutdown`, and never its process. */
export function serveHere(variables: Variables): { stdin: PassThrough; stdout: PassThrough } {
  const { withReviewSocket } = built("../../dist/review-socket.js") as ReviewSocket;
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  serveOver(stdin, stdout, (client, setup) =>
    withReviewSocket(composeHere(variables, client, setup), client, variables),
  );
  return { stdin, stdout };
}

export function serveOver(
  input: Readable,
  output: Writable,
  compose: (client: ClientPort, setup: ServerSetup) => Services,
): void {
  const { createStreamConnection } = built("../../dist/connection.js") as Connection;
  const { startServer } = built("../../dist/stdio-server.js") as Stdio;
  startServer({ connection: createStreamConnection(input, output), version, compose });
}

/** What many tests never ask for is not started before somebody asks. */
export function composeHere(variables: Variables, client: ClientPort, setup: ServerSetup): Services {
  const { composeServices } = built("../../dist/compose.js") as Compose;
  const services = composeServices({ version, variables }, client, setup);
  const hasMcp = Object.keys(setup.settings.mcpServers ?? {}).length > 0;
  return hasMcp ? services : { ...services, warmUp: async (): Promise<void> => void services.keptReviews() };
}
