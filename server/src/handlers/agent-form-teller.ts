/** Tells the person's editor of the agent's forms, one after the other. */
import type { AgentForm } from "../repl/stages/history/remembering-image.ts";
import type { Evaluated } from "../repl/image.ts";
import { STILL_CHECKING } from "../repl/stages/checking/still-checking.ts";
import { evaluationToWire } from "./evaluation-to-wire.ts";
import type { ClientPort } from "./services.ts";
import { given } from "../given.ts";

export function agentFormTeller(client: ClientPort): (form: AgentForm, result?: Evaluated) => void {
  return ({ evalId, module, code, isTool }, result) => {
    const form = { evalId, ...given({ module }), code, ...(isTool === true ? { isTool } : {}) };
    if (result === undefined) return client.notify("agentq/agentEvaluation", form);
    void evaluationToWire(result).then((told) => {
      // The person is told of late notes when they come.
      const notes = told.notes.filter((note) => note !== STILL_CHECKING);
      client.notify("agentq/agentEvaluation", { ...form, result: { ...told, notes, stdout: "", stderr: "" } });
    });
  };
}
