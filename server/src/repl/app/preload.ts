/**
 * What every Node process below `agentq run` runs first. It stays as small as can be: most of these processes are package
 * managers, and none may notice it. The rest is loaded with the first module of the workspace.
 */
import { createRequire, registerHooks } from "node:module";
import { isMainThread } from "node:worker_threads";
import { RUN_VARIABLE, type RunFacts } from "../child/wire/app-frames.ts";
import type { App } from "./app.ts";
import { followed } from "./followed.ts";
import { followLoads } from "./follow-loads.ts";

const told = process.env[RUN_VARIABLE];
// Without these hooks, in a thread, or in a test run, the process is plain Node.
if (told !== undefined && isMainThread && typeof registerHooks === "function") {
  try {
    open(JSON.parse(told) as RunFacts);
  } catch {
    // The program comes first.
  }
}

function open(run: RunFacts): void {
  const by = followed(process.argv[1] ?? "", process.env);
  if (by.level === undefined) return;
  let loaded: App | undefined;
  let leave: (() => void) | undefined;
  const app = (): App => {
    if (loaded !== undefined) return loaded;
    const here = import.meta.url;
    const { openApp } = createRequire(here)(`./app${here.slice(here.lastIndexOf("."))}`) as typeof import("./app.ts");
    loaded = openApp(run, by);
    void loaded.detached.then(() => leave?.());
    return loaded;
  };
  if (by.level === "globals") return void app();
  leave = followLoads({ root: run.root, loading: (module, compiled) => app().loading(module, compiled) });
}
