/** Commands about conversations: which there are, another one, a copy, back, once more, a page of it. */
import { cutText } from "../../base/cut-text.ts";
import type { TurnInfo } from "../../protocol/proposal-shapes.ts";
import type { SessionInfo } from "../../protocol/session-shapes.ts";
import { plainLine } from "../../workspace/plain-text.ts";
import { partMarkdown } from "../transcript-markdown.ts";
import type { CommandCall, SlashCommand } from "./command.ts";
import type { CommandPorts } from "./command-ports.ts";
import { plural } from "../../base/plural.ts";

const LISTED = 20;
const SHOWN_TURNS = 2;
const MAX_SHOWN = 20_000;
const LINE = 70;

const newCommand: SlashCommand = {
  name: "new",
  summary: "a new conversation, which knows nothing of this one",
  goesTo: async () => "new",
  run: async () => ({ answer: "A new conversation starts here: the model knows nothing of what stands above." }),
};

const sessionsCommand: SlashCommand = {
  name: "sessions",
  takes: "[NUMBER]",
  summary: "the conversations that are kept; with a number, go on with that one",
  goesTo: async ({ rest, sessionId }, ports) =>
    rest === "" ? (sessionId ?? "new") : (await chosen(rest, ports)).sessionId,
  run: async ({ rest, sessionId }, ports) => {
    const { items, total } = await ports.stored.list({ limit: LISTED });
    if (rest !== "" && sessionId !== undefined) return { answer: await lastTurns(sessionId, ports) };
    const others = total - items.length;
    return {
      answer: [...items.map(sessionLine), ...(others > 0 ? [`\n${others} older ones are not listed.`] : [])].join("\n"),
    };
  },
};

const forkCommand: SlashCommand = {
  name: "fork",
  takes: "[MESSAGE]",
  summary: "go on in a copy of this conversation, or of what came before a message (/rewind numbers them)",
  goesTo: async (call, ports) => {
    const { sessionId } = await begun(call);
    const turn = call.rest === "" ? undefined : await messageAt(call.rest, sessionId, ports);
    const fork = await ports.stored.fork({ sessionId, ...(turn === undefined ? {} : { turnId: turn.turnId }) });
    return fork.sessionId;
  },
  run: async ({ rest }) => {
    const known = rest === "" ? "what stands above" : `what stands above message ${rest}`;
    return {
      answer: `This is a copy of the conversation: the model knows ${known}, and the first one stays as it is.`,
    };
  },
};

const rewindCommand: SlashCommand = {
  name: "rewind",
  takes: "[MESSAGE]",
  summary: "your messages with their numbers; with a number, bring the files back to before it",
  run: async (call, ports) => {
    const { sessionId } = await begun(call);
    if (call.rest === "") {
      const turns = await ports.turns(sessionId);
      const lines = turns.map(({ text, applied }, index) => {
        const edits = applied === 0 ? "" : ` (${plural(applied, "hunk")} applied)`;
        return `${index + 1}. ${oneLine(text)}${edits}`;
      });
      return { answer: lines.length === 0 ? "You have said nothing to the model here yet." : lines.join("\n") };
    }
    const turn = await messageAt(call.rest, sessionId, ports);
    const { proposalId, left, note } = await ports.rewind(sessionId, turn.turnId);
    const files =
      proposalId === undefined
        ? "No file was changed since then."
        : "A proposal that takes the changes back waits for your review.";
    const kept = left.map(({ title, why }) => `- ${title} stays: ${why}`);
    const fork = `\`/fork ${call.rest}\` goes on in a conversation that ends before that message.`;
    return { answer: [files, ...kept, `${note} ${fork}`].join("\n\n") };
  },
};

const retryCommand: SlashCommand = {
  name: "retry",
  summary: "say your last message again",
  run: async (call, ports) => {
    const { sessionId } = await begun(call);
    const last = (await ports.turns(sessionId)).at(-1);
    if (last === undefined) throw new Error("You have said nothing to the model here yet.");
    return { prompt: last.text };
  },
};

const undoCommand: SlashCommand = {
  name: "undo",
  summary: "take back the edit that was applied last in this conversation",
  run: async (call, ports) => {
    const { sessionId } = await begun(call);
    const applied = (await ports.proposals()).filter(
      (each) => each.sessionId === sessionId && (each.state === "applied" || each.state === "partiallyApplied"),
    );
    for (const { proposalId: id, title } of applied.toReversed()) {
      const { proposalId } = await ports.undo(id);
      if (proposalId !== undefined) return { answer: `A proposal that takes back "${title}" waits for your review.` };
    }
    throw new Error("Nothing that was applied in this conversation stands in the files any more.");
  },
};

const exportCommand: SlashCommand = {
  name: "export",
  takes: "[json]",
  summary: "write this conversation into a file of yours, as Markdown or JSON",
  run: async (call, ports) => {
    const { sessionId } = await begun(call);
    if (call.rest !== "" && call.rest !== "json" && call.rest !== "markdown")
      throw new Error("/export [markdown | json]");
    const format = call.rest === "json" ? "json" : "markdown";
    const { content } = await ports.stored.export(sessionId, format);
    const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "");
    const path = await ports.writePage(
      `${stamp}-${sessionId.slice(0, 8)}.${format === "json" ? "json" : "md"}`,
      content,
    );
    return { answer: `Written: \`${path}\`` };
  },
};

export const conversationCommands: readonly SlashCommand[] = [
  newCommand,
  sessionsCommand,
  forkCommand,
  rewindCommand,
  exportCommand,
  undoCommand,
  retryCommand,
];

/** The conversation in which the person was; there is one only after the first prompt. */
async function begun({ from }: CommandCall): Promise<{ readonly sessionId: string }> {
  if (from.sessionId === undefined) throw new Error("There is no conversation yet.");
  return { sessionId: from.sessionId };
}

async function messageAt(rest: string, sessionId: string, ports: CommandPorts): Promise<TurnInfo> {
  const turns = await ports.turns(sessionId);
  const turn = /^\d+$/.test(rest) ? turns[Number(rest) - 1] : undefined;
  if (turn !== undefined) return turn;
  const which =
    turns.length === 0 ? "You have said nothing to the model here yet" : `Your messages are 1 to ${turns.length}`;
  throw new Error(`There is no message ${rest}. ${which}; /rewind lists them.`);
}

async function chosen(rest: string, ports: CommandPorts): Promise<SessionInfo> {
  const { items } = await ports.stored.list({ limit: LISTED });
  const found = /^\d{1,2}$/.test(rest)
    ? items[Number(rest) - 1]
    : items.find(({ sessionId }) => sessionId.startsWith(rest));
  if (found === undefined)
    throw new Error(`There is no conversation ${rest}. /sessions lists them with their numbers.`);
  return found;
}

function sessionLine({ name, turns, usedAt, running }: SessionInfo, index: number): string {
  const messages = plural(turns, "message");
  const runs = running === undefined ? "" : `, running${running === "here" ? "" : " in another editor"}`;
  return `${index + 1}. ${oneLine(name)} (${messages}, ${usedAt.slice(0, 16).replace("T", " ")} UTC${runs})`;
}

async function lastTurns(sessionId: string, ports: CommandPorts): Promise<string> {
  const { session, items, earlierTurns } = await ports.stored.open({ sessionId, lastTurns: SHOWN_TURNS });
  const earlier = earlierTurns > 0 ? `, after ${earlierTurns} earlier messages` : "";
  return cutText(`**${oneLine(session.name)}** goes on here${earlier}.\n${partMarkdown(items)}`, MAX_SHOWN);
}

function oneLine(text: string): string {
  return plainLine(text, LINE);
}
