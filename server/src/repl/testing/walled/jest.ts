/** The project's jest, with its configuration and the options of its own script. */
import { installedPackage, manifestIn, programOf } from "../manifest.ts";
import { CODE } from "../find-test-files.ts";
import { callsIn, keptWords } from "../test-script.ts";
import { NOT_INSTALLED } from "../test-run.ts";
import { handReporter } from "./child-program.ts";
import { eventsVariable, readEvents } from "./events-run.ts";
import type { PlanSetting, PreparedRun } from "./walled-plan.ts";

const VALUED = [
  "-c",
  "--config",
  "--rootDir",
  "--roots",
  "--projects",
  "--selectProjects",
  "--env",
  "-w",
  "--maxWorkers",
];
const DROPPED =
  /^(?:--(?:watch|watchAll|watchman|coverage\w*|collectCoverage\w*|reporters|json|outputFile|onlyChanged|changed\w*|lastCommit|silent|verbose|bail|updateSnapshot|shard|findRelatedTests|runTestsByPath|testNamePattern|notify)(?:$|=)|-[otub]$)/;

export async function prepareJest(setting: PlanSetting): Promise<PreparedRun | string> {
  const { plan, request, nodePath } = setting;
  const installed = installedPackage(plan.root, "jest");
  const program = installed && programOf(installed, "jest");
  if (program === undefined) return `jest ${NOT_INSTALLED}`;
  const [call] = callsIn(manifestIn(plan.root), (name) => name === "jest");
  const own = keptWords(call, { valued: VALUED, dropped: DROPPED, names: false });
  const reporter = await handReporter(setting, { file: "jest-reporter", name: "JestReporter", format: "cjs" });
  const folder = plan.root;
  const env = { ...call?.env, ...eventsVariable(setting) };
  const folders = plan.files.filter((path) => !CODE.test(path));
  // Jest wants folders as patterns of paths, and takes file names beside them for patterns too.
  const patterns = plan.files.map((path) => `^${path.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?:/|$)`);
  const asked = folders.length > 0 ? patterns : plan.files.length > 0 ? ["--runTestsByPath", ...plan.files] : [];
  // Some options take every word that follows, so the files come before all options.
  const base: [string, ...string[]] = [nodePath, program, ...asked, ...own, "--watchman=false"];
  const options = ["--testLocationInResults", "--coverage=false", "--passWithNoTests", `--reporters=${reporter}`];
  const name = request.name === undefined ? [] : [`--testNamePattern=${request.name}`];
  return {
    version: installed?.version ?? "",
    program: { command: [...base, ...options, ...name], folder, env },
    read: (end) => readEvents(setting, end),
    list: { command: [...base, "--listTests"], folder, env },
  };
}
