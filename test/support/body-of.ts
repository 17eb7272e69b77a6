/** What a history becomes on its way to a server of which nothing is known. */
import type { ModelMessage, ModelRequest } from "../../server/src/model/model-port.ts";
import { toBody, type Body, type Circumstances } from "../../server/src/model/request-body.ts";

export function bodyOf(
  messages: readonly ModelMessage[],
  over: Partial<ModelRequest> = {},
  other: Partial<Circumstances> = {},
): Body {
  const circumstances: Circumstances = {
    entry: undefined,
    refused: new Set(),
    mostTokens: undefined,
    by: "m",
    thoughtless: new WeakSet(),
    unseen: new WeakSet(),
    untaken: new Set(),
    ...other,
  };
  return toBody({ model: "m", system: "s", messages, tools: [], ...over }, circumstances);
}
