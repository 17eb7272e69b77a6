/** Stops the newest form that runs, and says what still runs or is left open. */
import * as vscode from "vscode";
import { given } from "../../server/src/base/given.ts";
import type { HistoryItem } from "../../server/src/protocol/repl-shapes.ts";
import type { Agentq } from "../server/agentq.ts";
import { short } from "./describe.ts";
import type { Evaluator } from "./evaluator.ts";

export async function interrupt(agentq: Agentq, evaluator: Evaluator): Promise<void> {
  const where = given({ process: evaluator.process });
  const stoppable = async (): Promise<readonly HistoryItem[]> =>
    (await agentq.request("agentq/replHistory", { ...where, only: "stoppable", limit: 100 })).items;
  const items = await stoppable();
  const running = items.filter(({ outcome }) => outcome === "running");
  // The newest form of the person, else the newest of the agent.
  const chosen = running.find(({ by }) => by === "person") ?? running[0];
  if (chosen === undefined) return await endWhatIsLeft(agentq, evaluator, items);
  // A form without an id has not begun yet.
  await agentq.request("agentq/interrupt", { ...where, ...(chosen.evalId === "" ? {} : { evalId: chosen.evalId }) });
  const rest = (await stoppable()).filter(({ outcome, evalId }) => outcome === "running" && evalId !== chosen.evalId);
  if (rest.length === 0) {
    if (chosen.by !== "person") evaluator.notice(`${nameOf(chosen)} was stopped`);
    return;
  }
  const words = `${nameOf(chosen)} was stopped; still running: ${rest.map(nameOf).join(", ")}.`;
  const all = "Stop All";
  if ((await vscode.window.showInformationMessage(words, all)) === all) await agentq.request("agentq/interrupt", where);
}

/** No form runs: what waits to begin is stopped, and what finished forms left open ends only by a further word. */
async function endWhatIsLeft(agentq: Agentq, evaluator: Evaluator, left: readonly HistoryItem[]): Promise<void> {
  const where = given({ process: evaluator.process });
  const { interrupted } = await agentq.request("agentq/interrupt", where);
  const words = interrupted ? "What ran was stopped." : "Nothing is being evaluated.";
  if (left.length === 0) return evaluator.notice(words);
  const open = left.map((item) => `${nameOf(item)} left open: ${item.left}`).join("; ");
  const end = "End That";
  if ((await vscode.window.showInformationMessage(`${words} ${open}.`, end)) !== end) return;
  for (const { evalId } of left) {
    const { ended } = await agentq.request("agentq/interrupt", { ...where, evalId });
    if (ended !== undefined) evaluator.notice(`What form ${evalId} had left open was ended: ${ended}`);
  }
}

function nameOf({ by, evalId, code }: HistoryItem): string {
  const whose = by === "person" ? "" : by === "agent" ? "the agent's " : "the start-up script, ";
  return `${whose}form ${evalId} (${short(code, 40)})`;
}
