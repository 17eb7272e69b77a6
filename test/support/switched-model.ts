import type { Script } from "../../examples/demo/model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/model/server.ts";

/** A scripted model for one test after the other: each has a script of its own, and sees the requests of its own. */
export interface SwitchedModel extends ScriptedModel {
  /** A test begins, whose script reads files of the folder: what was before it is not seen any more. */
  follow(script: Script, project: string): void;
}

export async function startSwitchedModel(script: Script, project: string): Promise<SwitchedModel> {
  let followed = { script, project };
  const current = new Proxy(script, { get: (_first, name) => Reflect.get(followed.script, name) as unknown });
  const model = await startScriptedModel(current, {
    paceMs: 2,
    get project() {
      return followed.project;
    },
  });
  return Object.assign(model, {
    follow(nextScript: Script, nextProject: string): void {
      followed = { script: nextScript, project: nextProject };
      for (const list of [model.requests, model.mismatches]) (list as unknown[]).length = 0;
    },
  });
}
