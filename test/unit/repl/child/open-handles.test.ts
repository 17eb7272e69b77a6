import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describeEachNode } from "../../../support/node-versions.ts";
import { startOn, until, type TestImage } from "../with-image.ts";

const SERVE = `import http from "node:http";
export const served = { before: 0 };
export const own = http.createServer((_, response) => response.end("the module's")).listen(0);
const ticking = setInterval(() => { served.before += 1 }, 5);
export const start = () => http.createServer((_, response) => response.end("started")).listen(0);
`;

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  let silent: Server;
  let port: number;
  const connections = new Set<Socket>();
  beforeAll(async () => {
    // Accepts, and never says a word.
    silent = createServer((socket) => {
      connections.add(socket.resume());
      socket.on("close", () => connections.delete(socket)).on("error", () => {});
    }).listen(0, "127.0.0.1");
    await once(silent, "listening");
    port = (silent.address() as AddressInfo).port;
    t = startOn(node, { confinement: "open" });
    t.write("src/serve.ts", SERVE);
    // Node's client is loaded here: on a busy machine that takes longer than the forms below have.
    await t.value("await fetch('data:,'); 1");
    await t.value(
      "import http from 'node:http'; import net from 'node:net'; import fs from 'node:fs'; globalThis.gone = []; globalThis.forever = () => new Promise((settle) => { globalThis.settle = settle }); 1",
    );
  });
  afterAll(async () => {
    await t.dispose();
    silent.close();
  });
  /** What is said of a form that its time limit stops. A busy machine takes a while until the form waits for good. */
  const messageOf = async (code: string, wanted: RegExp): Promise<string> => {
    for (let timeoutMs = 300; ; timeoutMs *= 2) {
      const { error } = await t.evaluate(code, { timeoutMs });
      const said = (error?.message ?? "").replaceAll(/\d{4,}/g, "N");
      if (wanted.test(said) || timeoutMs > 10_000) return said;
    }
  };
  const notesOf = async (code: string, evalId: string): Promise<string> =>
    (await t.evaluate(code, { evalId })).notes.map(({ message }) => message).join("\n");

  it.for([
    ["a fetch", `await fetch('http://127.0.0.1:PORT/slow')`, "1 fetch of http://127.0.0.1:PORT/slow"],
    [
      "a fetch of a request that has a signal of its own",
      `await fetch(new Request('http://127.0.0.1:PORT/', { signal: new AbortController().signal }))`,
      "1 fetch of http://127.0.0.1:PORT/",
    ],
    ["a request", `http.get('http://127.0.0.1:PORT'); await forever()`, "1 request to 127.0.0.1"],
    ["a socket", `new net.Socket().connect(PORT, '127.0.0.1'); await forever()`, "1 socket to 127.0.0.1:PORT"],
    ["a timer of node:timers/promises", `await require('node:timers/promises').setTimeout(1e6)`, "1 timer"],
    [
      "an interval of node:timers/promises",
      `for await (const _ of require('node:timers/promises').setInterval(20)) globalThis.ticked = true`,
      "1 timer",
    ],
  ])("ends %s with the form that opened it, and says so", async ([, code, ended]) => {
    const wanted = ending(ended?.replaceAll("PORT", "N") ?? "");
    expect(await messageOf(code?.replaceAll("PORT", String(port)) ?? "", wanted)).toMatch(wanted);
    await until(() => connections.size === 0);
  });

  it("ends a WebSocket that is still connecting", async () => {
    const url = `ws://127.0.0.1:${port}`;
    const wanted = ending("1 WebSocket to ws://127.0.0.1:N/");
    const message = await messageOf(`globalThis.early = new WebSocket('${url}'); await forever()`, wanted);
    expect(message).toMatch(wanted);
    await until(async () => (await t.value("early.readyState > WebSocket.OPEN")) === "true");
    // Some Nodes keep the connection until the other side says something.
    for (const each of connections) each.destroy();
  });

  it("ends a WebSocket that is open, and makes them as Node does", async () => {
    const wanted = ending("1 server on port N, 1 WebSocket to ws://127.0.0.1:N/");
    const message = await messageOf(
      `const accepted = (key: string) => require('node:crypto').createHash('sha1').update(key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
       globalThis.hub = http.createServer().on('upgrade', (request, socket) => {
         socket.write('HTTP/1.1 101 x\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accepted(request.headers['sec-websocket-key']) + '\\r\\n\\r\\n');
         socket.on('close', () => (globalThis.hungUp = true)).on('data', () => socket.end());
       }).listen(0, '127.0.0.1');
       await new Promise((r) => hub.once('listening', r));
       globalThis.talk = new WebSocket('ws://127.0.0.1:' + hub.address().port);
       await new Promise((r) => talk.addEventListener('open', r)); await forever()`,
      wanted,
    );
    expect(message).toMatch(wanted);
    await until(async () => (await t.value("globalThis.hungUp")) === "true");
    expect(
      await t.value(
        "[talk instanceof WebSocket, talk.constructor === WebSocket, WebSocket.name, WebSocket.OPEN, new (class Mine extends WebSocket {})('ws://127.0.0.1:1').constructor.name]",
      ),
    ).toBe('[true, true, "WebSocket", 1, "Mine"]');
    expect((await t.evaluate("(WebSocket as any)('ws://127.0.0.1:1')")).error?.name).toBe("TypeError");
  });

  it("leaves Node's client for fetch and WebSocket unloaded until somebody asks for it", async () => {
    const fresh = startOn(node, { confinement: "open" });
    onTestFinished(fresh.dispose);
    const loaded = "(process as any).moduleLoadList.some((name: string) => name.includes('undici'))";
    expect(await fresh.value(loaded)).toBe("false");
    expect(await fresh.value("typeof WebSocket")).toBe('"function"');
    expect(await fresh.value(loaded)).toBe("true");
  });

  it("ends servers with their connections, watchers, streams, child processes and threads", async () => {
    const wanted = ending(
      "1 server on port N, 1 socket to 127.0.0.1:N, 1 connection, 2 file watchers, 1 file stream, 1 process (PROGRAM, N), 1 thread, 1 UDP socket",
    );
    const message = await messageOf(
      `gone.length = 0; globalThis.server = net.createServer(() => {}).listen(0); await new Promise((r) => server.once('listening', r));
       net.connect(server.address().port, '127.0.0.1'); await new Promise((r) => server.once('connection', r));
       fs.watch('.').once('close', () => gone.push('watch')); fs.watchFile('package.json', () => {});
       fs.createReadStream('package.json').once('close', () => gone.push('stream'));
       globalThis.child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
       new (require('node:worker_threads').Worker)('setInterval(() => {}, 1000)', { eval: true }).once('exit', () => gone.push('thread'));
       require('node:dgram').createSocket('udp4').once('close', () => gone.push('udp'));
       await forever()`,
      wanted,
    );
    expect(message).toMatch(wanted);
    const isOver = "await 0; child.exitCode !== null || child.signalCode !== null";
    await until(async () => (await t.value(isOver)) === "true");
    await until(async () => (await t.value("gone.length")) === "4");
    expect(await t.value("server.listening")).toBe("false");
  });

  it("says what a form leaves open, and ends that when it is interrupted by its id after it is over", async () => {
    const left = await notesOf(
      "globalThis.mine = http.createServer((_, r) => r.end('mine')).listen(0); setInterval(() => {}, 50); mine.unref(); 1",
      "leaves",
    );
    const address = await t.value("mine.address().port");
    expect(left).toBe(
      `Still open: 1 timer, 1 server on port ${address}. Interrupting form leaves by its id ends that.`,
    );
    await t.value("globalThis.other = http.createServer((_, r) => r.end('other')).listen(0); 1", { evalId: "other" });
    const body = "await fetch(`http://127.0.0.1:${mine.address().port}`).then((r) => r.text())";
    expect(await t.value(body)).toBe('"mine"');
    expect(await t.image.interrupt("leaves")).toBe(false);
    expect(await t.image.endLeftOpen("leaves")).toBe(`1 timer, 1 server on port ${address}`);
    expect(await t.image.endLeftOpen("leaves")).toBeUndefined();
    expect(await t.image.endLeftOpen("never heard of")).toBeUndefined();
    expect(await t.value("[mine.listening, other.listening]")).toBe("[false, true]");
    expect(await t.image.endLeftOpen("other")).toMatch(/^1 server on port \d+$/);
  });

  it("says nothing of what has ended by itself", async () => {
    const code = `await fetch('data:text/plain,1').then((r) => r.text()); await new Promise((r) => setTimeout(r, 5)); fs.watch('.').close(); await new Promise((r) => setTimeout(r, 20)); 1`;
    expect(await notesOf(code, "clean")).toBe("");
  });

  it("leaves alone what a module opened while it was loaded, and what other forms opened", async () => {
    await t.value("globalThis.kept = net.createServer(() => {}).listen(0); 1");
    const wanted = ending("1 server on port N");
    const message = await messageOf(
      "import { own, start, served } from './src/serve.ts'; globalThis.started = start(); globalThis.loaded = own; await forever()",
      wanted,
    );
    expect(message).toMatch(wanted);
    expect(await t.value("[started.listening, loaded.listening, kept.listening]")).toBe("[false, true, true]");
    const before = Number(await t.value("served.before"));
    await until(async () => Number(await t.value("served.before")) > before);
  });

  it("leaves a connection of Node's own pool to those who use it now", async () => {
    const slow =
      "globalThis.open = undefined; globalThis.slow = http.createServer((q, r) => { if (q.url === '/quick') r.end('quick'); else globalThis.open = r }).listen(0); 1";
    await t.value(slow);
    const agent =
      "globalThis.agent = new http.Agent({ keepAlive: true, maxSockets: 1 }); globalThis.get = (path) => new Promise((done, fail) => http.get({ agent, port: slow.address().port, path }, (r) => r.on('data', (d) => done(String(d)))).on('error', fail)); 1";
    await t.value(agent);
    await t.value(
      "await get('/quick'); globalThis.last = await fetch(`http://127.0.0.1:${slow.address().port}/quick`).then((r) => r.text())",
      { evalId: "first" },
    );
    const second = t.evaluate("await get('/slow')");
    await until(async () => (await t.value("open !== undefined")) === "true");
    await t.image.endLeftOpen("first");
    await t.value("open.end('late'); 1");
    expect((await second).preview).toBe('"late"');
  });

  it("ends what a form had open that is stopped in a loop", async () => {
    const wanted = /had open was ended: 1 server( on port N)?[;.]/;
    const message = await messageOf(
      "globalThis.looping = http.createServer(() => {}).listen(0); for (;;) Math.random()",
      wanted,
    );
    expect(message).toMatch(wanted);
    await until(async () => (await t.value("looping.listening")) === "false");
  });
});

/** How a stop is told of a form that waits. The path of a program stands for itself. */
function ending(ended: string): RegExp {
  const text = ended.replaceAll(/[.()[\]]/g, String.raw`\$&`).replace("PROGRAM, N", String.raw`/.*?, (?:\d+|N)`);
  return new RegExp(
    `^Stopped after [\\d.]+ m?s: it was waiting .* and what it had open was ended: ${text}; state is kept\\.`,
  );
}
