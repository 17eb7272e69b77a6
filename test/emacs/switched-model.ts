import type { Script } from "../../examples/demo/model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/model/server.ts";

/** A scripted model for one test after the other: each has a script of its own, and sees the requests of its own. */
export interface SwitchedModel extends ScriptedModel {
  /** A test begins: what was before it is not seen any more. */
  follow(script: Script): void;
}

export async function startSwitchedModel(script: Script, project: string): Promise<SwitchedModel> {
  let followed = script;
  const before = { requests: 0, mismatches: 0, aborted: 0 };
  const model = await startScriptedModel({ ...script, reply: (turn) => followed.reply(turn) }, { project });
  return {
    url: model.url,
    get requests() {
      return model.requests.slice(before.requests);
    },
    get mismatches() {
      return model.mismatches.slice(before.mismatches);
    },
    get aborted() {
      return model.aborted - before.aborted;
    },
    follow(next) {
      followed = next;
      before.requests = model.requests.length;
      before.mismatches = model.mismatches.length;
      before.aborted = model.aborted;
    },
    dispose: () => model.dispose(),
  };
}
