/** What a colleague would know of a project before the first question, in a few lines and within a short time. */
import { setTimeout as sleep } from "node:timers/promises";
import { headOf } from "../base/cut-text.ts";
import { describeGit } from "./git-state.ts";
import { describeManifest, type ReadText } from "./manifest.ts";
import { nameList, plainName } from "../workspace/plain-text.ts";
import { listRoot, type RootListing } from "./root-listing.ts";

/** The runner of a project's tests; `isOurs` where `run_tests` can run them. */
export interface ToldRunner {
  readonly name: string;
  readonly isOurs: boolean;
}

/** Contract: none of them rejects. */
export interface ProjectPorts {
  /** The text of a file as it is now, unsaved text included; undefined where it may not or cannot be read. */
  readonly readText: (folder: string, name: string) => ReturnType<ReadText>;
  readonly testRunner: (folder: string, signal: AbortSignal) => Promise<ToldRunner | undefined>;
}

export interface TimeLimits {
  readonly allMs: number;
  /** Files are counted for so long; the counts of that moment are told. */
  readonly countMs: number;
}

const LIMITS: TimeLimits = { allMs: 800, countMs: 250 };
const FOLDERS = 3;
/** All folders together. */
const MAX_TEXT = 2_100;

/** Never rejects. What is not known in time is left out, and the text says so. */
export async function describeProject(
  folders: readonly string[],
  ports: ProjectPorts,
  limits = LIMITS,
): Promise<string> {
  const shown = folders.slice(0, FOLDERS);
  const room = Math.floor(MAX_TEXT / Math.max(1, shown.length));
  const texts = await Promise.all(
    shown.map(async (folder) => cutLines(await describeFolder(folder, ports, limits), room)),
  );
  const rest = folders.slice(FOLDERS).map(plainName);
  const more = rest.length === 0 ? [] : [`More workspace folders: ${nameList(rest, 200)}`];
  return folders.length === 0 ? "No workspace folder is open." : [...texts, ...more].join("\n");
}

async function describeFolder(folder: string, ports: ProjectPorts, limits: TimeLimits): Promise<string[]> {
  const limit = AbortSignal.timeout(limits.allMs - 100);
  const late: string[] = [];
  const inTime = async <Told>(what: string, work: Promise<Told>): Promise<Told | undefined> => {
    const told = await Promise.race([work.catch(() => undefined), sleep(limits.allMs, LATE, { ref: false })]);
    if (told !== LATE) return told;
    late.push(what);
    return undefined;
  };
  const listing = listRoot(folder);
  const counting = AbortSignal.timeout(limits.countMs);
  const [root, manifest, git, runner] = await Promise.all([
    inTime(
      "files",
      listing.then((found) => found.line(counting)),
    ),
    inTime(
      "package.json",
      listing.then((found) => describeManifest(folder, found, (name) => ports.readText(folder, name))),
    ),
    inTime("git", describeGit(folder, limit)),
    inTime("test runner", ports.testRunner(folder, limit)),
  ]);
  // Git that was stopped answers nothing, as where there is no repository.
  if (git === undefined && limit.aborted && !late.includes("git")) late.push("git");
  const lines = [
    ...(root === undefined ? [] : [`files: ${root}`]),
    git === undefined ? (late.includes("git") ? "" : "git: no repository") : `git: ${git}`,
    runner === undefined ? "" : `tests: ${runnerWords(runner, await inTime("files", listing))}`,
    // The scripts are the longest part, and what is behind them may be cut.
    late.length === 0 ? "" : `not known in time: ${late.join(", ")}`,
    ...(manifest ?? []),
  ];
  return [`Workspace ${plainName(folder)}`, ...lines.filter((line) => line !== "").map((line) => `  ${line}`)];
}

const LATE = Symbol("late");

function runnerWords({ name, isOurs }: ToldRunner, root: RootListing | undefined): string {
  if (isOurs && name === "vitest" && root?.hasModules === false)
    return `${name} (run_tests runs them once it is installed)`;
  return isOurs ? `${name} (run_tests runs them)` : `${name}, which run_tests cannot run`;
}

function cutLines(lines: readonly string[], room: number): string {
  const text = lines.join("\n");
  if (text.length <= room) return text;
  const head = headOf(text, room);
  return `${head.slice(0, head.lastIndexOf("\n"))}\n  … (cut: list_directory and read_file show the rest)`;
}
