/**
 * Lets another server of the same person, on the same folders, hand calls over to this server, which has an editor: by a
 * socket file that nobody else can open. What comes in is a call that proposes an edit or works in the REPL; it is held to
 * all that holds for a model's.
 */
import { chmodSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createMessageConnection, StreamMessageWriter } from "vscode-jsonrpc/node";
import { withSignal } from "../../base/cancellation.ts";
import { FrameReader } from "../../handlers/frame-reader.ts";
import type { ClientPort, Services } from "../../services.ts";
import { InvalidParamsError } from "../../base/errors.ts";
import type { JsonSchema } from "../../protocol/shapes.ts";
import type { ToolResult } from "../../protocol/tool-shapes.ts";
import { problemsWith } from "../../schema/json-schema.ts";
import { plainLine } from "../../workspace/plain-text.ts";
import { existingRealPath } from "../../workspace/real-path.ts";
import {
  HAND_OVER,
  handover,
  isForEditor,
  offer,
  runsCode,
  TAKES,
  WAITS,
  withNote,
  type Handover,
  type Offer,
  type Taker,
  type Waiting,
} from "./handover.ts";
import { isWithin } from "../../workspace/within.ts";
import { runtimeFolder } from "../../process/runtime-folder.ts";

import type { Variables } from "../../base/variables.ts";

const MAX_CONNECTIONS = 64;
const MOST_TOLD = 3;
const LONGEST_HOST = 40;
const CODE = /\.(?:[cm]?[jt]sx?|json)$/;
/** An editor that puts a question to the person answers nobody else. */
const RELOAD_LIMIT_MS = 3_000;

/** The services, to which calls can be handed over from `warmUp` to `dispose` where the editor shows proposals. */
export function withHandoverSocket(services: Services, client: ClientPort, variables: Variables): Services {
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
  const server = createServer((stream) => serve(stream, services, client));
  server.maxConnections = MAX_CONNECTIONS;
  server.on("error", ({ message }) =>
    client.log("warning", `No other server can hand calls over to this one: ${message}`),
  );
  server.listen(path, () => chmodSync(path, 0o600));
  server.unref();
  process.once("exit", remove);
  return server;
}

function serve(stream: Socket, services: Services, client: ClientPort): void {
  const over = new AbortController();
  stream.unref().on("error", () => undefined);
  stream.once("close", () => over.abort());
  const reader = new FrameReader(stream, () => stream.destroy());
  const connection = createMessageConnection(reader, new StreamMessageWriter(stream));
  const tell = (waits: boolean): void => {
    connection.sendNotification(WAITS, { waits } satisfies Waiting).catch(() => undefined);
  };
  connection.onRequest(TAKES, async (params: unknown): Promise<Taker | null> => {
    const { folders } = await checked<Offer>(offer, params);
    const editor = client.name();
    if (isHere(services, folders)) return { editor };
    const instead = nearIn(services, folders);
    return instead === undefined ? null : { editor, instead };
  });
  connection.onRequest(HAND_OVER, (params: unknown, token) =>
    withSignal(token, async (signal) => {
      const asked = await checked<Handover>(handover, params);
      if (!isHere(services, asked.folders)) return null;
      return carryOut({ services, client, tell }, asked, AbortSignal.any([signal, over.signal]));
    }),
  );
  connection.listen();
}

async function checked<Params>(schema: JsonSchema, params: unknown): Promise<Params> {
  const problems = await problemsWith(schema, params);
  if (problems.length > 0) throw new InvalidParamsError(problems);
  return params as Params;
}

function isHere({ paths }: Services, folders: readonly string[]): boolean {
  const own = paths.folders().map(existingRealPath);
  return folders.every((folder) => own.includes(folder));
}

/** A folder here in which one of these lies, or that lies in one of them. */
function nearIn({ paths }: Services, folders: readonly string[]): string | undefined {
  const own = paths.folders().flatMap((folder) => existingRealPath(folder) ?? []);
  return own.find((here) => folders.some((folder) => isWithin(folder, here) || isWithin(here, folder)));
}

interface Here {
  readonly services: Services;
  readonly client: ClientPort;
  readonly tell: (waits: boolean) => void;
}

async function carryOut(here: Here, { call, asData, host }: Handover, signal: AbortSignal): Promise<ToolResult | null> {
  const { services, client, tell } = here;
  const { registry, executor } = await services.tools();
  const tool = registry.getTool(call.name);
  if (tool === undefined || !isForEditor(tool)) return null;
  const unsaved = runsCode(tool) ? await unsavedTexts(services, client, signal) : undefined;
  const onWaiting = (): void => tell(true);
  const onApproved = (): void => tell(false);
  const execute = async (): Promise<ToolResult> =>
    executor.execute(call, {
      caller: "model",
      host: plainLine(host, LONGEST_HOST),
      signal,
      asData,
      onWaiting,
      onApproved,
    });
  const [result = null] = await executor.upToDate([{ call, result: await execute() }], execute);
  return result === null || unsaved === undefined ? result : withNote(result, unsaved);
}

/**
 * Whoever hands calls over edits files on the disk, and an editor may still show what they held before: it is asked to
 * read again what nobody has edited there. The rest is told, because that runs.
 */
async function unsavedTexts(
  { documents, paths }: Services,
  client: ClientPort,
  signal: AbortSignal,
): Promise<string | undefined> {
  // No name is told of what no tool may read, and a text that is no code does not run.
  const mayRun = (uri: string): boolean => CODE.test(uri) && uri.startsWith("file:") && paths.resolve(uri).ok;
  const unsaved = async (): Promise<string[]> => {
    const uris = documents.all().map(({ uri }) => uri);
    const found = uris.filter(mayRun).map(async (uri) => ((await documents.isUnsaved(uri)) ? [uri] : []));
    return (await Promise.all(found)).flat();
  };
  const behind = await unsaved();
  if (behind.length === 0) return undefined;
  if (client.announced().buffers) {
    const soon = AbortSignal.any([signal, AbortSignal.timeout(RELOAD_LIMIT_MS)]);
    await client.buffers.reload({ uris: behind }, soon).catch(() => undefined);
  }
  const left = (await unsaved()).map((uri) => paths.relative(fileURLToPath(uri)));
  if (left.length === 0) return undefined;
  const more = left.length > MOST_TOLD ? ` and ${left.length - MOST_TOLD} more` : "";
  return `${client.name()} has texts that are not on the disk, and those run: ${left.slice(0, MOST_TOLD).join(", ")}${more}.`;
}
