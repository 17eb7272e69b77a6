/** Follows WebSocket clients from their construction on: Node 22 does not announce which client it opened. */
import { channel } from "node:diagnostics_channel";
import { captured } from "../../shared/captured.ts";

type Follow = (socket: WebSocket) => void;
type Make = typeof WebSocket;
const { construct, deleteProperty, setPrototypeOf } = Reflect;
const builtinModule = process.getBuiltinModule;
const RealTypeError = TypeError;

/**
 * Wraps the class at its first use. Node's global is a lazy value: reading or redefining its property loads the whole
 * client (40 ms). So the property is deleted unread, and the class is taken from `node:http` when it is first wanted.
 */
export function followWebSockets(follow: Follow): void {
  const known = new WeakSet<WebSocket>();
  const once = (socket: WebSocket): void => {
    if (known.has(socket)) return;
    known.add(socket);
    follow(socket);
  };
  // Only this channel announces the sockets of an installed client, and of code that takes the class from `node:http`.
  channel("undici:websocket:open").subscribe((message) => {
    const { websocket } = message as { readonly websocket?: WebSocket };
    if (websocket !== undefined) once(websocket);
  });
  // With `--no-experimental-websocket`, the class does not exist.
  if (!("WebSocket" in globalThis) || !deleteProperty(globalThis, "WebSocket")) return;
  const define = (value: unknown): void => {
    captured.defineProperty(globalThis, "WebSocket", { value, writable: true, configurable: true, enumerable: false });
  };
  const get = (): unknown => {
    const value = following(builtinModule("node:http").WebSocket, once);
    define(value);
    return value;
  };
  captured.defineProperty(globalThis, "WebSocket", { get, set: define, configurable: true, enumerable: false });
}

function following(real: Make, follow: Follow): object {
  const WebSocket = function (...args: unknown[]): WebSocket {
    if (new.target === undefined)
      throw new RealTypeError("Class constructor WebSocket cannot be invoked without 'new'");
    const socket = construct(real, args, new.target);
    follow(socket);
    return socket;
  };
  setPrototypeOf(WebSocket, real);
  for (const [key, value] of [
    ["name", "WebSocket"],
    ["length", real.length],
  ] as const) {
    captured.defineProperty(WebSocket, key, { value, configurable: true });
  }
  const { prototype } = real;
  captured.defineProperty(WebSocket, "prototype", { value: prototype, writable: false });
  captured.defineProperty(prototype, "constructor", { value: WebSocket, writable: true, configurable: true });
  return WebSocket;
}
