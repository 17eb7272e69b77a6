/** The conversations that are kept: one of them goes on in the chat, gets a name, or is deleted. */
import * as vscode from "vscode";
import type { Agentq } from "../server/agentq.ts";
import { plural } from "../../server/src/base/plural.ts";
import type { SessionInfo } from "../../server/src/protocol/session-shapes.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { Conversations } from "./conversations.ts";

const LISTED = 200;
const RENAME = { iconPath: new vscode.ThemeIcon("edit"), tooltip: "Rename" };
const DELETE = { iconPath: new vscode.ThemeIcon("trash"), tooltip: "Delete for good" };

interface SessionItem extends vscode.QuickPickItem {
  readonly session: SessionInfo;
}

/** Whether another conversation is shown now. */
export async function chooseSession(agentq: Agentq, conversations: Conversations): Promise<boolean> {
  const chosen = await pick(agentq);
  if (chosen === undefined) return false;
  const { session, button } = chosen;
  const isShown = session.sessionId === conversations.shown.sessionId;
  if (button === RENAME) {
    const renamed = await rename(agentq, session);
    if (isShown && renamed !== undefined) conversations.shown.name = renamed;
    return false;
  }
  if (button === DELETE) {
    const isDeleted = await remove(agentq, session);
    if (isDeleted && isShown) conversations.begin();
    return false;
  }
  await conversations.open(session.sessionId);
  return true;
}

interface Picked {
  readonly session: SessionInfo;
  readonly button?: vscode.QuickInputButton;
}

async function pick(agentq: Agentq): Promise<Picked | undefined> {
  const picker = vscode.window.createQuickPick<SessionItem>();
  picker.placeholder = "Which conversation is to go on? The last used comes first.";
  picker.busy = true;
  picker.show();
  try {
    const { items } = await agentq.request("agentq/listSessions", { limit: LISTED });
    picker.items = items.map(itemOf);
    picker.busy = false;
    return await new Promise((resolve) => {
      picker.onDidAccept(() => {
        const [item] = picker.selectedItems;
        resolve(item);
      });
      picker.onDidTriggerItemButton(({ item, button }) => resolve({ session: item.session, button }));
      picker.onDidHide(() => resolve(undefined));
    });
  } finally {
    picker.dispose();
  }
}

function itemOf(session: SessionInfo): SessionItem {
  const { parent, name, usedAt, turns, running } = session;
  const runs = running === undefined ? [] : [running === "here" ? "runs" : "runs in another server"];
  return {
    label: `${parent === undefined ? "" : "↳ "}${showHidden(name)}`,
    description: [new Date(usedAt).toLocaleString(), plural(turns, "turn"), ...runs].join(", "),
    buttons: [RENAME, DELETE],
    session,
  };
}

async function rename(agentq: Agentq, { sessionId, name }: SessionInfo): Promise<string | undefined> {
  const prompt = "The name of the conversation. An empty one brings back its first words.";
  const given = await vscode.window.showInputBox({ prompt, value: name });
  if (given === undefined) return undefined;
  return (await agentq.request("agentq/renameSession", { sessionId, name: given })).name;
}

async function remove(agentq: Agentq, { sessionId, name }: SessionInfo): Promise<boolean> {
  const answer = "Delete for Good";
  const question = `Is the conversation “${showHidden(name)}” to be deleted for good?`;
  if ((await vscode.window.showWarningMessage(question, answer)) !== answer) return false;
  await agentq.request("agentq/deleteSession", { sessionId });
  return true;
}
