/** Tool calls as the model makes them: a scripted model that calls what the prompt says. */
import { call, reply, type Script } from "../../examples/demo/model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import type { ServerClient } from "./server-client.ts";

/** What the model plays for `callAsAgent`. */
export const calls: Script = {
  name: "calls",
  description: "calls what the prompt says",
  reply: (turn) => {
    if (turn.step > 0) return reply("Done.");
    // What happened since the last turn may stand before it.
    const [name, input] = JSON.parse(turn.prompt.split("\n").at(-1) ?? "") as [string, Record<string, unknown>];
    return reply(call(name, input));
  },
};

/** The model for `callAsAgent`: a client reaches it by `ANTHROPIC_BASE_URL`. */
export async function startCallingModel(): Promise<ScriptedModel & AsyncDisposable> {
  const model = await startScriptedModel(calls);
  return Object.assign(model, { [Symbol.asyncDispose]: () => model.dispose() });
}

/** In a conversation of its own, or in the one that is named; the name of one that begins is put there. */
export async function callAsAgent(
  client: ServerClient,
  name: string,
  args: object,
  conversation: { sessionId?: string } = {},
): Promise<ToolResult> {
  const { turnId, sessionId } = await client.request("agentq/prompt", {
    text: JSON.stringify([name, args]),
    ...conversation,
  });
  conversation.sessionId = sessionId;
  const events = await client.turn(turnId);
  const result = events.find((event) => event.kind === "toolResult");
  if (result?.kind !== "toolResult") throw new Error(`No result of ${name}: ${JSON.stringify(events)}`);
  return result.result;
}
