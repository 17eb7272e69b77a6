/** What the agent says to an editor without a conversation window: a Markdown file for each turn, opened by the editor. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeOwnFolder, sweepOwn } from "../../process/own-folder.ts";
import type { TurnEvent } from "../../protocol/turn-shapes.ts";
import { uriOf } from "../../workspace/file-uri.ts";
import { showHidden } from "../../workspace/hidden-characters.ts";
import type { PlainWire } from "./plain-wire.ts";

const PREFIX = "agentq-answers-";
const SAID_CHARACTERS = 1_500;
const RESULT_CHARACTERS = 100;

interface Turn {
  readonly parts: string[];
  readonly progress: ReturnType<PlainWire["progress"]>;
}

export class AnswerDocuments {
  readonly #wire: PlainWire;
  readonly #turns = new Map<string, Turn>();
  #folder: string | undefined;
  #count = 0;

  constructor(wire: PlainWire) {
    this.#wire = wire;
  }

  /** Contract: events of one turn come in their order. */
  hear(turnId: string, event: TurnEvent): void {
    if (event.kind === "turnStarted") {
      const quoted = event.text.replaceAll(/^/gm, "> ");
      this.#turns.set(turnId, { parts: [`${quoted}\n\n`], progress: this.#wire.progress("Agent-Q") });
      return;
    }
    const turn = this.#turns.get(turnId);
    if (turn === undefined) return;
    turn.parts.push(written(event));
    if (event.kind === "toolCall") turn.progress.report(event.name);
    if (event.kind !== "turnEnded") return;
    this.#turns.delete(turnId);
    turn.progress.end();
    void this.show("answer", "md", turn.parts.join(""));
  }

  /**
   * Opens a text beside what the person does. Where the editor opens nothing, a message shows the beginning of the
   * text.
   */
  async show(name: string, extension: string, text: string, takeFocus = false): Promise<boolean> {
    const file = this.#write(name, extension, text);
    if (await this.#wire.showDocument(uriOf(file), takeFocus)) return true;
    const isCut = text.length > SAID_CHARACTERS;
    this.#wire.say(isCut ? `${text.slice(0, SAID_CHARACTERS)} … All of it stands in ${file}` : text.trim());
    return false;
  }

  /** Opens a text, and says nothing where the editor opens none. */
  async open(name: string, extension: string, text: string): Promise<boolean> {
    return await this.#wire.showDocument(uriOf(this.#write(name, extension, text)), false);
  }

  /** Ends what is shown as running, and removes the files. */
  dispose(): void {
    for (const { progress } of this.#turns.values()) progress.end();
    this.#turns.clear();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(name: string, extension: string, text: string): string {
    if (this.#folder === undefined) {
      // Removes the folders of servers that were killed.
      sweepOwn(PREFIX);
      this.#folder = makeOwnFolder(PREFIX);
    }
    this.#count += 1;
    const file = join(this.#folder, `${name}-${this.#count}.${extension}`);
    writeFileSync(file, showHidden(text), { mode: 0o600 });
    return file;
  }
}

function written(event: TurnEvent): string {
  switch (event.kind) {
    case "text":
    case "commandAnswer":
      return event.text;
    case "queuedPrompt":
      return `\n\n> ${event.text.replaceAll("\n", "\n> ")}\n\n`;
    case "toolResult": {
      const { success, content, error = "" } = event.result;
      const [line = ""] = (success ? content : error).split("\n");
      return `\n\n- \`${event.name}\`${success ? "" : " failed"}: ${line.slice(0, RESULT_CHARACTERS)}\n\n`;
    }
    case "notice":
      return `\n\n*${event.message}*\n\n`;
    case "compacted":
      return `\n\n*${event.message}*\n\n`;
    case "turnEnded":
      return event.reason === "endTurn" ? "\n" : `\n\n*The turn ended: ${event.message ?? event.reason}.*\n`;
    default:
      return "";
  }
}
