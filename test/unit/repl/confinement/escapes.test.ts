/** Every escape that is known of, tried in a real confined image: refused, without effect, or admitted in the docs. */
import { readFileSync } from "node:fs";
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
import { stageForms, type FormStage } from "./form-stage.ts";
import { startTestImage, until, type TestImage } from "../with-image.ts";

const security = readFileSync(new URL("../../../../docs/security.md", import.meta.url), "utf8").replaceAll(/\s+/g, " ");
const copyFs = "const fs = require('node:fs'); const to = require('node:os').tmpdir() + '/copy'; ";
const LIMIT = { timeoutMs: 3000 };

describeEachNode([24, 26], ({ major, path }) => {
  let stage: FormStage;
  let t: TestImage;
  beforeAll(async () => {
    t = startTestImage({ nodePath: path });
    stage = await stageForms(t);
  });
  afterAll(() => stage.dispose());

  const attempt = ({ code }: Escape) => t.evaluate(stage.here(code), LIMIT);
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
      expect(stage.reached()).toBe(0);
    });

    it("has no network where the status says so, and says so where it is open", async () => {
      const closed = !t.image.status().confinementDetail.includes("the network is open");
      // Only a system that gives no network namespace may leave Node 24 with one.
      if (!closed) expect(major).toBe(24);
      for (const escape of network) {
        const { outcome } = await attempt(escape);
        if (closed) expect({ name: escape.name, outcome }).toEqual({ name: escape.name, outcome: "error" });
      }
      if (closed) expect(stage.reached()).toBe(0);
    });

    it.for(withoutEffect)("does nothing by $name", async (escape) => {
      expect(await attempt(escape)).toMatchObject({ outcome: "value" });
    });

    it.for(known)("cannot stop, and docs/security.md admits: $name", async (escape) => {
      expect((await attempt(escape)).outcome).toBe("value");
      expect(security).toContain(escape.admitted);
    });

    it("has left no trace in the project and outside, and the other process lives", () => {
      stage.expectUntouched();
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
