/** The list of models, from which the person chooses the one that answers. */
import * as vscode from "vscode";
import type { Agentq } from "../server/agentq.ts";
import type { ModelChoice } from "../../server/src/protocol/model-shapes.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";

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
