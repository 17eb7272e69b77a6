/** `agentq mcp`: the tools for the programs of others. */
import { given } from "../base/given.ts";
import { composeServices } from "../composition/compose.ts";
import { findEditor } from "../doors/handover/find-editor.ts";
import { folderGiven } from "../doors/mcp/folder.ts";
import { serveMcp } from "../doors/mcp/serve-mcp.ts";
import { isProfile } from "../doors/mcp/told-tools.ts";
import { readSettingsFile } from "../doors/settings-file.ts";
import { keepServing } from "./keep-serving.ts";

/** A server within another process is made of these. */
export { findEditor, serveMcp };

export interface McpArguments {
  readonly settings?: string;
  readonly only: string;
  readonly root?: string;
  readonly structured: boolean;
}

/** Ends the process when the client is gone. Answers why nothing is served, where an argument is wrong. */
export async function serveTools(version: string, args: McpArguments): Promise<string | undefined> {
  const { settings: settingsFile, only, root, structured } = args;
  const settings = settingsFile === undefined ? {} : await readSettingsFile(settingsFile);
  if (typeof settings === "string") return settings;
  if (!isProfile(only)) return `--only takes repl, compiler, both or all: "${only}".`;
  const folder = root === undefined ? undefined : folderGiven(root);
  if (folder?.why !== undefined) return folder.why;
  keepServing();
  await serveMcp({
    input: process.stdin,
    output: process.stdout,
    cwd: process.cwd(),
    ...given({ root: folder?.path }),
    version,
    settings,
    profile: only,
    isStructured: structured,
    findEditor: (offered) => findEditor(offered, process.env),
    report: (message) => process.stderr.write(`agentq: ${message}\n`),
    compose: (client, setup) => composeServices({ version, variables: process.env }, client, setup),
  });
  process.exit(0);
}
