/** Asks a server of the same person, whose editor shows the same folders, to have an edit reviewed there. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { createMessageConnection, StreamMessageWriter } from "vscode-jsonrpc/node";
import { withToken } from "../../base/cancellation.ts";
import { FrameReader } from "../../handlers/frame-reader.ts";
import { problemsWith } from "../../schema/json-schema.ts";
import type { ToolResult } from "../../protocol/tool-shapes.ts";
import { REVIEW, reviewAnswer, type ReviewAnswer, type ReviewRequest } from "./review-request.ts";
import { runtimeFolder } from "../../process/runtime-folder.ts";
import type { Variables } from "../../base/variables.ts";

/**
 * The answer of the server that was started last of those that take the request, undefined where none does. Rejects when
 * that server ends before it has answered, and once the signal aborts: then nobody knows what was decided.
 */
export async function askEditor(
  request: ReviewRequest,
  variables: Variables,
  signal: AbortSignal,
): Promise<ToolResult | undefined> {
  for (const path of socketsIn(runtimeFolder(variables))) {
    const stream = await connected(path);
    if (stream === undefined) continue;
    try {
      const answer = await ask(stream, request, signal);
      if (answer !== null) return answer;
    } finally {
      stream.destroy();
    }
  }
  return undefined;
}

/** The latest first. */
function socketsIn(folder: string | undefined): string[] {
  if (folder === undefined) return [];
  const paths = readdirSync(folder).flatMap((name) => (/^\d+\.sock$/.test(name) ? [join(folder, name)] : []));
  const madeAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return paths.toSorted((a, b) => madeAt(b) - madeAt(a));
}

/** Undefined where nobody listens any more; what a killed server left is taken away. */
async function connected(path: string): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
  const stream = createConnection(path, () => resolve(stream));
  stream.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "ECONNREFUSED") rmSync(path, { force: true });
    resolve(undefined);
  });
  return promise;
}

async function ask(stream: Socket, request: ReviewRequest, signal: AbortSignal): Promise<ReviewAnswer> {
  const connection = createMessageConnection(
    new FrameReader(stream, () => stream.destroy()),
    new StreamMessageWriter(stream),
  );
  const { promise: gone, reject } = Promise.withResolvers<never>();
  stream.once("close", () => reject(new Error("the editor's server ended before it answered; look at the files.")));
  connection.listen();
  try {
    const answer: unknown = await Promise.race([
      withToken(signal, (token) => connection.sendRequest<unknown>(REVIEW, request, token)),
      gone,
    ]);
    if ((await problemsWith(reviewAnswer, answer)).length > 0) throw new Error("the editor's server made no sense.");
    return answer as ReviewAnswer;
  } finally {
    connection.dispose();
  }
}
