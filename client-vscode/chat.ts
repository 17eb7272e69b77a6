/** A conversation in a document: what is said stands as Markdown at the document's end, and a question waits for its answer. */
import { aborted } from "../server/src/base/abort.ts";
import {
  Conversation,
  type ApprovalAnswer,
  type ConversationClient,
  type Said,
} from "../server/src/client/conversation.ts";
import { approvalQuestion, evaluated } from "../server/src/client/questions.ts";
import { given } from "../server/src/base/given.ts";
import { fenced } from "../server/src/base/fenced.ts";
import type { Approval } from "../server/src/protocol/tool-shapes.ts";
import { showHidden } from "../server/src/workspace/hidden-characters.ts";
import type { TurnEvent } from "../server/src/protocol/turn-shapes.ts";
import { reviewInPreview, type ReviewEditor } from "./review.ts";

export class Chat {
  readonly #client: ConversationClient;
  readonly #editor: ReviewEditor;
  readonly #conversation: Conversation;
  #again = Promise.withResolvers<void>();

  /** With `sessionId` the conversation goes on that an earlier server had. */
  constructor(client: ConversationClient, editor: ReviewEditor, sessionId?: string) {
    [this.#client, this.#editor] = [client, editor];
    this.#conversation = new Conversation({
      client,
      folder: "/",
      show: (event) => editor.append(markdownOf(event)),
      review: async (proposal, _, signal) =>
        (await this.#answered(signal, () => reviewInPreview({ client, editor }, proposal, signal))) ?? {
          decisions: [],
          then: "continue",
        },
      approve: async (approval, signal) =>
        (await this.#answered(signal, () => this.#approve(approval))) ?? { decision: "denied" },
    });
    this.#conversation.sessionId = sessionId;
  }

  get sessionId(): string | undefined {
    return this.#conversation.sessionId;
  }

  /** Resolves at the end of the turn, or at once where a turn runs already: the server then keeps what is said for it. */
  async ask(said: Said): Promise<void> {
    const { isRunning, sessionId } = this.#conversation;
    if (!isRunning) await this.#conversation.say(said);
    else await this.#client.request("agentq/prompt", { ...said, ...given({ sessionId }) });
  }

  async evaluate(code: string, module: string): Promise<void> {
    const result = await this.#client.request("agentq/evaluate", { code, module });
    this.#editor.append(`\n\n${fenced("Evaluated:", code)}\n\n${fenced(result.valueId ?? "", evaluated(result))}\n`);
  }

  /** Asks again what was closed without an answer. */
  answer(): void {
    this.#again.resolve();
    this.#again = Promise.withResolvers();
  }

  async cancel(): Promise<void> {
    await this.#conversation.cancel();
  }

  dispose(): void {
    this.#conversation.dispose();
  }

  /** Undefined where nobody needs to answer any more. Closing a question is no answer. */
  async #answered<Answer>(signal: AbortSignal, ask: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
    while (!signal.aborted) {
      const answer = await Promise.race([ask(), aborted(signal)]);
      if (answer !== undefined || signal.aborted) return answer ?? undefined;
      this.#editor.append("\n\n> This waits for you: *Agent-Q: Answer What Waits* asks again.\n\n");
      await Promise.race([this.#again.promise, aborted(signal)]);
    }
    return undefined;
  }

  async #approve(approval: Approval): Promise<ApprovalAnswer | undefined> {
    const { approved, denied } = approval.answers ?? { approved: "Approve", denied: "Deny" };
    const question = approvalQuestion(approval);
    // A notification has no room for it; the document has.
    this.#editor.append(`\n\n${fenced("Asked:", question)}\n\n`);
    const answer = await this.#editor.ask(showHidden(approval.question ?? `May the agent call ${approval.tool}?`), [
      // A key that was meant for the code may press the first one.
      denied,
      approved,
    ]);
    return answer === undefined ? undefined : { decision: answer === approved ? "approved" : "denied" };
  }
}

function markdownOf(event: TurnEvent): string {
  switch (event.kind) {
    case "turnStarted":
    case "queuedPrompt":
      return `\n\n## You\n\n${event.text}\n\n## Agent\n\n`;
    case "text":
    case "commandAnswer":
      return event.text;
    case "toolResult":
      return `\n\n> \`${event.name}\`: ${event.result.content.trim().split("\n", 1)[0] ?? ""}\n\n`;
    case "notice":
    case "compacted":
      return `\n\n> ${event.message}\n\n`;
    case "retrying":
      return `\n\n> ${event.reason}: the answer begins again.\n\n`;
    case "turnEnded":
      return event.reason === "endTurn" ? "\n" : `\n\n> The turn has ended: ${event.message ?? event.reason}\n`;
    default:
      return "";
  }
}
