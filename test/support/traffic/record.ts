/** Records what the real server tells a client, so that it can be replayed to editors without a server. */
import { cp, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { startScriptedModel } from "../../../examples/demo/model/server.ts";
import { ServerClient } from "../server-client.ts";
import type { Scenario, Step } from "./scenarios.ts";
import { steadyMessages, type Message } from "./recording.ts";

const exampleProject = fileURLToPath(new URL("../../../examples/invoices", import.meta.url));

type Evaluation = Extract<Step, { readonly evaluate: string }>;

/** Plays a scenario against the real server and answers what it sent, the same each time. */
export async function record(scenario: Scenario): Promise<Message[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "agentq-traffic-")));
  const project = join(folder, "invoices");
  await cp(exampleProject, project, { recursive: true, filter: (source) => !source.endsWith("node_modules") });
  for (const [path, text] of Object.entries(scenario.files ?? {})) await writeFile(join(project, path), text);
  const model = await startScriptedModel(scenario.script, { project });
  const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "scripted" };
  const kept: string[] = [];
  for (const step of scenario.steps) if ("kept" in step) kept.push(await keep(project, env, step.kept));
  const client = new ServerClient({ cwd: project, env });
  try {
    const initialized = await client.initialize([project]);
    const messages: Message[] = [{ ask: "initialize" }, { answer: "initialize", result: initialized }];
    let told = 0;
    const note = (...answers: Message[]): void => {
      const news = client.received.slice(told).filter(({ method }) => method !== "agentq/lateNotes");
      told = client.received.length;
      messages.push(...news.map(({ method, params }) => ({ tell: method, params })), ...answers);
    };
    for (const step of scenario.steps) {
      if ("kept" in step) continue;
      const method = "evaluate" in step ? "agentq/evaluate" : "about" in step ? step.about : "agentq/prompt";
      messages.push({ ask: method });
      const result = await resultOf(client, project, step, kept);
      note({ answer: method, result });
      if ("meanwhile" in step) {
        await untilRunning(client);
        note({ ask: method });
        note({ answer: method, result: await prompt(client, step.meanwhile) });
      }
      if ("until" in step) await untilTold(client, told, step.until);
      note();
    }
    return steadyMessages(messages, project);
  } finally {
    await client.close();
    await model.dispose();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

type Asked = Exclude<Step, { readonly kept: string }>;

async function resultOf(
  client: ServerClient,
  project: string,
  step: Asked,
  [sessionId = ""]: string[],
): Promise<unknown> {
  if ("evaluate" in step) return evaluate(client, project, step);
  if ("prompt" in step) return prompt(client, step.prompt);
  const params = step.about === "agentq/openSession" ? { sessionId } : {};
  return client.request<"agentq/listSessions" | "agentq/openSession">(step.about, params);
}

/** The conversation of a server that has ended. */
async function keep(project: string, env: Readonly<Record<string, string>>, text: string): Promise<string> {
  const client = new ServerClient({ cwd: project, env });
  await client.initialize([project]);
  const { sessionId, turnId } = await client.request("agentq/prompt", { text });
  await client.turn(turnId);
  await client.close();
  return sessionId;
}

async function prompt(client: ServerClient, text: string): Promise<unknown> {
  const [earlier] = client.received.flatMap(({ method, params }) =>
    method === "agentq/event" ? [params.sessionId] : [],
  );
  const session = earlier === undefined ? {} : { sessionId: earlier };
  return client.request("agentq/prompt", { text, ...session });
}

async function evaluate(client: ServerClient, project: string, step: Evaluation): Promise<unknown> {
  const module = step.module === undefined ? {} : { module: pathToFileURL(join(project, step.module)).href };
  const result = await client.request("agentq/evaluate", { code: step.evaluate, ...module });
  if (step.isNoted !== true || result.notes.length > 0) return result;
  // On a busy machine the notes come after the answer. The recording has them in the answer.
  const notes = await client.waitFor(({ method, params }) =>
    method === "agentq/lateNotes" ? params.notes : undefined,
  );
  return { ...result, notes };
}

/** Waits for a form of the agent's that runs, which is told after its call. */
async function untilRunning(client: ServerClient): Promise<void> {
  await client.waitFor(({ method }) => (method === "agentq/agentEvaluation" ? true : undefined));
}

/** Waits for the end of a turn, or for a proposal with what the compiler says of it, after that many notifications. */
async function untilTold(client: ServerClient, before: number, wanted: "turnEnded" | "proposal"): Promise<void> {
  await client.waitFor((message) => {
    if (client.received.indexOf(message) < before) return undefined;
    const { method, params } = message;
    if (wanted === "turnEnded") return (method === "agentq/event" && params.event.kind === "turnEnded") || undefined;
    const isProposal = method === "agentq/proposal" || method === "agentq/proposalChanged";
    return (isProposal && params.check.state !== "running") || undefined;
  });
}
