/** Tells the person's editor of the agent's forms, one after the other. */
import type { AgentForm } from "../repl/stages/history/memory.ts";
import type { Evaluated } from "../repl/image.ts";
import { evaluationToWire } from "./evaluation-to-wire.ts";
import type { ClientPort } from "../services.ts";
import { given } from "../base/given.ts";

/** `process`: the running program whose forms they are; without one, the REPL. */
export function agentFormTeller(client: ClientPort, process?: string): (form: AgentForm, result?: Evaluated) => void {
  return ({ evalId, module, code, isTool, host }, result) => {
    const form = { evalId, ...given({ module, process, host }), code, ...(isTool === true ? { isTool } : {}) };
    if (result === undefined) return client.notify("agentq/agentEvaluation", form);
    void evaluationToWire(result).then((told) => {
      // The person is told what the compiler says as soon as it comes.
      const notes = told.notes.filter(({ code: kind }) => kind !== "stillChecking");
      client.notify("agentq/agentEvaluation", { ...form, result: { ...told, notes, stdout: "", stderr: "" } });
    });
  };
}
