/** `agentq --stdio`: the server that editors start. */
import { composeServices } from "../composition/compose.ts";
import { withHandoverSocket } from "../doors/handover/handover-socket.ts";
import { createStreamConnection } from "../handlers/connection.ts";
import { startServer } from "../handlers/stdio-server.ts";
import { keepServing } from "./keep-serving.ts";

/** A server within another process is made of these. */
export { composeServices, createStreamConnection, startServer, withHandoverSocket };

export function serveEditor(version: string): void {
  const connection = createStreamConnection(process.stdin, process.stdout);
  keepServing();
  startServer({
    connection,
    version,
    compose: (client, setup) => {
      const services = composeServices({ version, variables: process.env }, client, setup);
      return withHandoverSocket(services, client, process.env);
    },
  });
}
