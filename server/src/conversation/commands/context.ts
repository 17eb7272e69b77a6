/** `/context`: what goes along with prompts, more of it, or less. */
import type { ContextItem } from "../../protocol/context-shapes.ts";
import { mentionedIn } from "../context/mention-refs.ts";
import type { CommandCall, SlashCommand } from "./command.ts";
import type { CommandPorts } from "./command-ports.ts";

const USAGE = "/context [add MENTIONS | remove NUMBER | clear]";

export const contextCommand: SlashCommand = {
  name: "context",
  takes: "[add MENTIONS | remove NUMBER | clear]",
  summary: "what goes along with your prompts: listed, added to (`add @src/a.ts #Cart`), or less of it",
  completes: "mention",
  run: async (call, ports) => {
    const [word = "", ...more] = call.rest.split(/\s+/);
    const rest = more.join(" ");
    switch (word) {
      case "":
        return { answer: await listed(call, ports) };
      case "add":
        return { answer: await add(rest, call, ports) };
      case "remove":
        return { answer: await remove(rest, call, ports) };
      case "clear":
        await ports.contexts.clear(call.sessionId);
        return { answer: "Nothing goes along with your prompts any more. What the model was sent, it keeps." };
      default:
        throw new Error(USAGE);
    }
  },
};

async function listed({ sessionId }: CommandCall, ports: CommandPorts): Promise<string> {
  const { items } = await ports.contexts.list(sessionId);
  return items.length === 0 ? "Nothing goes along with your prompts." : items.map(line).join("\n");
}

async function add(rest: string, call: CommandCall, ports: CommandPorts): Promise<string> {
  const { refs, unknown } = await mentionedIn(rest, ports.context);
  if (unknown.length > 0) throw new Error(unknown.join("\n"));
  if (refs.length === 0) throw new Error("/context add @src/file.ts @folder/ @diff #Symbol $7: say which.");
  await ports.contexts.add(refs, call.sessionId);
  return listed(call, ports);
}

async function remove(rest: string, call: CommandCall, ports: CommandPorts): Promise<string> {
  const { items } = await ports.contexts.list(call.sessionId);
  const chosen = rest.split(/[\s,]+/).map((number) => items[Number(number) - 1]?.id);
  const ids = chosen.filter((id) => id !== undefined);
  if (ids.length === 0 || ids.length < chosen.length)
    throw new Error(`There is no item ${rest}. /context lists them with their numbers.`);
  await ports.contexts.remove(ids, call.sessionId);
  return listed(call, ports);
}

function line({ label, kind, size, missing, isSent }: ContextItem, index: number): string {
  const state =
    missing === undefined ? `${size ?? 0} characters${isSent === true ? ", sent" : ", with the next prompt"}` : missing;
  return `${index + 1}. ${label} (${kind}; ${state})`;
}
