/** `agentq chat`: a conversation in a terminal. */
import type { CompletionItem } from "vscode-languageserver-protocol";
import { parseArgs } from "node:util";
import type { AgentqClient } from "../client/agentq-client.ts";
import { Conversation } from "../client/conversation.ts";
import { askApproval } from "./answers.ts";
import { Interrupted } from "./person.ts";
import { personReviews } from "./review.ts";
import { plain, wrap } from "./screen.ts";
import { EXIT, UsageError, type Stage } from "./stage.ts";
import { Transcript } from "./transcript.ts";

const HELP = `usage: agentq chat [--continue]

A conversation about the project in the current folder. Edits are asked about hunk by hunk (y, n, e, a, d, q), calls that
need a yes one by one. Tab completes @files, #symbols, $values of the REPL and /commands; /help lists the commands, and
/sessions the conversations of this workspace.

  --continue   go on with the conversation that was used last

Ctrl-C stops what the model does, and at the prompt drops the line; on an empty line, as Ctrl-D, it ends the chat.

Exit codes: 0 at the end, 1 the server failed, 2 the command line makes no sense or there is no terminal.
`;

export async function runChat(args: readonly string[], stage: Stage): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { continue: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } },
  });
  if (values.help) {
    stage.out.write(HELP);
    return EXIT.ok;
  }
  if (!stage.hasPerson) throw new UsageError("A chat needs a terminal; for scripts there is agentq ask.");
  const chat = new Chat(stage, await stage.server());
  return await chat.run(values.continue);
}

class Chat {
  readonly #stage: Stage;
  readonly #client: AgentqClient;
  readonly #transcript: Transcript;
  readonly #conversation: Conversation;
  readonly #history: string[] = [];
  /** Takes the prompt back when something begins that has to be shown. */
  #waiting = new AbortController();

  constructor(stage: Stage, client: AgentqClient) {
    const review = personReviews(stage.out, stage.person);
    this.#stage = stage;
    this.#client = client;
    this.#transcript = new Transcript(stage.out, { isBrief: true });
    this.#conversation = new Conversation({
      client,
      folder: stage.folder,
      show: (event) => this.#transcript.show(event),
      review: async (...asked) => {
        this.#transcript.endParagraph();
        return await review(...asked);
      },
      approve: async (approval) => {
        this.#transcript.endParagraph();
        return await askApproval(stage, approval);
      },
      onActivity: () => this.#waiting.abort(),
    });
  }

  async run(isContinued: boolean): Promise<number> {
    await this.#greet();
    if (isContinued) await this.#continue();
    for (;;) {
      const line = await this.#nextLine();
      if (line === undefined) return EXIT.ok;
      if (line.trim() === "") continue;
      await this.#watched(async () => await this.#conversation.say({ text: line.trim() }));
    }
  }

  async #greet(): Promise<void> {
    const { out, folder } = this.#stage;
    const { version, model } = await this.#client.request("agentq/status", {});
    const name = `agentq ${version}`;
    const lines = wrap(`${name} in ${plain(folder)}, ${plain(model.model)}`, out.width);
    for (const line of lines) out.line(line.replace(name, out.paint("bold", name)));
    if (!model.ready) out.line(out.paint("yellow", plain(model.reason ?? "The model is not ready.")));
    out.line(out.paint("dim", "/help lists the commands; Tab completes @ # $ /; Ctrl-D ends."));
  }

  async #continue(): Promise<void> {
    const { out } = this.#stage;
    const [last] = (await this.#client.request("agentq/listSessions", { limit: 1 })).items;
    if (last === undefined) {
      out.line("There is no conversation yet, so this is a new one.");
      return;
    }
    const { sessionId } = last;
    this.#conversation.sessionId = sessionId;
    const { items, earlierTurns } = await this.#client.request("agentq/openSession", { sessionId, lastTurns: 3 });
    const before = earlierTurns === 0 ? "" : `; ${earlierTurns} turns before`;
    out.line(out.paint("dim", `${plain(last.name)}${before}`));
    for (const { event } of items) {
      if (event.kind === "turnStarted") {
        out.line(out.paint("bold", `\n> ${plain(event.text)}`));
        this.#history.unshift(event.text);
      }
      this.#transcript.show(event);
    }
  }

  /** What the person says next; undefined at the end. */
  async #nextLine(): Promise<string | undefined> {
    const { out, person } = this.#stage;
    for (;;) {
      await this.#watched(() => this.#conversation.settled());
      this.#waiting = new AbortController();
      const { signal } = this.#waiting;
      out.line();
      try {
        return await person.line(out.paint("bold", "> "), {
          signal,
          history: this.#history,
          complete: async (line) => await this.#complete(line),
        });
      } catch (error) {
        if (signal.aborted) continue;
        if (!(error instanceof Interrupted)) throw error;
        if (error.line === "") return undefined;
      }
    }
  }

  /** Until the work is done; Ctrl-C stops the model. What the server refuses is shown, and the chat goes on. */
  async #watched(work: () => Promise<unknown>): Promise<void> {
    const { out } = this.#stage;
    const cancel = (): void => void this.#conversation.cancel().catch(() => undefined);
    const stopped = this.#client.gone.then((reason): never => {
      throw new Error(`The server has stopped: ${reason}`);
    });
    this.#stage.calm();
    this.#stage.onInterrupt = cancel;
    try {
      await Promise.race([work(), stopped]);
    } catch (error) {
      if (error instanceof Interrupted) cancel();
      else if (typeof (error as { code?: unknown }).code === "number") {
        out.line(out.paint("red", `  ${plain((error as Error).message)}`));
      } else throw error;
    } finally {
      this.#stage.onInterrupt = undefined;
    }
  }

  /** The candidates for the end of the line, and the part of the line that they take the place of. */
  async #complete(line: string): Promise<[string[], string]> {
    const word = /(?:^|\s)([@#$/]\S*)$/.exec(line)?.[1];
    if (word === undefined) return [[], line];
    const list = await this.#client.completePrompt(line).catch(() => null);
    // A symbol may be completed to its address, which does not begin with what was typed.
    return [(list?.items ?? []).map(textOf), word];
  }
}

function textOf({ textEdit, insertText, label }: CompletionItem): string {
  return textEdit?.newText ?? insertText ?? label;
}
