/**
 * A server in the process of the tests, as whole as one in a process of its own: a start of Node and of our modules costs more
 * than what most tests ask. What was built is read as Node reads it: the test runner would read, and rewrite, each module of
 * the server again.
 */
import { createRequire } from "node:module";
import { PassThrough } from "node:stream";

type Compose = typeof import("../../server/src/compose.ts");
type Connection = typeof import("../../server/src/handlers/connection.ts");
type Stdio = typeof import("../../server/src/handlers/stdio-server.ts");
type ReviewSocket = typeof import("../../server/src/doors/review/review-socket.ts");

const built = createRequire(import.meta.url);

/** The streams of a server that has these variables; it ends by the request `shutdown`, and never its process. */
export function serveHere(variables: Readonly<Record<string, string>>): { stdin: PassThrough; stdout: PassThrough } {
  const { createStreamConnection } = built("../../dist/connection.js") as Connection;
  const { startServer } = built("../../dist/stdio-server.js") as Stdio;
  const { withReviewSocket } = built("../../dist/review-socket.js") as ReviewSocket;
  const { composeServices } = built("../../dist/compose.js") as Compose;
  const { version } = built("../../package.json") as { version: string };
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  startServer({
    connection: createStreamConnection(stdin, stdout),
    version,
    compose: (client, setup) =>
      withReviewSocket(composeServices({ version, variables }, client, setup), client, variables),
  });
  return { stdin, stdout };
}
