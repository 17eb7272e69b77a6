/** LSP's order of life: nothing is answered before `initialize`, everything is refused after `shutdown`. */
import type { DataCallback, Disposable, Message, MessageReader, MessageWriter } from "vscode-jsonrpc/node";

type Phase = "new" | "initializing" | "running" | "shutDown";

interface Incoming extends Message {
  readonly id?: number | string | null;
  readonly method?: string;
}

const SERVER_NOT_INITIALIZED = -32002;
const INVALID_REQUEST = -32600;

export interface GuardedReader extends MessageReader {
  /** True once the client sent `shutdown`: leaving is no failure any more. */
  readonly isShutDown: () => boolean;
}

/** A reader that lets only those messages through that the phase of the connection allows. */
export function guardLifecycle(reader: MessageReader, writer: MessageWriter): GuardedReader {
  let phase: Phase = "new";
  const refuse = (message: Incoming, code: number, text: string): void => {
    if (message.id === undefined) return;
    const response = { jsonrpc: "2.0", id: message.id, error: { code, message: text } };
    void writer.write(response);
  };
  const passes = (message: Incoming): boolean => {
    if (message.method === undefined || message.method === "exit") return true;
    if (message.method === "initialize") {
      if (phase === "new") {
        phase = "initializing";
        return true;
      }
      refuse(message, INVALID_REQUEST, "initialize may be sent only once.");
      return false;
    }
    if (phase === "new") {
      refuse(message, SERVER_NOT_INITIALIZED, `Send initialize before ${message.method}.`);
      return false;
    }
    if (phase === "shutDown") {
      refuse(message, INVALID_REQUEST, `The server was shut down; ${message.method} is not possible any more.`);
      return false;
    }
    phase = message.method === "shutdown" ? "shutDown" : "running";
    return true;
  };
  return {
    isShutDown: () => phase === "shutDown",
    onError: reader.onError,
    onClose: reader.onClose,
    onPartialMessage: reader.onPartialMessage,
    listen: (callback: DataCallback): Disposable =>
      reader.listen((message) => {
        if (passes(message)) callback(message);
      }),
    dispose: () => reader.dispose(),
  };
}
