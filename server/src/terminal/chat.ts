/** `agentq chat`: a conversation in a terminal. */
import type { CompletionItem } from "vscode-languageserver-protocol";
import { parseArgs } from "node:util";
import type { AgentqClient } from "../client/agentq-client.ts";
import { Conversation } from "../client/conversation.ts";
import { askApproval } from "./answers.ts";
import type { TurnEvent } from "../protocol/turn-shapes.ts";
import { editText } from "./edit-text.ts";
import { LineLeft } from "./line.ts";
import { personReviews } from "./review.ts";
import { plain, wrap } from "./screen.ts";
import { runShown } from "./shell-command.ts";
import { projectAbove } from "../workspace/project-folders.ts";
import { EXIT } from "./exit-codes.ts";
import { UsageError, type Stage } from "./stage.ts";
import { Transcript } from "./transcript.ts";

const KEYS = `At the prompt
  \\ Enter, Ctrl-J   go on in the next line; a paste keeps its lines
  e, Ctrl-X Ctrl-E  write in $VISUAL or $EDITOR: what was typed, or a new text
  !command          run a command of yours; the model reads what it printed with your next words
  /exit, Ctrl-D     the end
  Ctrl-C            drop the line; on an empty line, the end
While the model works, what you type is not shown; Enter hands it to the model, Ctrl-C stops the model.
`;

const HELP = `usage: agentq chat [--continue]

A conversation about the project in the current folder. Edits are asked about hunk by hunk (y, n, e, a, d, q), calls that
need a yes one by one. Tab completes @files, #symbols, $values of the REPL and /commands; /help lists the commands, and
/sessions the conversations of this workspace.

  --continue   go on with the conversation that was used last

${KEYS}
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

type Usage = TurnEvent & { readonly kind: "usage" };

/** Words that end a chat in other programs, and would be a strange thing to ask a model. */
const ENDS: ReadonlySet<string> = new Set(["/exit", "/quit", "exit", "quit", ":q"]);

class Chat {
  readonly #stage: Stage;
  readonly #client: AgentqClient;
  readonly #transcript: Transcript;
  readonly #conversation: Conversation;
  readonly #history: string[] = [];
  /** Nothing is asked before the greeting is written. */
  readonly #greeted = Promise.withResolvers<void>();
  /** What the model hears besides with the next words: commands of the person's, and what they printed. */
  #printed: { readonly kind: "text"; readonly label: string; readonly text: string }[] = [];
  #usage: Usage | undefined;
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
      show: (event) => this.#show(event),
      review: async (...asked) => {
        await this.#greeted.promise;
        this.#transcript.endParagraph();
        return await review(...asked);
      },
      approve: async (approval) => {
        await this.#greeted.promise;
        this.#transcript.endParagraph();
        return await askApproval(stage, approval);
      },
      onActivity: () => this.#waiting.abort(),
    });
  }

  async run(isContinued: boolean): Promise<number> {
    await this.#greet();
    if (isContinued) await this.#continue();
    this.#greeted.resolve();
    for (;;) {
      const line = await this.#nextLine();
      const text = line?.trim();
      if (text === undefined || ENDS.has(text)) return EXIT.ok;
      if (text === "e") await this.#write("");
      else if (text.startsWith("!")) await this.#runCommand(text.slice(1).trim());
      else if (text !== "") await this.#say(text);
    }
  }

  async #say(text: string): Promise<void> {
    const context = text.startsWith("/") ? [] : this.#printed;
    const onTaken = (): void => {
      this.#printed = this.#printed.filter((each) => !context.includes(each));
    };
    await this.#watched(async () => await this.#conversation.say({ text, context }, onTaken));
    if (text === "/help") this.#stage.out.write(`\n${KEYS}`);
  }

  /** What is written in the person's editor is put at the next prompt. */
  async #write(begun: string): Promise<void> {
    const { person, out } = this.#stage;
    const written = await editText(begun, "prompt.md");
    if (written === undefined && begun === "") out.line("  Nothing was written.");
    person.keep((written ?? begun).trim());
  }

  async #runCommand(command: string): Promise<void> {
    if (command === "") return;
    const { folder, host } = this.#stage;
    // Ctrl-C is the command's.
    this.#stage.onInterrupt = () => this.#stage.calm();
    const printed = await runShown(command, { folder, host });
    this.#stage.onInterrupt = undefined;
    this.#printed.push({ kind: "text", label: `!${command}`, text: printed });
  }

  #show(event: TurnEvent): void {
    if (event.kind === "usage" && event.purpose === undefined) this.#usage = event;
    if (event.kind === "turnStarted" && event.promptIds !== undefined)
      this.#transcript.note(`you, meanwhile: ${event.text}`);
    this.#transcript.show(event);
  }

  /** `claude-x · 34,100 of 200,000 tokens (17 %) · $0.12` */
  #status(): string | undefined {
    if (this.#usage === undefined) return undefined;
    const { model, contextWindow, sessionCost, ...counts } = this.#usage;
    const full = counts.inputTokens + counts.outputTokens + counts.cacheReadTokens + counts.cacheWriteTokens;
    const window = contextWindow === undefined ? "" : ` of ${contextWindow.toLocaleString("en")}`;
    const share = contextWindow === undefined ? "" : ` (${Math.round((full / contextWindow) * 100)} %)`;
    const cost = sessionCost === undefined ? undefined : `$${sessionCost.toFixed(2)}`;
    const tokens = `${full.toLocaleString("en")}${window} tokens${share}`;
    return [model, tokens, cost].filter((part) => part !== undefined).join(" · ");
  }

  async #greet(): Promise<void> {
    const { out, folder } = this.#stage;
    const { version, model } = await this.#client.request("agentq/status", {});
    const name = `agentq ${version}`;
    const lines = wrap(`${name} in ${plain(folder)}, ${plain(model.model)}`, out.width);
    for (const line of lines) out.line(line.replace(name, out.paint("bold", name)));
    if (!model.ready) out.line(out.paint("yellow", plain(model.reason ?? "The model is not ready.")));
    const above = projectAbove(folder);
    if (above !== undefined) {
      const partly = `Only this folder is worked on. The project is ${plain(above)}: start agentq there for all of it.`;
      for (const line of wrap(partly, out.width)) out.line(out.paint("yellow", line));
    }
    out.line(out.paint("dim", "/help tells commands and keys; Tab completes @ # $ /; Ctrl-D ends."));
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
      const status = this.#status();
      out.line();
      if (status !== undefined) out.line(out.paint("dim", plain(status)));
      try {
        return await person.line(out.paint("bold", "> "), {
          signal,
          isText: true,
          history: this.#history,
          complete: async (line) => await this.#complete(line),
        });
      } catch (error) {
        if (signal.aborted) continue;
        if (!(error instanceof LineLeft)) throw error;
        if (error.by === "editor") await this.#write(error.text);
        else if (error.text === "") return undefined;
      }
    }
  }

  /** Until the work is done; Ctrl-C stops the model. What the server refuses is shown, and the chat goes on. */
  async #watched(work: () => Promise<unknown>): Promise<void> {
    const { out } = this.#stage;
    const { person } = this.#stage;
    const keep = (texts: readonly string[]): void => {
      if (texts.length > 0) person.keep(texts.join("\n"));
    };
    const cancel = (): void => void this.#conversation.cancel().then(keep, () => undefined);
    const stopped = this.#client.gone.then((reason): never => {
      throw new Error(`The server has stopped: ${reason}`);
    });
    this.#stage.calm();
    this.#stage.onInterrupt = cancel;
    const unheard = person.listen({
      said: (text) => void this.#saidMeanwhile(text),
      interrupted: () => this.#stage.interrupt(),
    });
    try {
      await Promise.race([work(), stopped]);
    } catch (error) {
      if (error instanceof LineLeft) cancel();
      else if (typeof (error as { code?: unknown }).code === "number") {
        out.line(out.paint("red", `  ${plain((error as Error).message)}`));
      } else throw error;
    } finally {
      unheard();
      this.#stage.onInterrupt = undefined;
    }
  }

  /** The model hears it at the next boundary. What is no word to the model, or may be a key for a question, waits for the prompt. */
  async #saidMeanwhile(text: string): Promise<void> {
    const { person } = this.#stage;
    if (text.length === 1 || /^[/!]/.test(text) || ENDS.has(text)) {
      person.keep(text);
      this.#transcript.note(`for the next prompt: ${text}`);
      return;
    }
    this.#transcript.note(`queued: ${text}`);
    try {
      await this.#conversation.add(text);
    } catch (error) {
      person.keep(text);
      this.#transcript.note(`not sent, and kept for the next prompt: ${(error as Error).message}`);
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
