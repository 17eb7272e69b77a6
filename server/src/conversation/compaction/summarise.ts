/** Has turns summarised by a model: by the small one where its window suffices, else by the conversation's. */
import type { ModelMessage, ModelRequest, ModelUsage } from "../../model/model-port.ts";
import { ModelFailure, TooLong } from "../../model/model-port.ts";
import type { Model } from "../../model/models.ts";
import { SUMMARY_PROMPT, summaryRequest } from "./summary-request.ts";

export interface SummaryPorts {
  /** In the order in which they are tried. */
  readonly models: readonly Model[];
  /** In tokens; undefined where nobody knows. */
  readonly windowOf: (model: Model, signal: AbortSignal) => Promise<number | undefined>;
  readonly onUsage: (model: Model, usage: ModelUsage) => void;
  /** Tells the person that a request is sent again. */
  readonly onRetry: (reason: string) => void;
}

export type Summary = { readonly summary: string } | { readonly failure: string };

/** In tokens. */
const LONGEST_SUMMARY = 8_000;
/** The text of the turns may fill so much of the window. */
const SHARE = 0.6;
/** Of a window that nobody knows. */
const USUAL_WINDOW = 100_000;
/** Texts of code have fewer characters in a token than prose. */
const CHARACTERS_PER_TOKEN = 3;
/** A text that was too long is asked about again at half its length. */
const MAX_TRIES = 6;
/** Notes without one, in whatever language, are none of those that were asked for: another model is to write them. */
const HEADING = /^#+ \S/m;

/** Rejects with the signal's reason alone. */
export async function summarise(
  messages: readonly ModelMessage[],
  { wish, ports }: { readonly wish: string | undefined; readonly ports: SummaryPorts },
  signal: AbortSignal,
): Promise<Summary> {
  let failure = "no model is configured";
  let poor: string | undefined;
  for (const model of ports.models) {
    const window = (await ports.windowOf(model, signal)) ?? USUAL_WINDOW;
    let longest = Math.floor(window * SHARE * CHARACTERS_PER_TOKEN);
    for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1, longest = Math.floor(longest / 2)) {
      try {
        const text = await asked(
          model,
          { content: summaryRequest(messages, { longest, wish }), window, ports },
          signal,
        );
        if (HEADING.test(text)) return { summary: text };
        if (text !== "") poor ??= text;
        failure = `${model.name} wrote nothing`;
        break;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ModelFailure)) throw error;
        failure = error.message;
        if (!(error instanceof TooLong)) break;
      }
    }
  }
  return poor === undefined ? { failure } : { summary: poor };
}

/** Empty where the model did not do as it was asked. */
async function asked(
  model: Model,
  { content, window, ports }: { content: string; window: number; ports: SummaryPorts },
  signal: AbortSignal,
): Promise<string> {
  const { port, name, maxTokens } = model;
  const request: ModelRequest = {
    model: name,
    system: SUMMARY_PROMPT,
    messages: [{ role: "user", content: [{ kind: "text", text: content }] }],
    tools: [],
    maxTokens: Math.min(maxTokens ?? LONGEST_SUMMARY, LONGEST_SUMMARY, Math.ceil(window / 4)),
    manner: { thinking: "off" },
    isOnly: true,
  };
  for await (const event of port.stream(request, signal)) {
    if (event.kind === "retrying") ports.onRetry(event.reason);
    if (event.kind !== "done") continue;
    ports.onUsage(model, event.usage);
    if (event.stopReason === "refusal") return "";
    return event.content
      .flatMap((block) => (block.kind === "text" ? [block.text] : []))
      .join("")
      .trim();
  }
  return "";
}
