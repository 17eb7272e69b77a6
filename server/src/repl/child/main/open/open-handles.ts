/**
 * Remembers which evaluation opened servers, sockets, requests, child processes, threads and file watchers, so that an
 * interrupt ends exactly what its evaluation opened. Node's diagnostics channels announce most of these. Sockets that
 * Node's HTTP clients share between requests have no owner.
 */
import { channel } from "node:diagnostics_channel";
import type { ChildProcess } from "node:child_process";
import type { Socket as UdpSocket } from "node:dgram";
import type { EventEmitter } from "node:events";
import fs from "node:fs";
import type { ClientRequest } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { getCallSites } from "node:util";
import type { Worker } from "node:worker_threads";
import { captured, shieldedMap, shieldedSet, uncurried } from "../../shared/captured.ts";
import type { OpenHandle } from "./open-handle.ts";
import { trackFetch } from "./open-fetches.ts";
import { followWebSockets } from "./open-web-sockets.ts";

export interface OpenHandles {
  /** Ends everything that the evaluation has open, and says what was ended: `1 server on port 4000, 2 sockets`. */
  readonly end: (id: number) => string;
  /** Everything that the evaluation has open now, as text. */
  readonly open: (id: number) => string;
  /** The newest evaluation that has anything open; 0 for none. */
  readonly newestOwner: () => number;
  readonly isOwner: (id: number) => boolean;
}

export interface HandleParts {
  /** The evaluation whose code runs; 0 for none, and while a module is loaded. */
  readonly openerId: () => number;
  readonly isCancelled: (id: number) => boolean;
  /** The evaluation opened something for the first time. */
  readonly opened: (id: number) => void;
  /** Runs code that opens things for no evaluation. */
  readonly unowned: <T>(run: () => T) => T;
  /** Called when code that waited for an outside event is about to run. */
  readonly stirred: () => void;
}

type Method<This> = (this: This, ...args: unknown[]) => unknown;
/** Anything that `fs` opened and that has a `close`. */
interface Closable extends EventEmitter {
  readonly close: () => void;
}

const KILL_AFTER_MS = 1000;
const CALL_SITES = 10;
/** Code that keeps pools of connections, which serve later requests too. */
const POOLS = /^node:(?:internal\/deps\/undici|_http_agent)|\/node_modules\/undici\//;
const matches = RegExp.prototype.test;
const { apply } = Reflect;
const callSites = getCallSites;

export function trackHandles({ openerId, isCancelled, opened, unowned, stirred }: HandleParts): OpenHandles {
  const owners = shieldedMap<number, Set<OpenHandle>>();
  const hold = (handle: OpenHandle): (() => void) => {
    const id = openerId();
    if (id === 0) return () => {};
    if (isCancelled(id)) {
      // Code that goes on after an interrupt cannot keep anything open. The handle is ended later, because the call
      // that opens it must return first.
      captured.nextTick(() => quietly(handle.end));
      return () => {};
    }
    let own = owners.get(id);
    if (own === undefined) {
      own = shieldedSet<OpenHandle>();
      owners.set(id, own);
      opened(id);
    }
    own.add(handle);
    return () => {
      own.delete(handle);
      if (own.size === 0 && owners.get(id) === own) owners.delete(id);
    };
  };
  const until = (emitter: EventEmitter, event: string, handle: OpenHandle): void => {
    if (openerId() !== 0) emitter.once(event, hold(handle));
  };

  followChannels(until);
  channel("http.server.request.start").subscribe(stirred);
  channel("net.server.socket").subscribe(stirred);
  patch<net.Socket>(net.Socket.prototype, "connect", (connect) => {
    return function (...args) {
      const result = apply(connect, this, args);
      if (openerId() === 0 || isPooled()) return result;
      const name = (): string => (this.remoteAddress === undefined ? "" : `to ${endpoint(this)}`);
      until(this, "close", { kind: "socket", name, end: () => void (isAgents(this) || this.destroy()) });
      return result;
    };
  });
  patch<net.Server>(net.Server.prototype, "listen", (listen) => {
    return function (...args) {
      const result = apply(listen, this, args);
      until(this, "close", { kind: "server", name: () => addressOf(this), end: () => endServer(this) });
      return result;
    };
  });
  trackFetch(hold, openerId, unowned);
  trackFiles(until);
  syncBuiltinESMExports();

  return {
    end: (id) => {
      const own = owners.get(id);
      if (own === undefined) return "";
      owners.delete(id);
      const text = describe(own);
      own.forEach(({ end }) => quietly(end));
      return text;
    },
    open: (id) => {
      const own = owners.get(id);
      return own === undefined ? "" : describe(own);
    },
    isOwner: (id) => owners.has(id),
    newestOwner: () => {
      let newest = 0;
      owners.forEach((_, id) => {
        if (id > newest) newest = id;
      });
      return newest;
    },
  };
}

/** The messages of the channels. */
interface Opened {
  readonly request: ClientRequest;
  readonly socket: net.Socket & { readonly server?: object } & UdpSocket;
  readonly worker: Worker;
  readonly process: ChildProcess;
}

type Until = (emitter: EventEmitter, event: string, handle: OpenHandle) => void;

function followChannels(until: Until): void {
  const follow = <Key extends keyof Opened>(name: string, key: Key, take: (it: Opened[Key]) => void): void => {
    channel(name).subscribe((message) => {
      const it = (message as Partial<Opened>)[key];
      if (it !== undefined) take(it);
    });
  };
  follow("http.client.request.created", "request", (request) => {
    const name = (): string => `to ${request.host}`;
    until(request, "close", { kind: "request", name, end: () => void request.destroy() });
  });
  follow("net.server.socket", "socket", (socket) => {
    // An HTTP server ends its own connections.
    if (socket.server !== undefined && "closeAllConnections" in socket.server) return;
    until(socket, "close", { kind: "connection", name: () => "", end: () => void socket.destroy() });
  });
  follow("udp.socket", "socket", (socket) => {
    until(socket, "close", { kind: "UDP socket", name: () => "", end: () => void socket.close() });
  });
  follow("worker_threads", "worker", (worker) => {
    until(worker, "exit", { kind: "thread", name: () => "", end: () => void worker.terminate() });
  });
  follow("child_process", "process", (child) => {
    const end = (): void => {
      child.kill();
      const later = captured.setTimeout(() => {
        if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      }, KILL_AFTER_MS);
      later.unref();
    };
    until(child, "exit", { kind: "process", name: () => `(${child.spawnfile}, ${child.pid ?? "not started"})`, end });
  });
  followWebSockets((socket) => {
    until(eventsOf(socket), "close", { kind: "WebSocket", name: () => `to ${socket.url}`, end: () => socket.close() });
  });
}

function trackFiles(until: Until): void {
  const opening = (name: string, kind: string, event: string, end: (it: Closable) => void): void => {
    patch<object>(fs, name, (open) => {
      return function (...args) {
        const it = apply(open, this, args) as Closable;
        until(it, event, { kind, name: () => "", end: () => end(it) });
        return it;
      };
    });
  };
  opening("watch", "file watcher", "close", (watcher) => watcher.close());
  opening("createReadStream", "file stream", "close", (stream) => (stream as unknown as fs.ReadStream).destroy());
  opening("createWriteStream", "file stream", "close", (stream) => (stream as unknown as fs.WriteStream).destroy());
  patch<object>(fs, "watchFile", (watchFile) => {
    return function (...args) {
      const it = apply(watchFile, this, args) as EventEmitter;
      const listener = args[args.length - 1] as fs.StatsListener;
      const end = (): void => fs.unwatchFile(args[0] as string, listener);
      until(it, "stop", { kind: "file watcher", name: () => "", end });
      return it;
    };
  });
}

/** The part of an event target that `until` needs. */
function eventsOf(target: EventTarget): EventEmitter {
  const once = (event: string, heard: () => void): void => target.addEventListener(event, heard, { once: true });
  return { once } as unknown as EventEmitter;
}

function patch<This>(owner: object, name: string, make: (original: Method<This>) => Method<This>): void {
  const original = (owner as Record<string, Method<This>>)[name];
  if (original === undefined) return;
  const value = make(original);
  captured.defineProperty(value, "name", { value: name, configurable: true });
  captured.defineProperty(value, "length", { value: original.length, configurable: true });
  captured.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: true });
}

function isPooled(): boolean {
  const sites = callSites(CALL_SITES);
  for (let index = 0; index < sites.length; index++) {
    if (apply(matches, POOLS, [sites[index]?.scriptName ?? ""])) return true;
  }
  return false;
}

/** Whether an HTTP agent took the socket into its pool. */
function isAgents(socket: net.Socket): boolean {
  return socket.listenerCount("agentRemove") > 0;
}

function endServer(server: net.Server): void {
  // A server that is still looking up its address would start to listen later.
  if (!server.listening) server.once("listening", () => server.close());
  server.close();
  (server as { readonly closeAllConnections?: () => void }).closeAllConnections?.();
}

function endpoint({ remoteAddress = "", remotePort = 0 }: net.Socket): string {
  return uncurried.includes(remoteAddress, ":") ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}

function addressOf(server: net.Server): string {
  const address = server.address();
  if (address === null) return "";
  return typeof address === "string" ? `at ${address}` : `on port ${address.port}`;
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // The handle was already over.
  }
}

const MAX_NAMES = 3;

/**
 * The handles by kind, in the order in which they were opened: `2 servers on port 4000, on port 4001, 1 file watcher`.
 */
function describe(handles: Set<OpenHandle>): string {
  const kinds = shieldedMap<string, string[]>();
  handles.forEach((handle) => {
    if (handle.kind === "") return;
    let names = kinds.get(handle.kind);
    if (names === undefined) {
      names = [];
      kinds.set(handle.kind, names);
    }
    names[names.length] = nameOf(handle);
  });
  let text = "";
  kinds.forEach((names, kind) => {
    text += `${text === "" ? "" : ", "}${countOf(names.length, kind)}`;
    for (let index = 0; index < names.length && index < MAX_NAMES; index++) {
      if (names[index] !== "") text += `${index === 0 ? " " : ", "}${names[index]}`;
    }
    if (names.length > MAX_NAMES) text += " …";
  });
  return text;
}

function nameOf(handle: OpenHandle): string {
  try {
    return handle.name();
  } catch {
    return "";
  }
}

export function countOf(count: number, kind: string): string {
  const plural = kind === "process" || kind === "fetch" ? `${kind}es` : `${kind}s`;
  return `${count} ${count === 1 ? kind : plural}`;
}
