/**
 * Runs test files for node:test, each in a process of its own as in `node --test`, with the flags of the project's own
 * script. Unlike there, no file holds its results back for another one.
 */
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { installedPackage } from "../manifest.ts";
import { flagsFor } from "../node-test-call.ts";
import { printedBy } from "../printed-by-files.ts";
import { eventsIn, outcomesOf, unfinishedFile } from "../told-events.ts";
import type { TestOutcome } from "../test-run.ts";
import { childProgram, handReporter } from "./child-program.ts";
import { EVENTS_VARIABLE } from "../../child/tests/events-variable.ts";
import { loadFailure } from "./load-failure.ts";
import type { PlanSetting, PreparedRun, ToldByProgram } from "./walled-plan.ts";
import { shellWord } from "../../../process/shell-word.ts";

const AT_ONCE = Math.max(2, availableParallelism() - 1);

export async function prepareNodeTest(setting: PlanSetting): Promise<PreparedRun> {
  const { plan, request, room, nodePath, prefix } = setting;
  const reporter = await handReporter(setting, { file: "node-test-reporter", name: "NodeTestReporter", format: "mjs" });
  const call = plan.call ?? { flags: unsaidFlags(plan.root), env: {} };
  const flags = [...flagsFor(call, request.name), `--test-reporter=${reporter}`];
  // The shell's `$0` is the number of the file: a prefix that no file can give itself.
  const own = `${shellWord(room.pathOf(prefix))}"$0"`;
  const script = `${EVENTS_VARIABLE}=${own}.events ${[nodePath, ...flags].map(shellWord).join(" ")} "$1" >${own}.out 2>&1; echo $? >${own}.code\n`;
  const files = plan.files.flatMap((file, index) => [String(index), file]);
  const list = await room.hand(`${prefix}files`, files.map((word) => `${word}\0`).join(""));
  const all = `exec xargs -0 -n 2 -P ${AT_ONCE} sh -c ${shellWord(script)} <${shellWord(list)}`;
  return {
    version: `of Node ${process.version.replace(/^v/, "")}`,
    program: { command: ["sh", "-c", all], folder: plan.root, env: call.env },
    read: () => toldByFiles(setting),
  };
}

/** The flags when no script names any: TypeScript is loaded by `tsx` when it is installed, or else by Node itself. */
function unsaidFlags(root: string): string[] {
  if (installedPackage(root, "tsx") !== undefined) return ["--import", "tsx"];
  const transforms = "--experimental-transform-types";
  const isKnown = process.allowedNodeEnvironmentFlags.has(transforms);
  return ["--no-warnings", ...(isKnown ? [transforms] : []), "--import", childProgram("resolve-typescript")];
}

interface FileRun {
  readonly file: string;
  readonly outcomes: readonly TestOutcome[];
  readonly output: string;
  readonly problem?: string;
}

async function toldByFiles(setting: PlanSetting): Promise<ToldByProgram> {
  const { plan } = setting;
  const read = await Promise.all(plan.files.map((file, index) => toldByFile(setting, file, index)));
  const runs = read.flatMap((run) => run ?? []);
  const problems = runs.flatMap(({ file, problem }) => (problem === undefined ? [] : [`${file}: ${problem}`]));
  return {
    outcomes: runs.flatMap(({ outcomes }) => outcomes),
    output: printedBy(runs, plan.files.length > 1),
    notRun: plan.files.filter((_, index) => read[index] === undefined),
    ...(problems.length === 0 ? {} : { problem: problems.join("\n  ") }),
  };
}

/** Undefined for a file that was not begun. */
async function toldByFile(
  { plan, room, prefix }: PlanSetting,
  file: string,
  index: number,
): Promise<FileRun | undefined> {
  const left = async (what: string): Promise<string | undefined> => room.left(`${prefix}${index}.${what}`);
  const [printed, ended, told] = await Promise.all([left("out"), left("code"), left("events")]);
  if (printed === undefined) return undefined;
  const events = eventsIn(told ?? "");
  const outcomes = outcomesOf(events);
  const output = stripVTControlCharacters(printed);
  const shown = relative(plan.root, file);
  const code = ended === undefined ? undefined : Number(ended);
  const [problem] = events.flatMap((event) => ("problem" in event ? [event.problem] : []));
  if (problem !== undefined) return { file: shown, outcomes, output, problem };
  const isOpen = outcomes.some(({ state }) => state === "unfinished");
  const cut = isOpen ? outcomes : [...outcomes, unfinishedFile(file)];
  if (code === undefined) return { file: shown, outcomes: cut, output };
  if (code === 0 || outcomes.some(({ state }) => state === "failed")) return { file: shown, outcomes, output };
  const failure = loadFailure(output);
  if (failure === undefined)
    return { file: shown, outcomes: cut, output, problem: `its process ended with code ${code}` };
  const failed: TestOutcome = { file, titles: [], state: "failed", failures: [failure.thrown] };
  return { file: shown, outcomes: [...outcomes, failed], output: failure.before };
}
