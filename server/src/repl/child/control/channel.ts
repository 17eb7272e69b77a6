/** The control worker's channel to the server: a descriptor that the server has passed on, or a socket that it comes to. */
import { createServer, Socket } from "node:net";
import { chmodSync } from "node:fs";

export interface Channel {
  readonly write: (bytes: Buffer) => void;
  readonly onData: (read: (bytes: Buffer) => void) => void;
}

const PATIENCE_MS = 20_000;

/** `input` is the descriptor to read from: 3, or another one when 3 can only be written to. `over`: the server is gone. */
export function descriptorChannel(input: number, over: () => void): Channel {
  const socket = new Socket({ fd: 3, readable: input === 3, writable: true });
  const source = input === 3 ? socket : new Socket({ fd: input, readable: true, writable: false });
  for (const end of new Set([socket, source])) end.on("close", over).on("error", over);
  source.on("end", over);
  return { write: (bytes) => void socket.write(bytes), onData: (read) => void source.on("data", read) };
}

/** Takes one connection, and is over when nobody comes. Nobody but the person can come to the folder of `path`. */
export function socketChannel(path: string, ready: () => void, over: () => void): Channel {
  let socket: Socket | undefined;
  const readers: ((bytes: Buffer) => void)[] = [];
  const server = createServer((come) => {
    server.close();
    clearTimeout(patience);
    if (socket !== undefined) return void come.destroy();
    socket = come;
    for (const read of readers) come.on("data", read);
    come.on("close", over).on("error", over).on("end", over);
  });
  const patience = setTimeout(over, PATIENCE_MS);
  server.on("error", over);
  server.listen(path, () => {
    chmodSync(path, 0o600);
    ready();
  });
  return { write: (bytes) => void socket?.write(bytes), onData: (read) => void readers.push(read) };
}
