/** Models behind a company's proxy: the proxy is a real one on the loopback address, the model's host has no address at all. */
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reply } from "../../examples/demo/model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { casesToRun, itAtLength } from "../support/extent.ts";

const HOST = "model.example.test";

let folder: string;
let model: ScriptedModel;
let proxy: Server;
let asked: string[];
let client: ServerClient;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-proxy-")));
  const script = { name: "hello", description: "says hello", reply: () => reply("Hello through the proxy.") };
  model = await startScriptedModel(script);
  asked = [];
});

afterEach(async () => {
  await client.close();
  await model.dispose();
  proxy.close();
  proxy.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

/** A proxy that lets everybody through to the scripted model, or answers each request for a tunnel with the status. */
async function startProxy(status?: number): Promise<string> {
  proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status ?? 405).end();
  });
  proxy.on("connect", ({ url, headers }, socket, head: Buffer) => {
    asked.push(`CONNECT ${url} ${headers["proxy-authorization"] ?? "from nobody"}`);
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const onward = connect(Number(new URL(model.url).port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) end.on("error", () => [socket, onward].forEach((each) => each.destroy()));
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

async function say(env: Readonly<Record<string, string>>, isProgram = false): Promise<TurnEvent[]> {
  client = new ServerClient({ isProgram, env: { ANTHROPIC_API_KEY: "sk-test-not-a-key", ...env } });
  await client.initialize([folder]);
  const { turnId, sessionId } = await client.request("agentq/prompt", { text: "hello" });
  await client.waitFor(({ method, params }) =>
    method === "agentq/event" && ["retrying", "turnEnded"].includes(params.event.kind) ? true : undefined,
  );
  await client.request("agentq/cancel", { sessionId });
  return client.turn(turnId);
}

// Node 22 takes up a proxy only with NODE_USE_ENV_PROXY=1 from its start on.
const up = { NODE_USE_ENV_PROXY: "1" };

describe("a proxy that the environment names", () => {
  it.each(casesToRun(["HTTP_PROXY", "http_proxy"]))("is the way to the model: %s", async (name) => {
    const url = `http://me:secret@${await startProxy()}`;
    const events = await say({ ...up, ANTHROPIC_BASE_URL: `http://${HOST}:8080`, [name]: url }, true);
    expect(events.at(-1)).toEqual({ kind: "turnEnded", reason: "endTurn" });
    expect(JSON.stringify(events)).toContain("Hello through the proxy.");
    expect(asked[0]).toBe(`CONNECT ${HOST}:8080 Basic ${btoa("me:secret")}`);
  });

  it("is the way to a server that speaks HTTPS", async () => {
    const url = `http://${await startProxy(502)}`;
    const events = await say({ ...up, ANTHROPIC_BASE_URL: `https://${HOST}`, HTTPS_PROXY: url });
    expect(asked[0]).toBe(`CONNECT ${HOST}:443 from nobody`);
    expect(events.find(({ kind }) => kind === "retrying")).toMatchObject({
      reason: `the proxy ${url} answered 502 where a way to the model was asked for`,
    });
  });

  it("is not asked for what runs on this machine, nor for the hosts of NO_PROXY", async () => {
    const url = `http://${await startProxy()}`;
    const events = await say({ ...up, ANTHROPIC_BASE_URL: model.url, HTTP_PROXY: url });
    expect(events.at(-1)).toEqual({ kind: "turnEnded", reason: "endTurn" });
    await client.close();
    const excepted = await say({
      ...up,
      ANTHROPIC_BASE_URL: `http://${HOST}`,
      HTTP_PROXY: url,
      NO_PROXY: "example.test",
    });
    expect(JSON.stringify(excepted)).toMatch(/no connection to the model: getaddrinfo/);
    expect(asked).toEqual([]);
  });

  itAtLength("that wants a name and a password is told of at once, without those of its address", async () => {
    const place = await startProxy(407);
    const events = await say(
      {
        ...up,
        ANTHROPIC_BASE_URL: `http://${HOST}`,
        HTTP_PROXY: `http://me:wrong-secret@${place}`,
      },
      true,
    );
    expect(events.filter(({ kind }) => kind === "retrying")).toEqual([]);
    expect(events.at(-1)).toMatchObject({
      reason: "error",
      message: expect.stringMatching(`cannot be reached: the proxy http://${place} answered 407 .*HTTPS_PROXY`),
    });
    expect(JSON.stringify(client.received) + client.logs.join("\n") + client.stderr).not.toContain("wrong-secret");
  });

  it("that is not there is named beside the reason", async () => {
    await startProxy();
    const events = await say({ ...up, ANTHROPIC_BASE_URL: `http://${HOST}`, HTTP_PROXY: "http://127.0.0.1:9" });
    expect(events.find(({ kind }) => kind === "retrying")).toMatchObject({
      reason: expect.stringMatching(/by way of the proxy http:\/\/127\.0\.0\.1:9: connect ECONNREFUSED/),
    });
  });

  it("is none where the variable holds no address, which the person is told", async () => {
    await startProxy();
    const events = await say({ ANTHROPIC_BASE_URL: model.url, HTTPS_PROXY: "socks5://secret@127.0.0.1:9" });
    expect(events.at(-1)).toEqual({ kind: "turnEnded", reason: "endTurn" });
    const told = JSON.stringify(client.received) + client.logs.join("\n");
    expect(told).toContain("names no proxy, and is not used");
    expect(told).not.toContain("secret");
  });
});
