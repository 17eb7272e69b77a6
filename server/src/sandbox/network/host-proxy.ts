/**
 * The one way out of a wall: a proxy for HTTP and for tunnels (`CONNECT`), on a socket of the file system, which lets a program
 * reach the hosts that a person approved. Names are looked up here, once: what was judged is what is connected to.
 */
import { lookup } from "node:dns/promises";
import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { errorText } from "../../base/errors.ts";
import { hostAndPort, isNamed, isPrivate, type HostAndPort } from "./hosts.ts";

export interface ProxyOptions {
  /** What may be reached: `hosts.ts` has the words. */
  readonly hosts: readonly string[];
  /** All addresses of a name. */
  readonly addressesOf?: (host: string) => Promise<readonly string[]>;
}

/** Where to connect to, without asking anybody for the name again. */
interface Way {
  readonly host: string;
  readonly port: number;
  readonly lookup: LookupFunction;
}

function toOneOf(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first] = all;
  return (_, options, answer) => {
    if (options.all === true) answer(null, all);
    else answer(null, first?.address ?? "", first?.family ?? 0);
  };
}

/** Between two ends, and for one of them only. */
const OWN_HEADERS = /^(?:proxy-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade|host)$/i;
const MOST_DENIALS = 50;

export class HostProxy {
  readonly #options: ProxyOptions;
  readonly #server = createServer((from, to) => void this.#forward(from, to));
  readonly #denials = new Map<string, string>();
  readonly #sockets = new Set<Duplex>();

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server.on("connect", (from: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#tunnel(from, socket, head);
    });
    this.#server.on("connection", (socket: Socket) => this.#keep(socket));
    this.#server.on("clientError", (_, socket) => socket.destroy());
  }

  /** Rejects where no socket can be made there. */
  async listen(path: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    this.#server.listen(path, resolve);
    await promise;
  }

  /** A sentence for each host that was not reached because nobody allowed that. */
  denials(): string[] {
    return [...this.#denials.values()];
  }

  dispose(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }

  async #tunnel(from: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const way = await this.#wayTo(hostAndPort(from.url ?? ""));
    if ("refusal" in way) {
      socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\n${way.refusal}\n`);
      return;
    }
    const onward = connect({ ...way, autoSelectFamily: true });
    this.#keep(onward);
    onward.once("connect", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    onward.once("error", (error) => socket.end(`HTTP/1.1 502 Bad Gateway\r\n\r\n${errorText(error)}\n`));
    socket.once("close", () => onward.destroy());
    onward.once("close", () => socket.destroy());
  }

  async #forward(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const url = URL.parse(from.url ?? "");
    const place = url?.protocol === "http:" ? hostAndPort(url.host) : undefined;
    const way = await this.#wayTo(place && { ...place, port: place.port ?? 80 });
    if ("refusal" in way || url === null) {
      to.writeHead(403, { "content-type": "text/plain" }).end("refusal" in way ? `${way.refusal}\n` : "");
      return;
    }
    const headers: OutgoingHttpHeaders = { host: url.host };
    for (const [name, value] of Object.entries(from.headers)) if (!OWN_HEADERS.test(name)) headers[name] = value;
    const path = url.pathname + url.search;
    const onward = request({ ...way, path, method: from.method, headers, agent: false }, (answer) => {
      const told = Object.entries(answer.headers).filter(([name]) => !OWN_HEADERS.test(name));
      to.writeHead(answer.statusCode ?? 502, Object.fromEntries(told));
      answer.pipe(to);
      answer.once("error", () => to.destroy());
    });
    onward.once("error", (error) => (to.headersSent ? to.destroy() : to.writeHead(502).end(`${errorText(error)}\n`)));
    to.once("close", () => onward.destroy());
    from.pipe(onward);
  }

  async #wayTo(place: HostAndPort | undefined): Promise<Way | { readonly refusal: string }> {
    if (place?.port === undefined) return { refusal: "This proxy takes CONNECT and http:// requests." };
    const { hosts } = this.#options;
    const { host, port } = place;
    const shown = [80, 443].includes(port) ? host : `${host}:${port}`;
    if (!isNamed(hosts, place)) return this.#deny(shown, `${shown} is not among the hosts of this command`);
    const addresses = await this.#addressesOf(host).catch(() => []);
    if (addresses.length === 0) return { refusal: `${host} has no address` };
    const isAsked = isIP(host) !== 0 || host === "localhost";
    const open = addresses.filter((each) => isAsked || !isPrivate(each) || isNamed(hosts, { host: each, port }));
    if (open.length > 0) return { host, port, lookup: toOneOf(open) };
    const words = `${shown} is an address of this machine or its own network, which has to be named as an address`;
    return this.#deny(shown, words);
  }

  async #addressesOf(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    if (this.#options.addressesOf !== undefined) return this.#options.addressesOf(host);
    return (await lookup(host, { all: true })).map(({ address }) => address);
  }

  #deny(shown: string, refusal: string): { readonly refusal: string } {
    if (this.#denials.size < MOST_DENIALS) this.#denials.set(shown, refusal);
    return { refusal };
  }
}
