/**
 * The floor under every agent: a loop over the SDK that sends recorded requests, reads each reply to its end and reads
 * the file which the call names. Runs as a process of its own, so that nothing of the measure is in its way.
 */
import { readFile } from "node:fs/promises";
import Anthropic from "@anthropic-ai/sdk";

export interface BareOrder {
  readonly url: string;
  readonly folder: string;
  readonly bodies: readonly string[];
}

process.on("message", (order: BareOrder) => void run(order).then(() => process.send?.("done")));
process.on("disconnect", () => process.exit(0));

async function run({ url, folder, bodies }: BareOrder): Promise<void> {
  const client = new Anthropic({ apiKey: "sk-test-not-a-key", baseURL: url, maxRetries: 0 });
  for (const body of bodies) {
    const request = JSON.parse(body) as Anthropic.MessageStreamParams;
    const { content } = await client.messages.stream(request).finalMessage();
    const call = content.find((block) => block.type === "tool_use");
    if (call !== undefined) await readFile(`${folder}/${(call.input as { readonly path: string }).path}`, "utf8");
  }
}
