/** An answer is whole from the first moment on: before the projects are loaded, after the compiler died, with new folders. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as until } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { askOverStdio } from "../support/ask-over-stdio.ts";
import { copyMonorepo } from "../support/monorepo.ts";
import { ServerClient } from "../support/server-client.ts";
import { runsAll } from "../support/extent.ts";

const clients: ServerClient[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Of the generated project. */
const FILES = runsAll ? 1_200 : 400;

function newFolder(root: string): string {
  folders.push(root);
  return root;
}

function connect(): ServerClient {
  const client = new ServerClient({ isProgram: true });
  clients.push(client);
  return client;
}

async function open(root: string): Promise<ServerClient> {
  const client = connect();
  await client.initialize([root]);
  return client;
}

function generate(files: number): string {
  const root = newFolder(realpathSync(mkdtempSync(join(tmpdir(), "agentq-cold-"))));
  writeFileSync(
    join(root, "tsconfig.json"),
    '{ "compilerOptions": { "types": [], "strict": true }, "include": ["src"] }',
  );
  for (let index = 0; index < files; index += 1) {
    const folder = join(root, "src", `part${index % 40}`);
    mkdirSync(folder, { recursive: true });
    const uses =
      index === 0 ? "" : `import { make0 } from "../part0/file0";\nexport const made${index} = make0(${index});\n`;
    const text = `${uses}export function make${index}(size: number): Shape${index} { return { size }; }\nexport interface Shape${index} { size: number }\n`;
    writeFileSync(join(folder, `file${index}.ts`), text);
  }
  return root;
}

describe("the same question", () => {
  const projects = [
    ["the monorepo", () => newFolder(copyMonorepo().root), "weigh"],
    [`a project of ${FILES} files`, () => generate(FILES), "make0"],
  ] as const;

  it.each(runsAll ? projects : projects.slice(1))(
    "has the same whole answer at any time after the start, in %s",
    { timeout: 120_000 },
    async (_name, make, symbol) => {
      const root = make();
      const answers: string[] = [];
      for (const after of runsAll ? [0, 200, 1_000, 5_000] : [0, 300]) {
        const client = await open(root);
        await until(after);
        const callers = await askOverStdio(client, "who_calls", { symbol, limit: 1_000 });
        const symbols = await askOverStdio(client, "apropos_search", { pattern: symbol.slice(0, 4) });
        answers.push(`${callers}\n${symbols}`);
        await client.close();
      }
      expect(answers[0]).toContain("complete: true");
      expect(new Set(answers).size).toBe(1);
      expect(answers[0]).toContain(
        symbol === "weigh" ? "9 call sites in 7 files" : `${FILES - 1} call sites in ${FILES - 1} files`,
      );
    },
  );
});

describe("while the projects load", () => {
  it("shows progress to a client that can show it, and nothing to one that cannot", async () => {
    const root = newFolder(copyMonorepo().root);
    const seen: string[] = [];
    const client = connect();
    const created = new Set<string>();
    client.connection.onRequest("window/workDoneProgress/create", ({ token }: { token: string }) => {
      created.add(token);
      return null;
    });
    type Progress = { token: string; value: { kind: string; title?: string } };
    client.connection.onNotification("$/progress", ({ token, value }: Progress) => {
      const whose = created.has(token) ? "" : "of a token that was not created: ";
      seen.push(`${whose}${value.kind} ${value.title ?? ""}`.trim());
    });
    const folder = { uri: pathToFileURL(root).href, name: "acme" };
    const capabilities = { window: { workDoneProgress: true } };
    await client.connection.sendRequest("initialize", {
      processId: null,
      rootUri: null,
      workspaceFolders: [folder],
      capabilities,
    });
    await client.connection.sendNotification("initialized", {});
    await askOverStdio(client, "who_calls", { symbol: "weigh" });
    await expect.poll(() => seen).toEqual(["begin Loading TypeScript projects", "end"]);
    expect(created.size).toBe(1);

    const plain = await open(root);
    await askOverStdio(plain, "who_calls", { symbol: "weigh" });
    expect(plain.received.filter(({ method }) => (method as string) === "$/progress")).toEqual([]);
  });
});

describe("a compiler that is killed", () => {
  it("is started again for the next question, whose answer is as whole as before", async () => {
    const client = await open(newFolder(copyMonorepo().root));
    const before = await askOverStdio(client, "who_calls", { symbol: "weigh" });
    for (const compiler of childrenOf(client.child.pid ?? 0)) process.kill(compiler, "SIGKILL");
    expect(await askOverStdio(client, "who_calls", { symbol: "weigh" })).toBe(before);
    expect(before).toContain("complete: true");
  });
});

describe("workspace folders", () => {
  it("that are added while the server runs are searched, and no longer when they are removed", async () => {
    const root = newFolder(copyMonorepo().root);
    const client = connect();
    const folder = (name: string): { uri: string; name: string } => ({
      uri: pathToFileURL(join(root, name)).href,
      name,
    });
    const change = (event: object): Promise<void> =>
      client.connection.sendNotification("workspace/didChangeWorkspaceFolders", { event });
    await client.connection.sendRequest("initialize", {
      processId: null,
      rootUri: null,
      workspaceFolders: [folder("packages/core")],
      capabilities: { workspace: { workspaceFolders: true } },
    });
    await client.connection.sendNotification("initialized", {});
    const alone = await askOverStdio(client, "who_calls", { symbol: "weigh" });
    expect(alone).toContain("3 call sites in 2 files");
    await change({ added: [folder("packages/store")], removed: [] });
    const both = await askOverStdio(client, "who_calls", { symbol: "weigh" });
    expect(both).toContain("4 call sites in 3 files");
    expect(both).toContain("store/src/store.ts:11 Row.fill");
    await change({ added: [], removed: [folder("packages/store")] });
    expect(await askOverStdio(client, "who_calls", { symbol: "weigh" })).toBe(alone);
  });
});

/** The native compilers among a process's children. */
function childrenOf(pid: number): number[] {
  const running = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return running.map(Number).filter((child) => {
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${child}/stat`, "utf8")) ?? [];
      return Number(parent) === pid && readFileSync(`/proc/${child}/cmdline`, "utf8").includes("--lsp");
    } catch {
      return false;
    }
  });
}
