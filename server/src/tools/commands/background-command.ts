/** The part of `run_command` for commands that go on by themselves. */
import type { BackgroundNews, BackgroundRequest } from "../../sandbox/runs/background.ts";
import { indented } from "../answers/quoted-text.ts";
import { ToolFailure, type ToolAnswer } from "../tool.ts";

export interface BackgroundPorts {
  /** Answers why nothing was started, or what the command said at first. */
  readonly start: (request: BackgroundRequest, signal: AbortSignal) => Promise<BackgroundNews | string>;
  readonly read: (id: string, signal: AbortSignal) => Promise<BackgroundNews | undefined>;
  readonly stop: (id: string) => Promise<BackgroundNews | undefined>;
  /** Folders that git ignores, by their real paths. */
  readonly writable: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly show: (absolute: string) => string;
}

const SHOWN = 6;

export async function startInBackground(
  ports: BackgroundPorts,
  request: Omit<BackgroundRequest, "writable">,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const writable = await ports.writable(signal);
  const news = await ports.start({ ...request, writable }, signal);
  if (typeof news === "string" || news.end?.kind === "refused") {
    throw new ToolFailure(
      `NOT RUN: ${typeof news === "string" ? news : news.end?.kind === "refused" ? news.end.reason : ""}`,
    );
  }
  const shown = writable.slice(0, SHOWN).map(ports.show).join(", ");
  const where =
    writable.length === 0 ? "nothing of the project" : `only ${shown}${writable.length > SHOWN ? ", …" : ""}`;
  const ground = `It sees the project as saved, and can write to ${where}; what it writes is dropped.`;
  return newsAnswer(news, news.end === undefined ? [ground] : []);
}

/** `b1`, `stop b1` */
export async function askBackground(ports: BackgroundPorts, words: string, signal: AbortSignal): Promise<ToolAnswer> {
  const [, stop, id = ""] = /^\s*(stop\s+)?(\S+)\s*$/.exec(words) ?? [];
  const news = stop === undefined ? await ports.read(id, signal) : await ports.stop(id);
  if (news === undefined) {
    throw new ToolFailure(
      `No command "${words.trim()}" runs in the background: it is "start", an id, or "stop" and an id.`,
    );
  }
  return newsAnswer(news, []);
}

function newsAnswer({ id, output, denials, end }: BackgroundNews, more: readonly string[]): ToolAnswer {
  const state =
    end === undefined
      ? `${id} runs in the background. Read on with background "${id}", end it with "stop ${id}".`
      : endedWords(id, end);
  const printed =
    output.text.trim() === "" ? ["Nothing new was printed."] : ["printed:", indented(output.text.trimEnd())];
  const content = [state, ...more, ...printed, ...denials.map((denial) => `Not reached: ${denial}.`)].join("\n");
  return output.left === 0 ? { content } : { content, complete: false, notes: ["Not all of the output is shown."] };
}

function endedWords(id: string, end: NonNullable<BackgroundNews["end"]>): string {
  if (end.kind === "refused") return `${id} could not run: ${end.reason}`;
  if (end.isDiskFull === true) return `${id} was stopped: the disk for temporary files got full.`;
  return end.isStopped ? `${id} was stopped, with everything it started.` : `${id} ended with exit code ${end.code}.`;
}
