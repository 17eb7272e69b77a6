import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttp, request } from "node:http";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HostProxy } from "../../../server/src/sandbox/network/host-proxy.ts";
import { hostAndPort, isNamed, isPrivate } from "../../../server/src/sandbox/network/hosts.ts";

describe("a proxy for the hosts of a command", () => {
  let folder: string;
  let proxy: HostProxy;
  const servers: Server[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "agentq-proxy-"));
  });
  afterEach(() => {
    proxy.dispose();
    for (const server of servers.splice(0)) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(hosts: readonly string[], addresses: Readonly<Record<string, readonly string[]>> = {}) {
    proxy = new HostProxy({ hosts, addressesOf: async (host) => addresses[host] ?? [] });
    await proxy.listen(join(folder, "proxy"));
  }
  async function listening(server: Server): Promise<number> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  }
  /** What the proxy answers to these bytes, until it says no more. */
  const speak = (text: string): Promise<string> =>
    new Promise((resolve) => {
      let heard = "";
      const socket = connect(join(folder, "proxy"), () => socket.write(text));
      socket.on("data", (chunk) => (heard += chunk.toString())).on("close", () => resolve(heard));
      socket.on("error", () => resolve(heard));
      socket.setTimeout(1_500, () => socket.destroy());
    });

  it("makes a tunnel to a host that is named, byte for byte", async () => {
    const port = await listening(
      createServer((socket) => socket.on("data", (chunk) => socket.end(`heard ${chunk.toString()}`))),
    );
    await start([`localhost:${port}`], { localhost: ["127.0.0.1"] });
    const heard = await speak(`CONNECT localhost:${port} HTTP/1.1\r\nhost: x\r\n\r\nhello`);
    expect(heard).toBe("HTTP/1.1 200 Connection established\r\n\r\nheard hello");
    expect(proxy.denials()).toEqual([]);
  });

  it("forwards plain HTTP by the host of its address, whatever host the request claims", async () => {
    const port = await listening(
      createHttp((from, to) =>
        to.end(`${from.method} ${from.url} ${from.headers.host} ${from.headers["proxy-authorization"]}`),
      ),
    );
    await start([`localhost:${port}`], { localhost: ["127.0.0.1"] });
    const answer = await new Promise<string>((resolve) => {
      const headers = { host: "elsewhere.example", "proxy-authorization": "x" };
      const path = `http://localhost:${port}/a?b`;
      request({ socketPath: join(folder, "proxy"), path, headers }, (from) => {
        let text = "";
        from.on("data", (chunk: Buffer) => (text += chunk.toString())).on("end", () => resolve(text));
      }).end();
    });
    expect(answer).toBe(`GET /a?b localhost:${port} undefined`);
  });

  it.each([
    ["another host", "CONNECT other.example:443", "other.example is not among the hosts"],
    ["another port", "CONNECT named.example:22", "named.example:22 is not among the hosts"],
    ["an address in place of the name", "CONNECT 93.184.216.34:443", "93.184.216.34 is not among the hosts"],
    ["a name below", "CONNECT a.named.example:443", "a.named.example is not among the hosts"],
    ["a name that ends the same", "CONNECT evilnamed.example:443", "evilnamed.example is not among the hosts"],
    ["a name with somebody before it", "CONNECT named.example@evil.example:443", "takes CONNECT and http://"],
    ["no port", "CONNECT named.example", "takes CONNECT and http://"],
    ["a path in place of an address", "GET /etc/passwd", "takes CONNECT and http://"],
    ["another protocol", "GET ftp://named.example/x", "takes CONNECT and http://"],
    ["this machine by a name that is named", "CONNECT local.example:443", "has to be named as an address"],
    ["the machine's cloud by a name that is named", "GET http://cloud.example/latest", "has to be named as an address"],
    ["a name without an address", "CONNECT nowhere.example:443", "has no address"],
  ])("reaches nothing by %s", async (_, line, words) => {
    const addresses = {
      "named.example": ["93.184.216.34"],
      "local.example": ["127.0.0.1", "::1", "::ffff:127.0.0.1"],
      "cloud.example": ["169.254.169.254"],
    };
    await start(["named.example", "local.example", "cloud.example", "nowhere.example"], addresses);
    const heard = await speak(`${line} HTTP/1.1\r\nhost: named.example\r\n\r\n`);
    expect(heard).toMatch(/^HTTP\/1\.1 403 /);
    expect(heard).toContain(words);
    if (!/takes CONNECT|has no address/.test(words)) expect(proxy.denials().join()).toContain(words);
  });

  it("survives what is no request, and cuts its connections when it ends", async () => {
    await start(["named.example"]);
    await Promise.all(["\0\0\0\r\n\r\n", "GET\r\n\r\n", "CONNECT : HTTP/1.1\r\n\r\n"].map(speak));
    expect(await speak("CONNECT a.example:443 HTTP/1.1\r\nhost: a\r\n\r\n")).toContain("403");
    const open = connect(join(folder, "proxy"));
    const closed = new Promise((resolve) => open.once("close", resolve));
    await new Promise((resolve) => open.once("connect", resolve));
    proxy.dispose();
    await closed;
  });
});

describe("names of hosts", () => {
  it.each([
    ["example.com", { host: "example.com", port: undefined }],
    ["Example.COM.:443", { host: "example.com", port: 443 }],
    ["[::1]:80", { host: "::1", port: 80 }],
    ["", undefined],
    ["https://example.com", undefined],
    ["a@b:443", undefined],
    ["a b", undefined],
    ["a:99999", undefined],
  ])("reads %j", (text, expected) => expect(hostAndPort(text)).toEqual(expected));

  it("means the web's ports where none is named, and names below where a star says so", () => {
    const named = (entries: string[], host: string, port: number): boolean => isNamed(entries, { host, port });
    expect([80, 443, 22, 8080].map((port) => named(["a.b"], "a.b", port))).toEqual([true, true, false, false]);
    expect([443, 8080].map((port) => named(["a.b:8080"], "a.b", port))).toEqual([false, true]);
    expect(["x.a.b", "a.b", "xa.b"].map((host) => named(["*.a.b"], host, 443))).toEqual([true, false, false]);
  });

  it.each(
    "127.0.0.1 10.1.2.3 172.31.0.1 192.168.1.1 169.254.169.254 100.100.100.200 0.0.0.0 224.0.0.1 255.255.255.255 168.63.129.16 ::1 :: fe80::1 fd00::1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe nonsense".split(
      " ",
    ),
  )("%s is private", (address) => expect(isPrivate(address)).toBe(true));
  it.each(["93.184.216.34", "172.32.0.1", "2606:4700::1111"])("%s is not", (address) => {
    expect(isPrivate(address)).toBe(false);
  });
});
