/** The project's jest, with its own configuration and the options of its own script. */
import { installedPackage, manifestIn, programOf } from "../manifest.ts";
import { callIn, keptWords } from "../test-script.ts";
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
  const call = callIn(manifestIn(plan.root), (name) => name === "jest");
  const own = keptWords(call?.words ?? [], { valued: VALUED, dropped: DROPPED, names: false });
  const reporter = await handReporter(setting, { file: "jest-reporter", name: "JestReporter", format: "cjs" });
  const base: [string, ...string[]] = [nodePath, program, ...own, "--watchman=false"];
  const folder = plan.root;
  const env = { ...call?.env, ...eventsVariable(setting) };
  const asked = plan.files.length === 0 ? [] : ["--runTestsByPath", ...plan.files];
  const options = ["--testLocationInResults", "--coverage=false", "--passWithNoTests", `--reporters=${reporter}`];
  const name = request.name === undefined ? [] : [`--testNamePattern=${request.name}`];
  return {
    version: installed?.version ?? "",
    program: { command: [...base, ...options, ...name, ...asked], folder, env },
    read: (end) => readEvents(setting, end),
    list: { command: [...base, "--listTests", ...asked], folder, env },
  };
}
