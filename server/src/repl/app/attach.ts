/**
 * What `agentq attach` brings into a process that runs already, by the process's inspector: from then on the process is a
 * program as below `agentq run`. It is told from the outside what has become of it, as JSON.
 */
import { isMainThread } from "node:worker_threads";
import { RUN_VARIABLE, type AttachAnswer, type RunFacts } from "../child/wire/app-frames.ts";
import { KERNEL_NAME } from "../child/wire/kernel-name.ts";
import { openApp } from "./app.ts";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import { followed } from "./followed.ts";
import { followLoads } from "./follow-loads.ts";

const EARLIER =
  "it was attached while it ran: what it had loaded before is entered through one of its functions, and a constant there keeps its value";
const TESTS = "it is a test run, which is left alone: run_tests looks into test runs";

/** Nothing is done when the process comes to it after `until`, in milliseconds since 1970: nobody waits for it then. */
export async function attach(run: RunFacts, until: number): Promise<string> {
  return JSON.stringify(Date.now() > until ? { refused: "it came to it too late" } : await attached(run));
}

async function attached(run: RunFacts): Promise<AttachAnswer> {
  if (!isMainThread) return { refused: "the inspector is that of a thread" };
  if (Reflect.has(globalThis, KERNEL_NAME))
    return { refused: "another agentq works with it, whose place for sockets is another one (XDG_RUNTIME_DIR)" };
  if (isBelowRun()) return { refused: "agentq run has started it, and it has loaded no code of its folder yet" };
  const by = followed(process.argv[1] ?? "", process.env);
  if (by.level === undefined) return { refused: TESTS };
  const why = by.why === undefined ? EARLIER : `${EARLIER}; ${by.why}`;
  const app = openApp(run, { level: by.level, why }, true);
  if (by.level === "modules")
    followLoads({ root: run.root, sourceOf: (file) => readRegularTextSync(file), loading: app.loading });
  const problem = await app.listens;
  return problem === undefined ? {} : { refused: problem };
}

/** Its first module of the folder will open it. */
function isBelowRun(): boolean {
  const { NODE_OPTIONS: options = "" } = process.env;
  return process.env[RUN_VARIABLE] !== undefined && /[/\\]child[/\\]preload\.cjs/.test(options);
}
