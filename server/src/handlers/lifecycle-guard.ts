/**
 * LSP's order of life: nothing is answered before `initialize`, everything is refused after `shutdown`. An `initialize`
 * that was answered with an error did not happen: the client may send another one.
 */
import {
  ErrorCodes,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageReader,
  type MessageWriter,
} from "vscode-jsonrpc/node";

type Phase = "new" | "initializing" | "running" | "shutDown";

interface Incoming extends Message {
  readonly id?: number | string | null;
  readonly method?: string;
}

interface Answer extends Message {
  readonly id?: number | string | null;
  readonly error?: unknown;
}

export interface GuardedLife {
  /** Lets only those messages through that the phase of the connection allows. */
  readonly reader: MessageReader;
  /** Tells the guard how `initialize` was answered. */
  readonly writer: MessageWriter;
  /** True once the client sent `shutdown`: leaving is no failure any more. */
  readonly isShutDown: () => boolean;
}

export function guardLifecycle(reader: MessageReader, writer: MessageWriter): GuardedLife {
  let phase: Phase = "new";
  let initializeId: number | string | null | undefined;
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
        initializeId = message.id;
        return true;
      }
      refuse(message, ErrorCodes.InvalidRequest, "initialize may be sent only once.");
      return false;
    }
    if (phase === "new") {
      refuse(message, ErrorCodes.ServerNotInitialized, `Send initialize before ${message.method}.`);
      return false;
    }
    if (phase === "shutDown") {
      refuse(
        message,
        ErrorCodes.InvalidRequest,
        `The server was shut down; ${message.method} is not possible any more.`,
      );
      return false;
    }
    phase = message.method === "shutdown" ? "shutDown" : "running";
    return true;
  };
  const answered = ({ id, error }: Answer): void => {
    if (id === undefined || id !== initializeId) return;
    initializeId = undefined;
    if (error !== undefined && phase !== "shutDown") phase = "new";
  };
  return {
    isShutDown: () => phase === "shutDown",
    reader: {
      onError: reader.onError,
      onClose: reader.onClose,
      onPartialMessage: reader.onPartialMessage,
      listen: (callback: DataCallback): Disposable =>
        reader.listen((message) => {
          if (passes(message)) callback(message);
        }),
      dispose: () => reader.dispose(),
    },
    writer: {
      onError: writer.onError,
      onClose: writer.onClose,
      write: (message) => {
        answered(message);
        return writer.write(message);
      },
      end: () => writer.end(),
      dispose: () => writer.dispose(),
    },
  };
}
