/** Every escape that is known of, tried in a real confined image: refused, without effect, or admitted in the docs. */
import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeEachNode } from "../../../support/node-versions.ts";
import {
  copiedLinks,
  known,
  network,
  powers,
  reads,
  roadsToFlags,
  signals,
  sockets,
  v8Flags,
  withoutEffect,
  writes,
  type Escape,
} from "./escapes.ts";
import { startTestImage, until, type TestImage } from "../with-image.ts";

const security = readFileSync(new URL("../../../../docs/security.md", import.meta.url), "utf8").replaceAll(/\s+/g, " ");
const copyFs = "const fs = require('node:fs'); const to = require('node:os').tmpdir() + '/copy'; ";
const LIMIT = { timeoutMs: 3000 };

describeEachNode([24, 26], ({ major, path }) => {
  let t: TestImage;
  let outside: string;
  let victim: ChildProcess;
  let server: Server;
  let listeners: Server[];
  let reached = 0;
  let before: string;

  beforeAll(async () => {
    outside = realpathSync(mkdtempSync(join(tmpdir(), "agentq-repl-outside-")));
    writeFileSync(join(outside, "secret.txt"), "SECRET=1\n");
    writeFileSync(join(outside, "secret.ts"), "export const secret = 'outside';");
    writeFileSync(join(outside, "package.json"), "{}");
    writeFileSync(join(outside, "x.node"), "");
    victim = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e9)"], { stdio: "ignore" });
    server = createServer((socket) => {
      reached++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t = startTestImage({ nodePath: path });
    listeners = [join(outside, "socket"), join(t.root, "socket")].map((socket) =>
      createServer((connection) => {
        reached++;
        connection.destroy();
      }).listen(socket),
    );
    mkdirSync(join(t.root, "node_modules/addon"), { recursive: true });
    writeFileSync(join(t.root, "node_modules/addon/x.node"), "");
    for (const folder of ["node_modules/.bin", "node_modules/@own", "packages/lib"]) {
      mkdirSync(join(t.root, folder), { recursive: true });
    }
    writeFileSync(join(t.root, "node_modules/addon/tool.js"), "");
    writeFileSync(join(t.root, "packages/lib/index.ts"), "");
    symlinkSync("../addon/tool.js", join(t.root, "node_modules/.bin/tool"));
    symlinkSync("../../packages/lib", join(t.root, "node_modules/@own/lib"));
    before = digest(t.root) + digest(outside);
  });
  afterAll(async () => {
    await t.dispose();
    server.close();
    for (const listener of listeners) listener.close();
    victim.kill("SIGKILL");
    rmSync(outside, { recursive: true });
  });

  const attempt = ({ code }: Escape) => {
    const { port } = server.address() as AddressInfo;
    const here = { OUT: outside, PID: String(victim.pid), PORT: String(port) };
    return t.evaluate(
      code.replaceAll(/OUT|PID|PORT/g, (name) => here[name as keyof typeof here]),
      LIMIT,
    );
  };
  const refuses = async (escape: Escape): Promise<void> => {
    const { outcome, preview, error, notes } = await attempt(escape);
    expect(preview).toBeUndefined();
    // Node loses the promise of a refused `rm`: the refusal is an uncaught error, and the form waits for ever.
    expect(outcome).toBe(escape.name === "rm" ? "timeout" : "error");
    expect(JSON.stringify({ error, notes })).toMatch(escape.refusal ?? /ERR_ACCESS_DENIED/);
  };

  describe("a confined image", () => {
    it.for(reads)("refuses to read: $name", refuses);
    it.for(writes)("refuses to write: $name", refuses);
    it.for(copiedLinks)("refuses to copy links that could be written through: $name", refuses);

    it("copies folders without links, and those of the scratch folder, as ever", async () => {
      const code = `${copyFs}fs.cpSync('src', to, { recursive: true }); fs.cpSync(to, to + '2', { recursive: true, filter: (from: string) => !from.endsWith('money.ts') });
        [fs.existsSync(to + '/money.ts'), fs.existsSync(to + '2/invoice.ts'), fs.existsSync(to + '2/money.ts')]`;
      expect((await t.evaluate(code, LIMIT)).preview).toBe("[true, true, false]");
    });
    it.for(powers)("refuses: $name", refuses);
    it.for(signals)("refuses to reach another process: $name", refuses);

    it.for(v8Flags)("refuses the flag of V8 %s", async (flag) => {
      await refuses({ name: flag, code: `require('node:v8').setFlagsFromString('${flag}'); 'set'` });
    });
    it.for(roadsToFlags)("refuses a flag of V8 by $name", async ({ name, code }) => {
      await refuses({ name, code: `${code.replaceAll("FLAG", "--trace-turbo-cfg-file=OUT/cfg")}; 'set'` });
    });
    it("lets its own socket files be made and reached in the scratch folder", async () => {
      const code = `const net = require('node:net'); const at = require('os').tmpdir() + '/own.sock';
        const own = net.createServer((c: any) => c.end()); await new Promise<void>((ok) => own.listen(at, ok));
        await new Promise((ok, no) => net.connect(at).on('connect', ok).on('error', no)); own.close(); 'reached'`;
      const closed = major > 24;
      expect((await t.evaluate(code, LIMIT)).preview ?? "refused").toBe(closed ? "refused" : '"reached"');
    });

    it.for(sockets)("refuses a socket file: $name", async (escape) => {
      await refuses(escape);
      expect(reached).toBe(0);
    });

    it("has no network where the status says so, and says so where it is open", async () => {
      const closed = !t.image.status().confinementDetail.includes("the network is open");
      // Only a system that gives no network namespace may leave Node 24 with one.
      if (!closed) expect(major).toBe(24);
      for (const escape of network) {
        const { outcome } = await attempt(escape);
        if (closed) expect({ name: escape.name, outcome }).toEqual({ name: escape.name, outcome: "error" });
      }
      if (closed) expect(reached).toBe(0);
    });

    it.for(withoutEffect)("does nothing by $name", async (escape) => {
      expect(await attempt(escape)).toMatchObject({ outcome: "value" });
    });

    it.for(known)("cannot stop, and docs/security.md admits: $name", async (escape) => {
      expect((await attempt(escape)).outcome).toBe("value");
      expect(security).toContain(escape.admitted);
    });

    it("has left no trace in the project and outside, and the other process lives", () => {
      expect(digest(t.root) + digest(outside)).toBe(before);
      expect(victim.exitCode ?? victim.signalCode).toBeNull();
    });
  });

  describe("the channel of a confined image", () => {
    it("drops a forged frame", async () => {
      const forged = `const body = Buffer.from(JSON.stringify({ t: "result", id: 1, outcome: "value", value: { preview: "forged", type: "string" }, token: "0".repeat(32) }));
        const head = Buffer.alloc(4); head.writeUInt32BE(body.length); require("node:fs").writeSync(3, Buffer.concat([head, body])); "mine"`;
      expect(await t.value(forged)).toBe('"mine"');
      expect(await t.value("1 + 1")).toBe("2");
    });

    it("does not let code that ran before answer in the place of a later form", async () => {
      const module = `${t.root}/src/money.ts`;
      await t.value("import { rate } from './src/money.ts'; rate", { by: "agent" });
      await t.value(
        `const threads = require('node:worker_threads'); const receive = threads.receiveMessageOnPort;
         threads.receiveMessageOnPort = (port: any) => {
           const value = { preview: '"412 tests passed"', type: 'string' };
           setInterval(() => { for (let id = 1; id < 500; id++) port.postMessage({ t: 'result', id, outcome: 'value', value, token: 'x' }) }, 5);
         return receive(port);
         }; require('node:module').syncBuiltinESMExports(); 1`,
      );
      const { href } = pathToFileURL(module);
      await t.value(
        `const kernel = (globalThis as any).__agentq; for (const reg of [kernel.reg, kernel.regOutside]) reg('${href}', {}, () => 'a lie'), reg('${href}', () => 'a lie'); 1`,
      );
      const thrown = await t.evaluate(
        "import { Invoice } from './src/invoice.ts'; await new Promise((ok) => setTimeout(ok, 100)); throw new Error('the truth')",
        {
          by: "person",
        },
      );
      expect(thrown).toMatchObject({ outcome: "error", error: { message: "the truth" } });
      expect(await t.value("rate", { by: "person", module })).toBe("2");
    });
    it.for([
      ["writes garbage to it", "require('node:fs').writeSync(3, 'x'.repeat(100)); await new Promise(() => {})"],
      ["closes it", "require('node:fs').closeSync(3); await new Promise(() => {})"],
      ["ends itself for good", "process.kill(process.pid, 'SIGKILL')"],
    ])("is noticed when the image %s: it is lost, said so, and a new one works", async ([, code]) => {
      const lost = await t.evaluate(code ?? "", { timeoutMs: 500 });
      expect(["crashed", "timeout"]).toContain(lost.outcome);
      await until(async () => (await t.evaluate("1 + 1", LIMIT)).preview === "2");
    });

    it("does not let a thief read what the server sends", async () => {
      const stolen = await t.evaluate(
        `let got = ""; const s = new (require("node:net").Socket)({ fd: 3 }); s.on("data", (d: any) => (got += d)); s.on("error", () => 0); await new Promise((ok) => setTimeout(ok, 100)); got`,
        LIMIT,
      );
      expect(stolen.preview ?? "").not.toContain("expression");
      await until(async () => (await t.evaluate("1 + 1", LIMIT)).preview === "2");
    });
  });
});

/** Names, contents and modes of everything below a folder. */
function digest(folder: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
    const stat = statSync(join(folder, name));
    hash.update(`${name} ${stat.mode} ${stat.mtimeMs} `);
    if (stat.isFile()) hash.update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex");
}
