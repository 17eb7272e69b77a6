/**
 * Lets another server of the same person, on the same folders, have its edits reviewed in this server's editor: by a socket
 * file that nobody else can open. What comes in is a tool call that only proposes; it is held to all that holds for a model's.
 */
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createMessageConnection, StreamMessageWriter } from "vscode-jsonrpc/node";
import { withSignal } from "../../base/cancellation.ts";
import { FrameReader } from "../../handlers/frame-reader.ts";
import type { ClientPort, Services } from "../../services.ts";
import { InvalidParamsError } from "../../base/errors.ts";
import { problemsWith } from "../../schema/json-schema.ts";
import { existingRealPath } from "../../workspace/real-path.ts";
import { REVIEW, reviewRequest, type ReviewAnswer, type ReviewRequest } from "./review-request.ts";
import { runtimeFolder } from "../../process/runtime-folder.ts";

import type { Variables } from "../../base/variables.ts";

const MAX_CONNECTIONS = 16;

/** The services, which from `warmUp` to `dispose` can be asked for reviews where the editor shows proposals. */
export function withReviewSocket(services: Services, client: ClientPort, variables: Variables): Services {
  let server: Server | undefined;
  return {
    ...services,
    warmUp: async () => {
      if (client.announced().proposals) server ??= listen(services, client, variables);
      return services.warmUp();
    },
    dispose: async () => {
      server?.close();
      return services.dispose();
    },
  };
}

/** Undefined where there is no place for the socket. */
function listen(services: Services, client: ClientPort, variables: Variables): Server | undefined {
  const folder = runtimeFolder(variables);
  if (folder === undefined) return undefined;
  const path = join(folder, `${process.pid}.sock`);
  const remove = (): void => rmSync(path, { force: true });
  remove();
  const server = createServer((stream) => serve(stream, services));
  server.maxConnections = MAX_CONNECTIONS;
  server.on("error", ({ message }) => client.log("warning", `No other server can ask for reviews here: ${message}`));
  server.listen(path, () => chmodSync(path, 0o600));
  server.unref();
  process.once("exit", remove);
  return server;
}

function serve(stream: Socket, services: Services): void {
  const over = new AbortController();
  stream.unref().on("error", () => undefined);
  stream.once("close", () => over.abort());
  const reader = new FrameReader(stream, () => stream.destroy());
  const connection = createMessageConnection(reader, new StreamMessageWriter(stream));
  connection.onRequest(REVIEW, (params: unknown, token) =>
    withSignal(token, (signal) => review(services, params, AbortSignal.any([signal, over.signal]))),
  );
  connection.listen();
}

async function review(services: Services, params: unknown, signal: AbortSignal): Promise<ReviewAnswer> {
  const problems = await problemsWith(reviewRequest, params);
  if (problems.length > 0) throw new InvalidParamsError(problems);
  const { folders, call } = params as ReviewRequest;
  const own = services.paths.folders().map(existingRealPath);
  if (!folders.every((folder) => own.includes(folder))) return null;
  const { registry, executor } = await services.tools();
  const tool = registry.getTool(call.name);
  if (tool?.asksItself !== true || tool.unavailable() !== undefined) return null;
  return executor.execute(call, { caller: "model", signal });
}
