/** A server that ends, however it ends, loses no open review: the next one of the workspace goes on with it. */
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { describeWalled, treeOf, walledPath } from "../support/wall.ts";
import { ServerClient } from "../support/server-client.ts";

const example = fileURLToPath(new URL("../../examples/invoices", import.meta.url));
let folder: string;
let state: string;
let clients: ServerClient[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-kept-")));
  state = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-state-")));
  cpSync(example, folder, { recursive: true });
  clients = [];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  for (const each of [folder, state]) rmSync(each, { recursive: true, force: true });
});

const at = (file: string): string => path.join(folder, file);
const read = (file: string): string => readFileSync(at(file), "utf8");

type Options = Parameters<ServerClient["initialize"]>[1];

async function start(options: Options = {}, isProgram = false): Promise<ServerClient> {
  const env = { ANTHROPIC_API_KEY: "sk-test", XDG_STATE_HOME: state, PATH: walledPath() };
  const client = new ServerClient({ isProgram, env });
  clients.push(client);
  await client.initialize([folder], options);
  return client;
}

/** A server that is killed, or whose place on the disk is looked at. */
const startProgram = (options?: Options): Promise<ServerClient> => start(options, true);

async function kill(client: ServerClient): Promise<void> {
  const exited = new Promise((resolve) => client.child.once("exit", resolve));
  client.connection.dispose();
  client.child.kill("SIGKILL");
  await exited;
  clients.splice(clients.indexOf(client), 1);
}

const edits = [
  { op: "replace_all", path: "src/tax.ts", original: "export", modified: "export /* first */" },
  { op: "insert_at_end", path: "src/allocate.ts", modified: "export const broken: string = 1;\n" },
  { op: "create", path: "src/new.ts", modified: "export const made = 1;\n" },
];

async function propose(client: ServerClient): Promise<Proposal> {
  // Nobody hears the answer of a server that is killed.
  client
    .request("agentq/callTool", { name: "propose_edits", arguments: { description: "Because.", edits } })
    .catch(() => undefined);
  return client.nextProposal();
}

/** Accepts or rejects all that is pending, and applies what was accepted. */
async function decide(client: ServerClient, proposal: Proposal, decision: "accept" | "reject"): Promise<void> {
  const { proposalId } = proposal;
  const pending = proposal.hunks.filter((hunk) => hunk.state === "pending");
  const hunks = pending.map(({ id }) => ({ id, decision }));
  const { edit } = await client.request("agentq/decide", { proposalId, hunks });
  applyOnDisk(edit);
  if (edit !== null) await client.request("agentq/didApply", { proposalId, documents: [] });
}

function warnings({ received }: ServerClient): string[] {
  const all = received as readonly { method: string; params: unknown }[];
  return all
    .filter(({ method }) => method === "window/showMessage")
    .map(({ params }) => (params as { message: string }).message);
}

describe("an open review", () => {
  it("of a killed server is announced by the next one, checked anew, decided, undone after one more kill", async () => {
    const before = Object.fromEntries(["src/tax.ts", "src/allocate.ts"].map((file) => [file, read(file)]));
    const first = await startProgram();
    const proposal = await propose(first);
    const { proposalId } = proposal;
    await kill(first);

    writeFileSync(at("src/tax.ts"), `// mine\n${read("src/tax.ts")}`);
    const second = await startProgram();
    const kept = await second.nextProposal();
    expect(kept).toMatchObject({ proposalId, title: proposal.title, state: "pending" });
    expect(kept.why).toMatch(/^KEPT from a server that ended .* no model is told of it\. Because\.$/);
    const [was, is] = [proposal, kept].map(({ hunks }) => hunks.find(({ uri }) => uri.endsWith("tax.ts"))?.range.start);
    expect(is?.line).toBe((was?.line ?? 0) + 1);
    expect((await second.request("agentq/listProposals", { state: "pending" })).items).toMatchObject([{ proposalId }]);
    const all = kept.hunks.map(({ id }) => ({ id, decision: "accept" as const }));
    const check = await second.request("agentq/checkSubset", { proposalId, hunks: all });
    expect(check.introduced.map(({ message }) => message)).toEqual([
      expect.stringContaining("'number' is not assignable"),
    ]);
    await decide(second, kept, "accept");
    expect(read("src/tax.ts")).toBe(`// mine\n${before["src/tax.ts"]?.replaceAll("export", "export /* first */")}`);
    expect(read("src/new.ts")).toBe("export const made = 1;\n");
    await kill(second);

    const third = await start();
    const { items } = await third.request("agentq/listProposals", {});
    expect(items).toMatchObject([{ proposalId, state: "applied" }]);
    expect((await third.request("agentq/exportProposal", { proposalId })).patch).toContain("+export const made = 1;");
    await third.request("agentq/undoProposal", { proposalId });
    await decide(third, await third.nextProposal(), "accept");
    expect(read("src/tax.ts")).toBe(`// mine\n${before["src/tax.ts"]}`);
    expect(read("src/allocate.ts")).toBe(before["src/allocate.ts"]);
    expect(readdirSync(at("src"))).not.toContain("new.ts");
  });

  it("stays open when the editor ends its server by the book", async () => {
    const first = await startProgram();
    const { proposalId } = await propose(first);
    expect(await first.close()).toBe(0);
    expect(await (await start()).nextProposal()).toMatchObject({ proposalId, state: "pending" });
  });

  it("is asked about again where the decision's edit never came to the files, and only there", async () => {
    const first = await startProgram();
    const { proposalId, hunks } = await propose(first);
    const all = hunks.map(({ id }) => ({ id, decision: "accept" as const }));
    const { edit } = await first.request("agentq/decide", { proposalId, hunks: all });
    const [change] = edit?.documentChanges ?? [];
    applyOnDisk({ documentChanges: change === undefined ? [] : [change] });
    await kill(first);
    const second = await start();
    const kept = await second.nextProposal();
    const done = change !== undefined && "textDocument" in change ? change.textDocument.uri : "";
    expect(new Set(kept.hunks.filter(({ state: of }) => of === "accepted").map(({ uri }) => uri))).toEqual(
      new Set([done]),
    );
    expect(kept.hunks.filter(({ uri }) => uri !== done).every(({ state: of }) => of === "pending")).toBe(true);
    await decide(second, kept, "accept");
    expect(read("src/allocate.ts")).toContain("broken");
    expect(read("src/new.ts")).toBe("export const made = 1;\n");
  });

  it("sees what the editor still holds unsaved", async () => {
    const first = await start();
    const uri = await first.open(at("src/tax.ts"), read("src/tax.ts"));
    const { proposalId, hunks } = await propose(first);
    const own = hunks.filter((hunk) => hunk.uri === uri).map(({ id }) => ({ id, decision: "accept" as const }));
    const { edit } = await first.request("agentq/decide", { proposalId, hunks: own });
    await first.apply(proposalId, edit);
    const unsaved = first.textOf(uri) ?? "";
    await first.close();
    const second = await start();
    await second.open(at("src/tax.ts"), unsaved);
    const kept = await second.nextProposal();
    expect(kept.hunks.filter((hunk) => hunk.uri === uri).map(({ state: of }) => of)).toEqual(own.map(() => "accepted"));
    await second.close();
    // The editor has gone too, and the file never held the text.
    const lost = await (await start()).nextProposal();
    expect(lost.hunks.filter((hunk) => hunk.uri === uri).map(({ state: of }) => of)).toEqual(own.map(() => "pending"));
  });

  it("belongs to the server that announced it for as long as that server runs", async () => {
    const first = await startProgram();
    const { proposalId } = await propose(first);
    const second = await start();
    expect((await second.request("agentq/listProposals", {})).items).toEqual([]);
    await expect(second.request("agentq/openProposal", { proposalId })).rejects.toMatchObject({ code: -33003 });
    await kill(first);
    expect(await second.nextProposal()).toMatchObject({ proposalId });
  });

  it("is left alone by an editor that shows no proposals", async () => {
    const first = await start();
    const { proposalId } = await propose(first);
    await first.close();
    const plain = await start({ agentq: { version: 1, proposals: false } });
    expect((await plain.request("agentq/listProposals", {})).items).toEqual([]);
    await plain.close();
    expect(await (await start()).nextProposal()).toMatchObject({ proposalId });
  });
});

describe("where proposals are kept", () => {
  const database = (): string =>
    path.join(
      state,
      "agentq/workspaces",
      readdirSync(path.join(state, "agentq/workspaces")).find((name) => name.endsWith(".sqlite")) ?? "",
    );

  it("nobody but the owner can read, and a lock file stays no longer than its server", async () => {
    const first = await startProgram();
    await propose(first);
    const below = path.dirname(database());
    for (const name of readdirSync(below)) expect(statSync(path.join(below, name)).mode & 0o777, name).toBe(0o600);
    expect(statSync(below).mode & 0o777).toBe(0o700);
    expect(readdirSync(below).filter((name) => name.includes(".server-"))).toHaveLength(1);
    await kill(first);
    const second = await startProgram();
    await second.nextProposal();
    expect(readdirSync(below).filter((name) => name.includes(".server-"))).toHaveLength(1);
    await second.close();
    expect(readdirSync(below).filter((name) => name.includes(".server-"))).toEqual([]);
  });

  it("nothing is written with the setting off, and what was there is deleted", async () => {
    const first = await start();
    const proposal = await propose(first);
    await decide(first, proposal, "reject");
    await first.close();
    // With this begins what is compressed.
    const frame = Buffer.from("28b52ffd", "hex");
    expect(readFileSync(database()).includes(frame)).toBe(true);
    const off = { initializationOptions: { proposals: { keep: "off" } } };
    const second = await startProgram(off);
    await propose(second);
    await kill(second);
    const third = await start();
    expect((await third.request("agentq/listProposals", {})).items).toEqual([]);
    // The audit log holds arguments of calls; of the files themselves nothing is left.
    expect(readFileSync(database()).includes("each class of goods")).toBe(false);
    expect(readFileSync(database()).includes(frame)).toBe(false);
  });

  it("a file of no use stops nothing, and is told once", async () => {
    const first = await start();
    await propose(first);
    await first.close();
    for (const name of readdirSync(path.dirname(database()))) {
      if (!name.endsWith(".sqlite")) rmSync(path.join(path.dirname(database()), name));
    }
    writeFileSync(database(), "no database at all, and long enough to be looked at".repeat(50));
    const second = await start();
    await decide(second, await propose(second), "accept");
    expect(read("src/new.ts")).toBe("export const made = 1;\n");
    expect(warnings(second)).toEqual([expect.stringMatching(/cannot be used: .*open reviews .* in memory only/)]);
  });
});

it("names a file of a proposal by the same place after a restart", async () => {
  const first = await start();
  const { documents } = await propose(first);
  await first.close();
  const kept = await (await start()).nextProposal();
  expect(kept.documents.map(({ uri }) => uri)).toEqual(documents.map(({ uri }) => uri));
  expect(kept.documents[0]?.uri).toBe(pathToFileURL(at("src/tax.ts")).href);
});

describeWalled("an open review of whole files", () => {
  it("is taken up with modes, links and bytes, and undone by the server after that", async () => {
    const before = treeOf(folder);
    const command =
      "chmod 755 src/tax.ts; ln -s money.ts src/link.ts; printf '\\377\\000\\376' > logo.bin; mkdir bin; printf '#!/bin/sh\\n' > bin/run; chmod 755 bin/run";
    const first = await start();
    first.request("agentq/callTool", { name: "run_command", arguments: { command } }).catch(() => undefined);
    const { proposalId } = await first.nextProposal();
    await first.close();
    expect(treeOf(folder)).toEqual(before);

    const second = await start();
    const kept = await second.nextProposal();
    expect(kept).toMatchObject({ proposalId, state: "pending" });
    await decide(second, kept, "accept");
    expect(statSync(at("src/tax.ts")).mode & 0o777).toBe(0o755);
    expect(readlinkSync(at("src/link.ts"))).toBe("money.ts");
    expect([...readFileSync(at("logo.bin"))]).toEqual([255, 0, 254]);
    expect(statSync(at("bin/run")).mode & 0o777).toBe(0o755);
    await second.close();

    const third = await start();
    await third.request("agentq/undoProposal", { proposalId });
    await decide(third, await third.nextProposal(), "accept");
    const after = treeOf(folder);
    delete after["bin"];
    expect(after).toEqual(before);
  });
});
