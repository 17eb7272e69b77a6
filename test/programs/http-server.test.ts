/** A server that is changed while it serves. */
import { afterEach, expect, it } from "vitest";
import { startLoad, type Load } from "./http-load.ts";
import { startProgram, type Program } from "./with-program.ts";

const files = {
  "package.json": '{ "name": "greeter", "private": true, "type": "module" }\n',
  "src/answer.ts": `
const word: string = "old";
function decorate(n: string): string {
  return \`\${word} \${n}\`;
}
export function answer(n: string): string {
  return decorate(n);
}
`,
  "src/server.ts": `
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { answer } from "./answer.ts";

let served = 0;
export const server = createServer(async (request, response) => {
  served += 1;
  await pause(1);
  response.end(answer(new URL(request.url ?? "/", "http://localhost").searchParams.get("n") ?? ""));
});
export function listen(): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
export const requests = (): number => served;
`,
};

let program: Program | undefined;
let load: Load | undefined;
afterEach(async () => {
  await load?.stop();
  await program?.dispose();
});

async function replies(running: Load, more: number): Promise<void> {
  const wanted = running.replies.length + more;
  while (running.replies.length < wanted && running.dropped.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

it("answers every request while it is redefined, and the next one from the new code", async () => {
  program = startProgram({ files }, { network: "open" });
  const port = Number(await program.value("import { listen, requests } from './src/server.ts'; await listen()"));
  load = startLoad(port, 8);
  const changes: { readonly word: string; readonly begun: number; readonly done: number }[] = [];
  const change = async (word: string, install: () => Promise<unknown>): Promise<void> => {
    await replies(load as Load, 40);
    const begun = performance.now();
    await install();
    changes.push({ word, begun, done: performance.now() });
  };

  const { value, install } = program;
  await change("variable", () => value("word = 'variable'", "src/answer.ts"));
  await change("helper", () => value("function decorate(n: string) { return 'helper ' + n }", "src/answer.ts"));
  await change("export", () =>
    install("export function answer(n: string): string { return `export ${n}` }", "src/answer.ts"),
  );
  await replies(load, 40);
  await load.stop();

  expect(load.dropped).toEqual([]);
  expect(load.replies.filter(({ status }) => status !== 200)).toEqual([]);
  // The state of the module that serves was never touched: it counted every one of them.
  expect(await value("requests()")).toBe(String(load.replies.length));
  const words = ["old", ...changes.map(({ word }) => word)];
  for (const { sent, got, body } of load.replies) {
    const at = words.indexOf(body.split(" ")[0] ?? "");
    const earliest = changes.filter(({ done }) => done < sent).length;
    const latest = changes.filter(({ begun }) => begun < got).length;
    expect(at, `${body}, sent at ${sent}`).toBeGreaterThanOrEqual(earliest);
    expect(at, `${body}, got at ${got}`).toBeLessThanOrEqual(latest);
  }
  expect(new Set(load.replies.map(({ body }) => body.split(" ")[0]))).toEqual(new Set(words));
});

it("can be asked and redefined in the image alone, where there is no network but its own", async () => {
  program = startProgram({ files });
  const { value } = program;
  await value(
    "import { listen, server } from './src/server.ts'; const url = `http://127.0.0.1:${await listen()}/?n=`;",
  );
  await value(`
    const bodies: string[] = [];
    let going = true;
    const asking = (async () => { for (let n = 0; going; n++) bodies.push(await (await fetch(url + n)).text()); })();
    const more = async () => { const until = bodies.length + 20; while (bodies.length < until) await new Promise((r) => setTimeout(r, 1)); };
    await more();`);
  await value("word = 'new'", "src/answer.ts");
  await value("const known = bodies.length; await more(); going = false; await asking");
  expect(await value("bodies.every((body, n) => body.endsWith(' ' + n))")).toBe("true");
  expect(await value("[bodies[0], bodies.at(-1).split(' ')[0], bodies.length >= 40]")).toBe('["old 0", "new", true]');
  // One request may have been under way while the word changed.
  expect(await value("bodies.slice(known + 1).every((body) => body.startsWith('new '))")).toBe("true");
  await value("await new Promise((done) => { server.close(done); server.closeAllConnections() })");
});
