/** Records what the real server tells a client, so that it can be replayed to editors without a server. */
import { cp, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startScriptedModel } from "../../../examples/demo/model/server.ts";
import { ServerClient } from "../server-client.ts";
import type { Scenario } from "./scenarios.ts";
import { steadyMessages, type Message } from "./recording.ts";

const exampleProject = fileURLToPath(new URL("../../../examples/invoices", import.meta.url));

/** Plays a scenario against the real server and answers what it sent, the same each time. */
export async function record(scenario: Scenario): Promise<Message[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "agentq-traffic-")));
  const project = join(folder, "invoices");
  await cp(exampleProject, project, { recursive: true, filter: (source) => !source.endsWith("node_modules") });
  for (const [path, text] of Object.entries(scenario.files ?? {})) await writeFile(join(project, path), text);
  const model = await startScriptedModel(scenario.script, { project });
  const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "scripted" };
  const client = new ServerClient({ cwd: project, env });
  try {
    const initialized = await client.initialize([project]);
    const prompted = await client.request("agentq/prompt", { text: scenario.prompt });
    await client.waitFor(({ method, params }) => {
      if (scenario.until === "turnEnded")
        return (method === "agentq/event" && params.event.kind === "turnEnded") || undefined;
      // What the compiler says of a proposal comes with it or a moment later.
      const isProposal = method === "agentq/proposal" || method === "agentq/proposalChanged";
      return (isProposal && params.check.state !== "running") || undefined;
    });
    const messages: Message[] = [
      { answer: "initialize", result: initialized },
      { answer: "agentq/prompt", result: prompted },
      ...client.received.map(({ method, params }) => ({ tell: method, params })),
    ];
    return steadyMessages(messages, project);
  } finally {
    await client.close();
    await model.dispose();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
