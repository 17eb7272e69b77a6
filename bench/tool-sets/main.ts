/**
 * What a model pays before the first word: system prompt and tools of agents and of MCP servers, in characters of the
 * request that they send. The agents run with an empty home and a scripted model on the loopback address.
 *
 *     node bench/tool-sets/main.ts
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { reply } from "../../examples/demo/model/script.ts";
import { startScriptedModel } from "../../examples/demo/scripted-model.ts";
import { play } from "../answer-lengths/play.ts";
import { claudeCode, opencode, type AgentCommand, type AgentTask } from "../support/agents.ts";
import { installAgents, installPeers, repository } from "../support/install.ts";
import { McpClient } from "../support/mcp-client.ts";
import { cclsp, nativeServer, ownProgram } from "../support/servers.ts";
import type { ServerCommand } from "../support/lsp-client.ts";
import { inTemporaryFolder } from "../support/setting.ts";

interface ToolSet {
  readonly name: string;
  readonly prompt: number;
  readonly tools: number;
  readonly count: number;
}

const ENDS_AFTER_MS = 90_000;

const [agents, peers] = [installAgents(), installPeers()];
if ("missing" in agents || "missing" in peers) throw new Error(JSON.stringify({ agents, peers }));
const agentsFolder = agents.value;
const modules = path.join(agentsFolder, "node_modules");

await inTemporaryFolder(async (temporary) => {
  const folder = path.join(realpathSync(temporary), "invoices");
  cpSync(path.join(repository, "examples/invoices"), folder, { recursive: true });
  const { always } = await play({ title: "none", project: "invoices", calls: [], facts: [] }, ownProgram, folder);
  const languageServer = ["--bin", nativeServer().command.join(" "), "--files", "src/**/*.ts"];
  const lsmcp: ServerCommand = {
    command: [process.execPath, path.join(modules, "@mizchi/lsmcp/dist/lsmcp.js"), ...languageServer],
  };
  const rows: ToolSet[] = [
    { name: "Agent-Q", prompt: always.prompt, tools: always.tools, count: always.count },
    await agent("Claude Code", temporary, folder, claudeCode),
    await agent("opencode", temporary, folder, opencode),
    await mcpServer("lsmcp", lsmcp, folder),
    await mcpServer("cclsp", cclsp(peers.value, path.join(temporary, "cclsp.json")), folder),
  ];
  console.log("| | system prompt | tools | characters of both |\n| --- | ---: | ---: | ---: |");
  for (const { name, prompt, tools, count } of rows) {
    console.log(`| ${name} | ${prompt} | ${count}: ${tools} | ${prompt + tools} |`);
  }
});

type Started = (task: AgentTask) => AgentCommand;

/** The largest request: agents ask for a title of the conversation too. */
async function agent(name: string, temporary: string, folder: string, started: Started): Promise<ToolSet> {
  const script = { name: "done", description: "says that it is done", reply: () => reply("Done.") };
  const model = await startScriptedModel(script, { project: folder });
  const home = path.join(temporary, name.replaceAll(" ", "-"));
  mkdirSync(home);
  const task = { agents: agentsFolder, url: model.url, folder, prompt: "What is Money?" };
  const { command, env } = started(task);
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin", HOME: home, ...env },
    stdio: "ignore",
    timeout: ENDS_AFTER_MS,
  });
  await new Promise((resolve) => child.once("exit", resolve).once("error", resolve));
  const sets = model.requests.map(({ system, tools = [] }) => {
    return { name, prompt: textOf(system).length, tools: charactersOf(tools), count: tools.length };
  });
  await model.dispose();
  const [most] = sets.toSorted((a, b) => b.prompt + b.tools - a.prompt - a.tools);
  if (most === undefined) throw new Error(`${name} sent no request.`);
  return most;
}

/** The prompt is that of the agent which asks the server. */
async function mcpServer(name: string, command: ServerCommand, folder: string): Promise<ToolSet> {
  const client = new McpClient(command, folder);
  await client.start();
  const { tools } = await client.request<{ readonly tools: readonly unknown[] }>("tools/list", {});
  await client.close();
  return { name, prompt: 0, tools: charactersOf(tools), count: tools.length };
}

function charactersOf(tools: unknown): number {
  return JSON.stringify(tools, (key, value: unknown) => (key === "cache_control" ? undefined : value)).length;
}
