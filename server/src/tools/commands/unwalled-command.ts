/** `run_command` where nothing walls programs in: the person is asked about each command, and it runs in the project itself. */
import { childEnvironment } from "../../process/child-environment.ts";
import { watchPaths, type ChangedPath, type ChangedPaths } from "../../repl/stages/changes/changed-paths.ts";
import type { CommandRequest } from "../../sandbox/runs/command-run.ts";
import { runUnwalled } from "../../sandbox/runs/unwalled-run.ts";
import type { Documents } from "../../workspace/documents.ts";
import type { PathResolution } from "../../workspace/workspace-paths.ts";
import { inOneLine } from "../answers/quoted-text.ts";
import { ToolFailure, type ApprovalNeed, type ToolAnswer } from "../tool.ts";
import { endWords, printedLines, type Ended } from "./command-words.ts";

export interface UnwalledPorts {
  /** Absolute real paths of the workspace folders. */
  readonly folders: () => readonly string[];
  readonly documents: Pick<Documents, "isSaved">;
  readonly resolvePath: (path: string) => PathResolution;
  readonly show: (absolute: string) => string;
}

const SHOWN = 20;

export const UNWALLED_DESCRIPTION =
  "Runs a shell command in the project itself, with the person's rights, if they approve it: formatters, builds, other test " +
  "runners, git. What it writes is real; unsaved text is not in the files.";

/** `whyNot` is why there is no wall, and what would help. */
export function unwalledNeed(whyNot: string | undefined): ApprovalNeed | undefined {
  return whyNot === undefined
    ? undefined
    : { ask: true, because: `${whyNot} Without a wall the command runs in the project itself` };
}

export async function runInProject(
  ports: UnwalledPorts,
  request: CommandRequest,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const since = Date.now();
  const lookAgain = await watchPaths(ports.folders());
  const ran = await runUnwalled(request, childEnvironment(), signal);
  const changes = await notSaved(await lookAgain(), since, ports);
  const { end, timedOut, durationMs, output, goesOn } = ran;
  if (end.kind === "refused") throw new ToolFailure(`NOT RUN: ${end.reason}`);
  const stoppedAfterMs = timedOut ? request.timeoutMs : undefined;
  const isCancelled = signal.aborted;
  const ended = { code: end.code, durationMs, stoppedAfterMs, isCancelled };
  const printed = printedLines(output);
  const lines = [
    goesOn ? endWithoutAll(ended) : endWords(ended),
    ...printed.lines,
    ...changedLines(ports, changes),
    ...unsavedLines(ports, request, changes),
  ];
  const notes = [
    ...(isCancelled ? ["It did not run to its end."] : []),
    ...(printed.isWhole && !timedOut ? [] : ["Not all of the output is shown."]),
    ...(changes.isWhole ? [] : ["The workspace has more files than were looked at: others may have changed too."]),
  ];
  return { content: lines.join("\n"), ...(notes.length === 0 ? {} : { complete: false, notes }) };
}

/** What the person saves meanwhile is no change of the command's. */
async function notSaved(
  { changed, isWhole }: ChangedPaths,
  since: number,
  { documents, resolvePath }: UnwalledPorts,
): Promise<ChangedPaths> {
  const others: ChangedPath[] = [];
  for (const each of changed) {
    const resolution = resolvePath(each.path);
    if (!resolution.ok || !(await documents.isSaved(resolution.path.uri, since))) others.push(each);
  }
  return { changed: others, isWhole };
}

function endWithoutAll({ code, stoppedAfterMs, isCancelled }: Ended): string {
  const atItsEnd = stoppedAfterMs === undefined ? `Exit code ${code}` : `Stopped after ${stoppedAfterMs} ms`;
  const ended = isCancelled === true ? "Cancelled" : atItsEnd;
  return `${ended}, but a program that it started left its process group and STILL RUNS.`;
}

/** Nobody can tell who wrote a file: that it changed meanwhile is all that is claimed. */
function changedLines({ show }: UnwalledPorts, { changed, isWhole }: ChangedPaths): string[] {
  if (changed.length === 0) {
    return isWhole ? ["No file of the project changed (not looked at: node_modules, .git)."] : [];
  }
  const shown = changed.slice(0, SHOWN).map(({ path, kind }) => `  ${inOneLine(show(path))} (${kind})`);
  const more = changed.length > SHOWN ? [`  … and ${changed.length - SHOWN} more`] : [];
  return ["Changed in the project while it ran (not looked at: node_modules, .git):", ...shown, ...more];
}

function unsavedLines({ show }: UnwalledPorts, { unsaved }: CommandRequest, { changed }: ChangedPaths): string[] {
  if (unsaved.size === 0) return [];
  const name = (path: string): string => inOneLine(show(path));
  const under = changed.filter(({ path }) => unsaved.has(path)).map(({ path }) => name(path));
  const shown = [...unsaved.keys()].slice(0, SHOWN).map(name).join(", ");
  return [
    `It ran without the unsaved text of ${shown}${unsaved.size > SHOWN ? ", …" : ""}.`,
    ...(under.length === 0
      ? []
      : [`Changed on disk under unsaved text, which still counts here: ${under.join(", ")}.`]),
  ];
}
