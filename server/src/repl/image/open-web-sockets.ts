/** Follows WebSocket clients from the moment they are made: Node 22 does not say which one it has opened. */
import { channel } from "node:diagnostics_channel";
import { captured } from "./captured.ts";

type Follow = (socket: WebSocket) => void;
type Make = (...args: unknown[]) => WebSocket;
const { construct, setPrototypeOf } = Reflect;
const RealTypeError = TypeError;

/**
 * The class is wrapped when somebody asks for it. Node's own is loaded before that, at the start (40 ms): its global is a
 * lazy value, and to read the property's descriptor is to ask for it.
 */
export function followWebSockets(follow: Follow): void {
  const known = new WeakSet<WebSocket>();
  const once = (socket: WebSocket): void => {
    if (known.has(socket)) return;
    known.add(socket);
    follow(socket);
  };
  // Those of an installed client come by here alone.
  channel("undici:websocket:open").subscribe((message) => {
    const { websocket } = message as { readonly websocket?: WebSocket };
    if (websocket !== undefined) once(websocket);
  });
  const lazy = captured.getOwnPropertyDescriptor(globalThis, "WebSocket");
  if (lazy === undefined) return;
  const define = (value: unknown): void => {
    captured.defineProperty(globalThis, "WebSocket", { value, writable: true, configurable: true, enumerable: false });
  };
  const get = (): unknown => {
    const real: unknown = lazy.get === undefined ? lazy.value : lazy.get.call(globalThis);
    const value = typeof real === "function" ? following(real as unknown as Make, once) : real;
    define(value);
    return value;
  };
  captured.defineProperty(globalThis, "WebSocket", { get, set: define, configurable: true, enumerable: false });
}

function following(real: Make, follow: Follow): Make {
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
  const { prototype } = real as unknown as { readonly prototype: object };
  captured.defineProperty(WebSocket, "prototype", { value: prototype, writable: false });
  captured.defineProperty(prototype, "constructor", { value: WebSocket, writable: true, configurable: true });
  return WebSocket;
}
