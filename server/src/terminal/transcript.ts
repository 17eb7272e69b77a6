/** Shows the events of a turn: text as it streams, each tool call with the beginning of its result. */
import type { ToolResult } from "../protocol/tool-shapes.ts";
import type { TurnEvent } from "../protocol/turn-shapes.ts";
import { Prose } from "./prose.ts";
import { clip, paragraph, plain, wrap, type Screen } from "./screen.ts";

const RESULT_LINES = 8;
/** Shown elsewhere: a form as code under the call, the texts of an edit as hunks. */
const LONG_ARGUMENTS: ReadonlySet<string> = new Set(["form", "modified", "original", "edits"]);

export class Transcript {
  readonly #screen: Screen;
  readonly #text: Prose;
  readonly #thinking: Prose;
  readonly #shownCalls = new Set<string>();
  #speaking: "text" | "thinking" | undefined;
  #notes: string[] = [];
  /** The call that the last lines are about: calls may run at the same time, then a result names its own. */
  #lastCall: string | undefined;

  /** Each call takes one line: its result is the rest of the line. */
  readonly #isBrief: boolean;
  /** How long the line is that waits for a call's result; 0 when none does. */
  #openLine = 0;

  constructor(screen: Screen, { isBrief = false }: { readonly isBrief?: boolean } = {}) {
    this.#screen = screen;
    this.#isBrief = isBrief;
    this.#text = new Prose(screen);
    this.#thinking = new Prose(screen, (text) => screen.paint("dim", text));
  }

  show(event: TurnEvent): void {
    const screen = this.#screen;
    switch (event.kind) {
      case "text":
      case "thinking":
        return this.#speak(event.kind, event.text);
      case "toolCall":
        if (event.arguments !== undefined && event.state !== "preparing") {
          this.#call(event.toolCallId, event.name, event.arguments);
        }
        return;
      case "toolResult":
        if (this.#isBrief) return this.#briefResult(event.toolCallId, event.name, event.result);
        this.endParagraph();
        return this.#result(event.toolCallId, event.name, event.result);
      case "retrying":
        this.endParagraph();
        return paragraph(
          this.#screen,
          "yellow",
          `${event.reason}: trying again in ${(event.waitMs / 1000).toFixed(1)} s`,
        );
      case "commandAnswer":
        this.endParagraph();
        screen.line();
        this.#text.write(event.text);
        return this.#text.end();
      case "compacted":
        this.endParagraph();
        return paragraph(this.#screen, "yellow", event.message);
      case "notice":
        this.endParagraph();
        return paragraph(this.#screen, event.level === "error" ? "red" : "yellow", event.message);
      case "turnEnded":
        this.endParagraph();
        return event.message === undefined ? undefined : paragraph(this.#screen, "red", event.message);
      case "queuedPrompt":
        this.endParagraph();
        return paragraph(this.#screen, "dim", `you, meanwhile: ${event.text}`);
      case "turnStarted":
      case "modeChanged":
      case "usage":
      case "compactionUndone":
        return;
    }
  }

  /** A line of its own, which cuts no sentence of the model's in two. */
  note(line: string): void {
    this.#notes.push(line);
    if (this.#speaking === undefined) this.endParagraph();
    else this.#tellNotes();
  }

  endParagraph(): void {
    if (this.#openLine > 0) this.#screen.line();
    this.#openLine = 0;
    if (this.#speaking !== undefined) this.#speaker.end();
    this.#speaking = undefined;
    this.#tellNotes();
  }

  #tellNotes(): void {
    if (this.#speaking !== undefined && !this.#speaker.isBetweenLines) return;
    for (const line of this.#notes.splice(0)) paragraph(this.#screen, "dim", line);
  }

  get #speaker(): Prose {
    return this.#speaking === "thinking" ? this.#thinking : this.#text;
  }

  #speak(kind: "text" | "thinking", text: string): void {
    if (this.#speaking !== kind || this.#openLine > 0) {
      this.endParagraph();
      this.#screen.line();
      this.#speaking = kind;
    }
    this.#speaker.write(text);
    this.#tellNotes();
  }

  #call(id: string, name: string, args: Readonly<Record<string, unknown>>): void {
    if (this.#shownCalls.has(id)) return;
    this.#shownCalls.add(id);
    this.#lastCall = id;
    this.endParagraph();
    const short = Object.entries(args)
      .filter(([key]) => !LONG_ARGUMENTS.has(key))
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    const screen = this.#screen;
    const { form } = args;
    const head = `  ${screen.paint("cyan", "●")} ${screen.paint("bold", plain(name))}`;
    if (this.#isBrief) {
      const words = typeof form === "string" ? form : Object.values(args).filter(isShort).join(" ");
      const about = clip(oneLine(words), Math.floor(screen.width / 3));
      screen.write(`${head} ${about}`);
      this.#openLine = name.length + about.length + 5;
      return;
    }
    screen.line();
    const about = short.length === 0 ? "" : ` ${clip(plain(short.join(", ")), screen.width - name.length - 6)}`;
    screen.line(`${head}${about}`);
    if (typeof form === "string") {
      for (const line of plain(form).split("\n")) this.#under(clip(line, this.#screen.width - 6));
    }
  }

  #briefResult(id: string, name: string, result: ToolResult): void {
    const screen = this.#screen;
    const words = oneLine(result.success ? result.content : (result.error ?? "failed"));
    const time = ` (${Math.round(result.metadata.executionTimeMs)} ms)`;
    if (this.#openLine === 0 || this.#lastCall !== id) {
      this.endParagraph();
      screen.write(`  ${screen.paint("cyan", "↳")} ${screen.paint("bold", plain(name))}`);
      this.#openLine = name.length + 4;
    }
    const shown = clip(words, Math.max(8, screen.width - this.#openLine - time.length - 3));
    screen.line(screen.paint(result.success ? "dim" : "red", ` → ${shown}${time}`));
    this.#openLine = 0;
  }

  #result(id: string, name: string, result: ToolResult): void {
    const screen = this.#screen;
    if (this.#lastCall !== id) {
      this.#lastCall = id;
      screen.line();
      screen.line(`  ${screen.paint("cyan", "↳")} ${screen.paint("bold", plain(name))}`);
    }
    const lines = plain(result.success ? result.content : (result.error ?? "failed"))
      .split("\n")
      .filter((line) => line.trim() !== "");
    // The fate of the hunks is shown in full; for any other result the beginning is enough.
    const isReview = name === "propose_edits" || name === "propose_file_edit";
    const shown = isReview ? lines.flatMap((line) => wrap(line, screen.width - 8)) : lines.slice(0, RESULT_LINES);
    for (const [index, line] of shown.entries()) {
      const text = clip(`${index === 0 ? "→ " : "  "}${line}`, screen.width - 6);
      this.#under(screen.paint(result.success ? "dim" : "red", text));
    }
    const more = isReview ? 0 : lines.length - shown.length;
    const time = isReview ? "" : `${Math.round(result.metadata.executionTimeMs)} ms`;
    const tail = [more > 0 ? `${more} more lines` : "", time].filter((part) => part !== "").join(", ");
    if (tail !== "") this.#under(screen.paint("dim", `(${tail})`));
  }

  #under(text: string): void {
    this.#screen.line(`    ${this.#screen.paint("dim", "│")} ${text}`);
  }
}

function isShort(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

function oneLine(text: string): string {
  return plain(text).replace(/\s+/g, " ").trim();
}
