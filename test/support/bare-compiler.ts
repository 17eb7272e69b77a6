/** The compiler's own language server without ours before it: what relayed answers are compared with. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";

const launcher = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

export interface BareCompiler {
  readonly connection: MessageConnection;
  readonly capabilities: Record<string, unknown>;
  dispose(): void;
}

/** `settings` answers the sections the compiler asks for. */
export async function startBareCompiler(
  folder: string,
  capabilities: object,
  settings: Readonly<Record<string, unknown>>,
): Promise<BareCompiler> {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [launcher, "--lsp", "--stdio"], {
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.onRequest((method, params) => (method === "workspace/configuration" ? sections(params, settings) : null));
  connection.listen();
  const result = await connection.sendRequest<{ capabilities: Record<string, unknown> }>("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: path.basename(folder) }],
    capabilities,
  });
  await connection.sendNotification("initialized", {});
  return {
    connection,
    capabilities: result.capabilities,
    dispose: () => {
      // The launcher waits for its child, which ends with its input.
      child.stdin.end();
      connection.dispose();
    },
  };
}

/** The answer to `workspace/configuration`. */
export function sections(params: unknown, settings: Readonly<Record<string, unknown>>): unknown[] {
  return (params as { items: { section: string }[] }).items.map(({ section }) => settings[section] ?? null);
}
