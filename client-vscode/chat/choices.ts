/** Lists from which the person chooses: conversations and models. */
import * as vscode from "vscode";
import type { Agentq } from "../server/agentq.ts";
import { plural } from "../../server/src/base/plural.ts";
import type { ModelChoice } from "../../server/src/protocol/model-shapes.ts";
import type { SessionInfo } from "../../server/src/protocol/session-shapes.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";

const LISTED = 200;

export async function chooseSession(agentq: Agentq): Promise<SessionInfo | undefined> {
  const items = agentq.request("agentq/listSessions", { limit: LISTED }).then((page) =>
    page.items.map((session) => ({
      label: `${session.parent === undefined ? "" : "↳ "}${showHidden(session.name)}`,
      description: factsOf(session),
      session,
    })),
  );
  const placeHolder = "Which conversation is to go on? The last used comes first.";
  const chosen = await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true });
  return chosen?.session;
}

export async function chooseModel(agentq: Agentq, sessionId: string | undefined): Promise<ModelChoice | undefined> {
  const ofSession = sessionId === undefined ? {} : { sessionId };
  const list = agentq.request("agentq/listModels", ofSession).then(({ items, profiles, choice }) => {
    const listed = items.map(({ profile, model, name, maxInputTokens }) => ({
      label: showHidden(name),
      description: [
        ...(profiles.length > 1 ? [profile] : []),
        ...(maxInputTokens === undefined ? [] : [`${Math.floor(maxInputTokens / 1000)}k tokens`]),
        ...(profile === choice.profile && model === choice.model ? ["answers now"] : []),
      ].join(", "),
      given: { profile, model },
    }));
    const problems = profiles.flatMap(({ name, problem }) =>
      problem === undefined
        ? []
        : [{ label: `$(warning) ${name}`, description: showHidden(problem), given: undefined }],
    );
    return [...listed, ...problems];
  });
  const whose = sessionId === undefined ? "new conversations" : "this conversation, from its next turn on";
  const chosen = await vscode.window.showQuickPick(list, { placeHolder: `The model that answers ${whose}` });
  return chosen?.given && (await agentq.request("agentq/chooseModel", { ...chosen.given, ...ofSession }));
}

function factsOf({ usedAt, turns, running }: SessionInfo): string {
  const used = new Date(usedAt).toLocaleString();
  const runs = running === undefined ? [] : [running === "here" ? "runs" : "runs in another server"];
  return [used, plural(turns, "turn"), ...runs].join(", ");
}
