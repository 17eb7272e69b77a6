/**
 * What `agentq attach` brings into a process that runs already, by the process's inspector: from then on the process is a
 * program as below `agentq run`. It is told from the outside what has become of it, as JSON.
 */
import { isMainThread } from "node:worker_threads";
import { RUN_VARIABLE, type AttachAnswer, type RunFacts } from "../child/wire/app-frames.ts";
import { given } from "../../base/given.ts";
import { openApp } from "./app.ts";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import { followed } from "./followed.ts";
import { followLoads } from "./follow-loads.ts";
import { restingStub } from "./stub.ts";

const EARLIER =
  "it was attached while it ran: what it had loaded before is entered through one of its functions, and a constant there keeps its value";

/** Nothing is done when the process comes to it after `until`, in milliseconds since 1970: nobody waits for it then. */
export async function attach(run: RunFacts, until: number): Promise<string> {
  return JSON.stringify(Date.now() > until ? { refused: "it came to it too late" } : await attached(run));
}

async function attached(run: RunFacts): Promise<AttachAnswer> {
  if (!isMainThread) return { refused: "the inspector is that of a thread" };
  const stub = restingStub();
  if (stub === "taken")
    return { refused: "another agentq works with it, whose place for sockets is another one (XDG_RUNTIME_DIR)" };
  if (stub === undefined && isBelowRun())
    return { refused: "agentq run has started it, and it has loaded no code of its folder yet" };
  const by = followed(process.argv[1] ?? "", process.env);
  if (by.level === undefined) return given({ refused: by.why });
  const why = by.why === undefined ? EARLIER : `${EARLIER}; ${by.why}`;
  const app = openApp(run, { level: by.level, why }, { isLate: true, ...given({ stub }) });
  if (by.level === "modules") {
    const sourceOf = (file: string): string => readRegularTextSync(file);
    const leave = followLoads({ root: run.root, sourceOf, loading: app.loading });
    void app.detached.then(leave);
  }
  const problem = await app.listens;
  return problem === undefined ? {} : { refused: problem };
}

/** Its first module of the folder will open it. */
function isBelowRun(): boolean {
  const { NODE_OPTIONS: options = "" } = process.env;
  return process.env[RUN_VARIABLE] !== undefined && /[/\\]child[/\\]preload\.cjs/.test(options);
}
