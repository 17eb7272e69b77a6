/** The person at the terminal: questions, and what they answer. */
import { createInterface, type AsyncCompleter } from "node:readline";
import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setTimeout } from "node:timers/promises";
import { given } from "../base/given.ts";
import { LineLeft, type LineOptions, type Listener, type QuestionOptions } from "./line.ts";
import {
  begunLine,
  KEY,
  oneLine,
  PASTE,
  pasted,
  severalLines,
  textsOf,
  TURN,
  turned,
  type Reading,
} from "./typed-keys.ts";

const HISTORY_LINES = 1_000;
/** So long what is on its way when a question comes up is waited for. */
const ON_THE_WAY_MS = 50;
/** What a terminal took before it was asked for each key: its lines end otherwise, and Ctrl-D came to be a NUL. */
const SETTLED_MS = 50;
/**
 * The terminal's lines. What comes behind the end of a line is the next prompt's. A question is answered only by keys
 * that are pressed while it is on the screen.
 */
export class Person {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #decoder = new StringDecoder("utf8");
  /** Keys that nobody has read yet. */
  #ahead = "";
  /** Keys that came behind the answer to a question. */
  #behind = "";
  /** Keys from before a question: the next prompt has them as a text that is not sent yet. */
  #kept = "";
  /** Texts that the next prompt has, also after Ctrl-C: the person entered them. */
  readonly #unsent: string[] = [];
  #isUsed = false;
  #listener: Listener | undefined;
  /** Since when the terminal hands on each key, while nothing of that has come. */
  #rawSince: number | undefined;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#input = input;
    this.#output = output;
  }

  /** Whether there is something for the next prompt already. */
  get isAhead(): boolean {
    return this.#ahead !== "";
  }

  /** The answer without the spaces around it, or undefined after Ctrl-D. Ctrl-C throws `LineLeft`. */
  async ask(question: string, { isFollowUp = false }: QuestionOptions = {}): Promise<string | undefined> {
    for (;;) {
      let begun = "";
      if (isFollowUp) this.#ahead = this.#behind;
      else {
        await this.#readAhead();
        begun = begunLine(this.#ahead);
        this.#kept += this.#behind + this.#ahead.slice(0, this.#ahead.length - begun.length);
        this.#ahead = begun;
      }
      const line = await this.#read(question, {});
      [this.#behind, this.#ahead] = [this.#ahead, ""];
      if (begun === "") return line?.trim();
      this.#kept += line ?? "";
      this.#output.write("  This line was begun before the question stood, so it is kept for the next prompt.\n");
    }
  }

  /** The next line with all its spaces, or undefined after Ctrl-D. Rejects with the signal's reason when that takes the prompt back. */
  line(prompt: string, options: LineOptions = {}): Promise<string | undefined> {
    this.#ahead = pasted(this.#unsent.splice(0).join("\n")) + pasted(this.#kept + this.#behind) + this.#ahead;
    this.#kept = this.#behind = "";
    return this.#read(prompt, options);
  }

  /** A text that the next prompt has, not sent. */
  keep(text: string): void {
    this.#unsent.push(text);
  }

  /** Hears the person until the answer is called; in between, questions are asked as ever. */
  listen(listener: Listener): () => void {
    this.#listener = listener;
    this.#resume();
    return () => {
      this.#pause();
      this.#listener = undefined;
    };
  }

  /** While `work` has the terminal: another program, such as the person's editor. */
  async away<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#pause();
    try {
      return await work();
    } finally {
      this.#resume();
    }
  }

  #resume(): void {
    if (this.#listener === undefined) return;
    this.#setRaw(true);
    this.#input.on("data", this.#overhear).resume();
  }

  #pause(): void {
    if (this.#listener === undefined) return;
    this.#input.off("data", this.#overhear).pause();
    this.#setRaw(false);
  }

  readonly #overhear = (chunk: Buffer): void => {
    this.#take(chunk);
    const [typed = "", ...after] = this.#ahead.split(KEY.interrupt);
    const before = typed.replaceAll(KEY.suspend, "");
    if (before !== typed) this.#suspend();
    const begun = begunLine(before);
    this.#ahead = begun;
    for (const text of textsOf(before.slice(0, before.length - begun.length))) this.#listener?.said(text);
    if (after.length === 0) return;
    this.forget();
    this.#listener?.interrupted();
  };

  /** As a terminal does by itself when it is not asked for each key. */
  #suspend(): void {
    this.#pause();
    process.once("SIGCONT", () => this.#resume());
    process.kill(process.pid, "SIGTSTP");
  }

  #setRaw(isRaw: boolean): void {
    this.#input.setRawMode(isRaw);
    this.#rawSince = isRaw ? performance.now() : undefined;
  }

  #take(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    const isFromBefore = this.#rawSince !== undefined && performance.now() - this.#rawSince < SETTLED_MS;
    this.#rawSince = undefined;
    this.#ahead += isFromBefore ? text.replaceAll(/\r?\n/g, "\r").replaceAll("\0", "\u0004") : text;
  }

  /** Ctrl-C: what was typed ahead and not entered is not said any more. */
  forget(): void {
    this.#ahead = this.#behind = this.#kept = "";
  }

  /** The terminal is left as it was. */
  leave(): void {
    if (this.#isUsed) this.#output.write(PASTE.off);
    this.#isUsed = false;
  }

  async #readAhead(): Promise<void> {
    const hear = (chunk: Buffer): void => this.#take(chunk);
    this.#pause();
    // The terminal keeps a line that has not ended for itself until each key is asked for.
    this.#setRaw(true);
    this.#input.on("data", hear).resume();
    await setTimeout(ON_THE_WAY_MS);
    this.#input.off("data", hear).pause();
  }

  #read(prompt: string, { complete, history, signal, isText = false }: LineOptions): Promise<string | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
    this.#pause();
    // Keys are handed on one stretch at a time, so that none is lost when a line ends.
    const keys = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => this.#setRaw(isRaw) });
    const lines = createInterface({
      input: keys,
      output: this.#output,
      terminal: true,
      ...given({ completer: complete && completerOf(complete) }),
      ...(history === undefined
        ? {}
        : { history: history.map(oneLine), historySize: HISTORY_LINES, removeHistoryDuplicates: true }),
    });
    let isOpen = true;
    const wantEditor = (): void => {
      reject(new LineLeft("editor", severalLines(lines.line)));
      lines.close();
    };
    const hand = (): void => this.#hand({ keys, lines, isOpen: () => isOpen, ...(isText && { wantEditor }) });
    const hear = (chunk: Buffer): void => {
      this.#take(chunk);
      hand();
    };
    const end = (): void => lines.close();
    const takeBack = (): void => {
      this.#ahead = pasted(severalLines(lines.line)) + this.#ahead;
      reject(signal?.reason);
      lines.close();
    };
    lines.once("line", (line) => {
      resolve(severalLines(line));
      lines.close();
    });
    lines.once("SIGINT", () => {
      this.forget();
      reject(new LineLeft("interrupt", severalLines(lines.line)));
      lines.close();
    });
    lines.once("close", () => {
      isOpen = false;
      signal?.removeEventListener("abort", takeBack);
      this.#input.off("data", hear).off("end", end).pause();
      this.#resume();
      resolve(undefined);
    });
    this.#isUsed = true;
    // The person's editor may have turned it off.
    this.#output.write(PASTE.on);
    lines.setPrompt(prompt);
    lines.prompt();
    if (signal?.aborted === true) takeBack();
    else {
      signal?.addEventListener("abort", takeBack, { once: true });
      this.#input.on("data", hear).on("end", end).resume();
      hand();
    }
    return promise.then(
      (line) => {
        if (line === undefined) this.#output.write("\n");
        else if (history !== undefined && line.trim() !== "" && history[0] !== line) history.unshift(line);
        return line;
      },
      (error: unknown) => {
        this.#output.write("\n");
        throw error;
      },
    );
  }

  /** Hands on what is there, up to the end of a line. */
  #hand(reading: Reading): void {
    const { keys, lines, isOpen } = reading;
    while (isOpen() && this.#ahead !== "") {
      const found = TURN.exec(this.#ahead);
      const [turn = ""] = found ?? [];
      const before = this.#ahead.slice(0, found?.index);
      if (before !== "") {
        this.#ahead = this.#ahead.slice(before.length);
        keys.emit("data", before);
      } else if (turn === PASTE.start) {
        const end = this.#ahead.indexOf(PASTE.end);
        // A paste whose end got lost is given up with Ctrl-C.
        const interrupt = end < 0 ? this.#ahead.indexOf(KEY.interrupt) : -1;
        if (end < 0 && interrupt < 0) return;
        if (end >= 0) lines.write(oneLine(this.#ahead.slice(PASTE.start.length, end)));
        this.#ahead = this.#ahead.slice(end < 0 ? interrupt : end + PASTE.end.length);
      } else if (/^[\t\r\n]|^\u001b[\r\n]|^\u0018\u0005/.test(turn)) {
        this.#ahead = this.#ahead.slice(turn.length);
        turned(turn, reading);
      } else return;
    }
  }
}

function completerOf(complete: NonNullable<LineOptions["complete"]>): AsyncCompleter {
  const answer = async (line: string, done: Parameters<AsyncCompleter>[1]): Promise<void> => {
    done(null, await complete(line));
  };
  return (line, done) => void answer(line, done);
}
