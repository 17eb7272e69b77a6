/** The project's mocha, with its configuration and the options of its own script. */
import { pathToFileURL } from "node:url";
import { installedPackage, manifestIn, programOf } from "../manifest.ts";
import { callsIn, keptWords } from "../test-script.ts";
import { NOT_INSTALLED } from "../test-run.ts";
import { ASKED_VARIABLE } from "../../child/tests/events-variable.ts";
import { childProgram, handReporter } from "./child-program.ts";
import { eventsVariable, readEvents } from "./events-run.ts";
import type { PlanSetting, PreparedRun } from "./walled-plan.ts";

const VALUED = [
  "-r",
  "--require",
  "--import",
  "--loader",
  "-t",
  "--timeout",
  "-u",
  "--ui",
  "-s",
  "--slow",
  "--config",
].concat(
  [
    "--package",
    "--extension",
    "--file",
    "--spec",
    "--ignore",
    "--exclude",
    "-j",
    "--jobs",
    "--retries",
    "--node-option",
  ],
  ["-R", "--reporter", "-O", "--reporter-option", "-f", "--fgrep", "-g", "--grep", "-n"],
);
const DROPPED =
  /^(?:--(?:reporter|reporter-options?|watch\S*|grep|fgrep|invert|bail|parallel|jobs|dry-run|full-trace)(?:$|=)|-[RwOgfibpj]$)/;

export async function prepareMocha(setting: PlanSetting): Promise<PreparedRun | string> {
  const { plan, request, nodePath } = setting;
  const installed = installedPackage(plan.root, "mocha");
  const program = installed && programOf(installed, "mocha");
  if (program === undefined) return `mocha ${NOT_INSTALLED}`;
  const [call] = callsIn(manifestIn(plan.root), (name) => name === "mocha" || name === "_mocha");
  const isAll = plan.files.length === 0;
  const own = keptWords(call, { valued: VALUED, dropped: DROPPED, names: isAll });
  const reporter = await handReporter(setting, { file: "mocha-reporter", name: "MochaReporter", format: "cjs" });
  const name = request.name === undefined ? [] : ["--grep", request.name];
  const onlyAsked = isAll ? [] : ["--import", pathToFileURL(childProgram("only-asked-mocha")).href];
  // One process: with several, mocha reports tests only after the end of their file.
  const options = ["--reporter", reporter, "--no-parallel", "--full-trace", ...name, ...plan.files];
  return {
    version: installed?.version ?? "",
    program: {
      command: [nodePath, ...onlyAsked, program, ...own, ...options],
      folder: plan.root,
      env: { ...call?.env, ...eventsVariable(setting), [ASKED_VARIABLE]: JSON.stringify(plan.files) },
    },
    read: async (end) => ({ ...(await readEvents(setting, end)), output: end.printed }),
  };
}
