/** The contenders of the warm measures, each asked in its own words; an answer is what it sends back. */
import path from "node:path";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import type { LargeProject } from "./install.ts";
import { LspClient, type ServerCommand } from "./lsp-client.ts";
import { McpClient } from "./mcp-client.ts";
import type { QuestionKind, SymbolQuestion } from "./questions.ts";
import { cclsp, uriOf } from "./servers.ts";

export interface Asker {
  readonly pid: number;
  /** Undefined when this contender has no request for such a question. */
  ask(kind: QuestionKind, question: SymbolQuestion | string): Promise<unknown> | undefined;
  close(): Promise<void>;
}

const TOOLS: Readonly<Record<QuestionKind, (about: string) => { readonly name: string; readonly arguments: object }>> =
  {
    describe: (symbol) => ({ name: "describe_symbol", arguments: { symbol } }),
    references: (variable) => ({ name: "who_references", arguments: { variable } }),
    callers: (about) => ({ name: "who_calls", arguments: { symbol: about } }),
    hierarchy: (about) => ({ name: "class_hierarchy", arguments: { symbol: about } }),
    apropos: (pattern) => ({ name: "apropos_search", arguments: { pattern } }),
  };

export async function agentqAsker(server: ServerCommand, project: LargeProject): Promise<Asker> {
  const client = await started(server, project);
  return {
    pid: client.pid,
    ask: async (kind, question) => {
      const call = TOOLS[kind](typeof question === "string" ? question : question.address);
      const result = await client.request<ToolResult>("agentq/callTool", call);
      if (!result.success || !result.metadata.complete)
        throw new Error(`${call.name}: ${result.error ?? result.content}`);
      return result.content;
    },
    close: () => client.close(),
  };
}

/** The requests of the protocol that the tool's answer is made of; the peers are asked the same. */
export async function lspAsker(server: ServerCommand, project: LargeProject): Promise<Asker> {
  const client = await started(server, project);
  const opened = new Set([project.declaringFile]);
  return {
    pid: client.pid,
    ask: async (kind, question) => {
      if (typeof question === "string") return client.request("workspace/symbol", { query: question });
      // A tsserver answers about open files only.
      if (!opened.has(question.file)) await client.open(question.file);
      opened.add(question.file);
      const textDocument = { uri: uriOf(question.file) };
      const at = { textDocument, position: question.position };
      const references = (): Promise<unknown> =>
        client.request("textDocument/references", { ...at, context: { includeDeclaration: true } });
      if (kind === "hierarchy") return client.request("textDocument/implementation", at);
      if (kind !== "describe") return references();
      return Promise.all([
        client.request("textDocument/documentSymbol", { textDocument }),
        client.request("textDocument/hover", at),
        references(),
      ]);
    },
    close: () => client.close(),
  };
}

export async function cclspAsker(peers: string, project: LargeProject): Promise<Asker> {
  const client = new McpClient(cclsp(peers, path.join(peers, "cclsp.json")), project.folder);
  await client.start();
  return {
    pid: client.pid,
    ask: async (kind, question) => {
      if (typeof question === "string") return client.callTool("find_workspace_symbols", { query: question });
      const { file, name, position } = question;
      const at = { file_path: file, line: position.line + 1, character: position.character + 1 };
      if (kind === "hierarchy") return client.callTool("find_implementation", at);
      const references = (): Promise<string> =>
        client.callTool("find_references", { file_path: file, symbol_name: name });
      if (kind === "callers") return client.callTool("get_incoming_calls", at);
      if (kind === "references") return references();
      return Promise.all([client.callTool("get_hover", at), references()]);
    },
    close: () => client.close(),
  };
}

async function started(server: ServerCommand, project: LargeProject): Promise<LspClient> {
  const client = new LspClient(server, project.folder);
  await client.start(project.folder);
  await client.open(project.declaringFile);
  return client;
}
