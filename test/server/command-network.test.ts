/** Commands that name hosts, asked through the real server: what the person approved is reached, and nothing else. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Approval, ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { describeWalled, walledPath } from "../support/wall.ts";

describeWalled("a command that names hosts", () => {
  let folder: string;
  let client: ServerClient;
  let web: Server;
  let port: number;
  const asked: string[] = [];

  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-network-")));
    for (const name of ["project", "home"]) mkdirSync(path.join(folder, name));
    asked.length = 0;
    web = createServer((from, to) => {
      asked.push(`${from.method} ${from.url}`);
      to.end("from outside\n");
    });
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    port = (web.address() as AddressInfo).port;
  });
  afterEach(async () => {
    await client.close();
    web.closeAllConnections();
    web.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(settings: object = {}, env: Readonly<Record<string, string>> = {}): Promise<void> {
    const own = { ANTHROPIC_API_KEY: "sk-test", PATH: walledPath(), HOME: path.join(folder, "home") };
    client = new ServerClient({ env: { ...own, ...env } });
    await client.initialize([path.join(folder, "project")], { initializationOptions: settings });
  }
  const run = (command: string, hosts?: readonly string[]): Promise<ToolResult> =>
    client.request("agentq/callTool", { name: "run_command", arguments: { command, ...(hosts && { hosts }) } });
  const approval = (): Promise<Approval> =>
    client.waitFor(({ method, params }) => (method === "agentq/approval" ? params : undefined));
  const get = (url: string): string =>
    `node -e 'fetch("${url}").then((r) => r.text()).then((t) => console.log(t), (e) => console.log("no:", e.cause?.message ?? e.message))'`;

  it("asks the person by the names of the hosts, and reaches them when the person agrees", async () => {
    await start();
    const answer = run(get(`http://localhost:${port}/a`), [`localhost:${port}`]);
    const { approvalId, tool, why } = await approval();
    expect(tool).toBe("run_command");
    expect(why).toContain(`It could send anything of the project to localhost:${port}`);
    await client.request("agentq/answerApproval", { approvalId, decision: "approved" });
    expect((await answer).content).toContain("from outside");
    expect(asked).toEqual(["GET /a"]);
  });

  it("does not run when the person refuses, and names no host as such", async () => {
    await start();
    const answer = run("echo RAN", ["localhost"]);
    const { approvalId } = await approval();
    await client.request("agentq/answerApproval", { approvalId, decision: "denied" });
    expect(await answer).toMatchObject({ success: false });
    expect((await run("echo RAN", ["*.example.com"])).error).toContain("*.example.com is no host");
  });

  it("asks about nothing that the person's settings list, and says which hosts it did not reach", async () => {
    await start({ commands: { hosts: [`localhost:${port}`] } });
    const script = `${get(`http://localhost:${port}/b`)}; ${get("http://other.example/x")}; ${get(`http://127.0.0.1:${port}/c`)}`;
    const { content } = await run(script, [`localhost:${port}`]);
    expect(content).toContain("from outside");
    expect(content).toContain("Not reached: other.example is not among the hosts of this command.");
    expect(asked).toEqual(["GET /b"]);
  });

  it("has the way of the proxy and no other: neither a port of the machine nor a name", async () => {
    await start({ commands: { hosts: ["localhost"] } });
    const direct = `node -e 'require("net").connect(${port},"127.0.0.1").on("connect",()=>console.log("CANARY")).on("error",(e)=>console.log(e.code))'`;
    const { content } = await run(
      `${direct}; getent hosts example.com || echo no name; ls /sys/class/net 2>/dev/null`,
      ["localhost"],
    );
    expect(content).toMatch(/ECONNREFUSED\n {2}no name/);
    expect(content).not.toContain("CANARY");
    expect(asked).toEqual([]);
  });

  it("gets certificates and the registry's address, and no key, token or password", async () => {
    const home = path.join(folder, "home");
    const certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    writeFileSync(
      path.join(home, "ca.pem"),
      `${certificate}-----BEGIN PRIVATE KEY-----\nCANARY\n-----END PRIVATE KEY-----\n`,
    );
    writeFileSync(
      path.join(home, ".npmrc"),
      "//r.example/:_authToken=CANARY\nregistry=https://me:CANARY@r.example/npm/\n",
    );
    const env = { SSL_CERT_FILE: path.join(home, "ca.pem"), NPM_TOKEN: "CANARY", npm_config__auth: "CANARY" };
    await start({ commands: { hosts: ["localhost"] } }, env);
    const { content } = await run("env; cat $SSL_CERT_FILE; cat ~/.npmrc; ls /run/agentq", ["localhost"]);
    expect(content).toContain("npm_config_registry=https://r.example/npm/");
    expect(content).toContain("MIIB");
    expect(content).not.toContain("CANARY");
    expect((await run("env; ls /run")).content).not.toMatch(/npm_config|_PROXY|^ *agentq$/m);
  });
});
