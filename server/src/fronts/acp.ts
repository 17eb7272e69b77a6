/** `agentq acp`: the agent for clients of the Agent Client Protocol. */
import { serveAcp } from "../doors/acp/serve-acp.ts";
import { readSettingsFile } from "../doors/settings-file.ts";
import { keepServing } from "./keep-serving.ts";

/** A server within another process is made of these. */
export { serveAcp };

/** Ends the process when the client is gone. Answers why nothing is served, where the settings cannot be read. */
export async function serveAgent(version: string, settingsFile: string | undefined): Promise<string | undefined> {
  const settings = settingsFile === undefined ? {} : await readSettingsFile(settingsFile);
  if (typeof settings === "string") return settings;
  keepServing();
  await serveAcp({
    input: process.stdin,
    output: process.stdout,
    version,
    settings,
    command: [process.execPath, process.argv[1] ?? "", "--stdio"],
    environment: process.env,
    report: (message) => process.stderr.write(`agentq: ${message}\n`),
  });
  process.exit(0);
}
