/** `/cost`: what the model took and cost, of the newest turn, of the conversation and of the day. */
import { dollars } from "../../model/prices.ts";
import type { Spend, Spending } from "../../protocol/spend-shapes.ts";
import type { SlashCommand } from "./command.ts";
import { plural } from "../../base/plural.ts";

export const costCommand: SlashCommand = {
  name: "cost",
  summary: "tokens and money: of the last turn, of this conversation, of today",
  run: async ({ sessionId }, ports) => ({ answer: costLines(ports.spending(sessionId)) }),
};

function costLines({ turn, session, day, budget, pricesAsOf }: Spending): string {
  const rows = [
    ["Last turn", turn, budget.turn],
    ["This conversation", session, budget.session],
    ["Today, in this workspace", day, budget.day],
  ] as const;
  const spent = rows.flatMap(([name, spend, limit]) => (spend === undefined ? [] : [line(name, spend, limit)]));
  const unpriced = [...new Set([turn, session, day].flatMap((spend) => spend?.unpriced ?? []))];
  return [
    ...spent,
    "",
    ...(unpriced.length === 0
      ? []
      : [`Nobody knows what ${unpriced.join(", ")} costs here: the setting \`prices\` can say. The sums are without.`]),
    `Published prices are those of ${pricesAsOf}; your setting \`prices\` goes before them.`,
  ].join("\n");
}

/** A line and no row of a table: a chat is narrow. */
function line(name: string, spend: Spend, limit: number | undefined): string {
  const prompt = spend.inputTokens + spend.cacheReadTokens + spend.cacheWriteTokens;
  const share = prompt === 0 ? 0 : Math.round((spend.cacheReadTokens / prompt) * 100);
  const requests = plural(spend.requests, "request");
  const facts = [
    requests,
    `${thousands(prompt)} tokens in (${share} % from the cache, ${thousands(spend.cacheWriteTokens)} written to the cache)`,
    `${thousands(spend.outputTokens)} out`,
  ];
  return `- ${name}: **${costCell(spend, limit)}** for ${facts.join(", ")}`;
}

function costCell({ cost, unpriced }: Spend, limit: number | undefined): string {
  const known = cost > 0 || unpriced === undefined ? dollars(cost * 1e9) : "unknown";
  const more = unpriced !== undefined && cost > 0 ? " and more" : "";
  return `${known}${more}${limit === undefined ? "" : ` of ${dollars(limit * 1e9)}`}`;
}

function thousands(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
