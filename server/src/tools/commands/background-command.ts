/** The part of `run_command` for commands that go on by themselves. */
import { join, sep } from "node:path";
import { ignoredFolders } from "../../process/git.ts";
import type { BackgroundCommands, BackgroundNews, BackgroundRequest } from "../../sandbox/runs/background.ts";
import { existingRealPath } from "../../workspace/real-path.ts";
import { closedName } from "../../workspace/secret-names.ts";
import { indented } from "../answers/quoted-text.ts";
import { ToolFailure, type ToolAnswer } from "../tool.ts";

export interface BackgroundPorts {
  readonly background: BackgroundCommands;
  /** Absolute real paths of the workspace folders. */
  readonly folders: () => readonly string[];
  readonly show: (absolute: string) => string;
}

const SHOWN = 6;
const MOST_WRITABLE = 100;

export async function startInBackground(
  ports: BackgroundPorts,
  request: Omit<BackgroundRequest, "writable">,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const writable = await writableIn(ports.folders(), signal);
  const news = await ports.background.start({ ...request, writable }, signal);
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

/** Folders that git ignores. */
async function writableIn(folders: readonly string[], signal: AbortSignal): Promise<string[]> {
  const ignored = folders.map(async (folder) =>
    (await ignoredFolders(folder, signal)).map((path) => join(folder, path)),
  );
  return (await Promise.all(ignored)).flat().filter(mayBeWritten).slice(0, MOST_WRITABLE);
}

/** A folder whose real path is this one, and which is neither a repository's nor one for secrets. */
function mayBeWritten(path: string): boolean {
  return existingRealPath(path) === path && closedName(path.split(sep)) === undefined;
}

/** `b1`, `stop b1` */
export async function askBackground(
  { background }: Pick<BackgroundPorts, "background">,
  words: string,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const [, stop, id = ""] = /^\s*(stop\s+)?(\S+)\s*$/.exec(words) ?? [];
  const news = stop === undefined ? await background.read(id, signal) : await background.stop(id);
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
