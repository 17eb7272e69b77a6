/** Resident memory of the server and each of its children, beside what the peers hold for the same project. */
import type { EvalResult, ReplStatus } from "../../server/src/protocol/repl-shapes.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import type { Status } from "../../server/src/protocol/status.ts";
import { memoryBySize } from "./memory-by-size.ts";
import type { LargeProject } from "../support/install.ts";
import { LspClient, type ServerCommand } from "../support/lsp-client.ts";
import { canReadProcesses, processTree } from "../support/processes.ts";
import { rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { agentqServer, nativeServer, typescriptLanguageServer, uriOf, vtsls } from "../support/servers.ts";
import type { Setting } from "../support/setting.ts";

const ROUNDS = 3;

/** MB by the processes that hold them. */
type Figures = Readonly<Record<string, number>>;

export async function measureMemory(setting: Setting): Promise<MeasureReport> {
  if (!canReadProcesses) return skip("this system has no /proc to read");
  const packages = await memoryByProcess(setting);
  const generated = await memoryBySize(setting);
  return { rows: [...packages.rows, ...generated.rows], notes: [...packages.notes, ...generated.notes] };
}

async function memoryByProcess({ program, peers, large, rounds }: Setting): Promise<MeasureReport> {
  if ("missing" in large) return skip(large.missing);
  const project = large.value;
  const contenders: Record<string, () => Promise<Figures>> = {
    agentq: () => ofAgentq(agentqServer(program), project),
    native: () => ofPeer("bare native server, project loaded", nativeServer(), project),
  };
  if ("value" in peers) {
    const server = typescriptLanguageServer(peers.value);
    contenders["tls"] = () => ofPeer("typescript-language-server, project loaded", server, project);
    contenders["vtsls"] = () => ofPeer("vtsls, project loaded", vtsls(peers.value), project);
  }
  const samples = Object.values(await inTurns(contenders, rounds(ROUNDS))).flat();
  const subjects = [...new Set(samples.flatMap((figures) => Object.keys(figures)))];
  const bySubject = subjects.map((subject) => [
    subject,
    samples.flatMap((figures) => (figures[subject] === undefined ? [] : [figures[subject]])),
  ]);
  const skipped =
    "value" in peers ? [] : [{ measure: "memory", subject: "typescript-language-server", skipped: peers.missing }];
  return {
    rows: [...rowsOf({ measure: "memory (RSS)", unit: "MB" }, Object.fromEntries(bySubject)), ...skipped],
    notes: [],
  };
}

function skip(skipped: string): MeasureReport {
  return { rows: [{ measure: "memory", subject: "all", skipped }], notes: [] };
}

async function ofAgentq(server: ServerCommand, project: LargeProject): Promise<Figures> {
  const client = new LspClient(server, project.folder);
  try {
    await client.initialize(project.folder);
    const afterInitialize = rssOf(client.pid);
    await client.notify("initialized", {});
    await client.open(project.declaringFile);
    const call = { name: "who_calls", arguments: { symbol: project.address } };
    const result = await client.request<ToolResult>("agentq/callTool", call);
    if (!result.success) throw new Error(`who_calls: ${result.error ?? ""}`);
    const loaded = processTree(client.pid);
    const serverMb = loaded[0]?.rssMb ?? Number.NaN;
    const compilerMb = sum(loaded.slice(1).map(({ rssMb }) => rssMb));
    await client.request<EvalResult>("agentq/evaluate", { code: "1+1" });
    const { repl } = await client.request<Status>("agentq/status", {});
    const all = processTree(client.pid);
    const image = imageOf(
      repl,
      all.map(({ pid }) => pid),
    );
    return {
      "agentq server, after initialize": afterInitialize,
      "agentq server, project loaded": serverMb,
      "agentq's compiler process, project loaded": compilerMb,
      "agentq's image, after one evaluation": sum(
        all.filter(({ pid }) => image.includes(pid)).map(({ rssMb }) => rssMb),
      ),
      "agentq, all processes": sum(all.map(({ rssMb }) => rssMb)),
    };
  } finally {
    await client.close();
  }
}

/** The image's process and what it started; a status without a process id means that there is none. */
function imageOf({ pid }: ReplStatus, living: readonly number[]): number[] {
  if (pid === undefined || !living.includes(pid))
    throw new Error("no process of the image is running after an evaluation");
  return processTree(pid).map((member) => member.pid);
}

async function ofPeer(subject: string, server: ServerCommand, project: LargeProject): Promise<Figures> {
  const client = new LspClient(server, project.folder);
  try {
    await client.start(project.folder);
    await client.open(project.declaringFile);
    const textDocument = { uri: uriOf(project.declaringFile) };
    const params = { textDocument, position: project.position, context: { includeDeclaration: true } };
    await client.request("textDocument/references", params);
    return { [subject]: sum(processTree(client.pid).map(({ rssMb }) => rssMb)) };
  } finally {
    await client.close();
  }
}

function rssOf(pid: number): number {
  return processTree(pid)[0]?.rssMb ?? Number.NaN;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
