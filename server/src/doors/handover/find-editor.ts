/** Finds a server of the same person, whose editor shows the same folders, and hands calls over to that server. */
import { readdirSync, rmSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { createMessageConnection, StreamMessageWriter } from "vscode-jsonrpc/node";
import { untilAborted } from "../../base/abort.ts";
import { given } from "../../base/given.ts";
import { withToken } from "../../base/cancellation.ts";
import { FrameReader } from "../../handlers/frame-reader.ts";
import { problemsWith } from "../../schema/json-schema.ts";
import type { JsonSchema } from "../../protocol/shapes.ts";
import type { ToolResult } from "../../protocol/tool-shapes.ts";
import { runtimeFolder } from "../../process/runtime-folder.ts";
import type { Variables } from "../../base/variables.ts";
import {
  carriedOut,
  HAND_OVER,
  taker,
  TAKES,
  waiting,
  WAITS,
  type Handover,
  type Offer,
  type Taker,
  type Waiting,
} from "./handover.ts";
import { statsOf } from "../../workspace/file-names.ts";

/** An editor's server answers at once; one that does not is passed over. */
const OFFER_LIMIT_MS = 5_000;

export interface Editor {
  /** As the editor calls itself. */
  readonly name: string;
  /** Of its server, as long as that server runs. */
  readonly id: string;
  /**
   * `onWaits` hears whenever the call begins or ends to wait for the person. Rejects when the server ends before it has
   * answered, and once the signal aborts: then nobody knows what was done.
   */
  readonly call: (
    handover: Handover,
    signal: AbortSignal,
    onWaits: (waits: boolean) => void,
  ) => Promise<ToolResult | null>;
  readonly leave: () => void;
}

export interface Found {
  /** The server that was started last of those that have the folders open. */
  readonly editor?: Editor;
  /** Where none has: one that has a folder around them, or within. */
  readonly near?: Required<Taker>;
}

export async function findEditor(offered: Offer, variables: Variables): Promise<Found> {
  let near: Found["near"];
  for (const path of socketsIn(runtimeFolder(variables))) {
    const stream = await connected(path);
    const found = stream === undefined ? undefined : await editorAt(stream, path, offered);
    if (found !== undefined && "call" in found) return { editor: found };
    near ??= found;
    stream?.destroy();
  }
  return given({ near });
}

/** The latest first. */
function socketsIn(folder: string | undefined): string[] {
  if (folder === undefined) return [];
  const paths = readdirSync(folder).flatMap((name) => (/^\d+\.sock$/.test(name) ? [join(folder, name)] : []));
  const madeAt = (path: string): number => statsOf(path)?.mtimeMs ?? 0;
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

async function editorAt(stream: Socket, path: string, offered: Offer): Promise<Editor | Found["near"]> {
  const connection = createMessageConnection(
    new FrameReader(stream, () => stream.destroy()),
    new StreamMessageWriter(stream),
  );
  const { promise: gone, reject } = Promise.withResolvers<never>();
  gone.catch(() => undefined);
  stream.once("close", () => reject(new Error(ENDED)));
  let hear: (waits: boolean) => void = () => undefined;
  connection.onNotification(WAITS, async (params: unknown) => {
    if ((await problemsWith(waiting, params)).length === 0) hear((params as Waiting).waits);
  });
  connection.listen();
  const ask = async (method: string, params: object, schema: JsonSchema, signal: AbortSignal): Promise<unknown> => {
    const sent = withToken(signal, (token) => connection.sendRequest<unknown>(method, params, token));
    const answer: unknown = await Promise.race([sent, gone]);
    if ((await problemsWith(schema, answer)).length > 0) throw new Error("the editor's server made no sense.");
    return answer;
  };
  const late = AbortSignal.timeout(OFFER_LIMIT_MS);
  const took = await untilAborted(ask(TAKES, offered, taker, late), late).catch(() => null);
  if (took === null) return undefined;
  const { editor, instead } = took as Taker;
  if (instead !== undefined) return { editor, instead };
  return {
    name: editor,
    id: path,
    call: async (handover, signal, onWaits) => {
      hear = onWaits;
      return (await ask(HAND_OVER, handover, carriedOut, signal)) as ToolResult | null;
    },
    leave: () => {
      connection.dispose();
      stream.destroy();
    },
  };
}

const ENDED =
  "the editor's server ended before it answered, and nobody knows how far the call came; look at the files.";
