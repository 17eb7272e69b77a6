/** The one importer of vscode-languageserver: a connection over two streams, by the book of LSP. */
import type { Readable, Writable } from "node:stream";
import { StreamMessageWriter } from "vscode-jsonrpc/node";
import {
  createConnection,
  DidChangeWatchedFilesNotification,
  ErrorCodes,
  LSPErrorCodes,
  MessageType,
  ResponseError,
  TextDocumentSyncKind,
  type CancellationToken,
  type Connection,
  type InitializeParams,
  type InitializeResult,
} from "vscode-languageserver/node";
import { joinedWrites } from "../process/joined-writes.ts";
import { rawJsonEncoder } from "../base/raw-json.ts";
import { FrameReader } from "./frame-reader.ts";
import { guardLifecycle } from "./lifecycle-guard.ts";

export {
  DidChangeWatchedFilesNotification,
  ErrorCodes,
  LSPErrorCodes,
  MessageType,
  ResponseError,
  TextDocumentSyncKind,
};
export type { CancellationToken, Connection, InitializeParams, InitializeResult };

/** The connection ends the process itself: on `exit` (0 after shutdown, else 1), on end of input, or when the client dies. */
export function createStreamConnection(input: Readable, output: Writable): Connection {
  const writer = new StreamMessageWriter(joinedWrites(output), { contentTypeEncoder: rawJsonEncoder });
  const reader = new FrameReader(input, (reason) => {
    const message = `Malformed message: ${reason}. It was skipped.`;
    const response = { jsonrpc: "2.0", id: null, error: { code: ErrorCodes.ParseError, message } };
    void writer.write(response);
  });
  const guarded = guardLifecycle(reader, writer);
  reader.onClose(() => process.exit(guarded.isShutDown() ? 0 : 1));
  return createConnection(guarded.reader, guarded.writer);
}
