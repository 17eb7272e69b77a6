/** The requests about the REPL: wire in, domain call, wire out. */
import { TextDocument } from "vscode-languageserver-textdocument";
import { AgentqError, InvalidParamsError } from "../base/errors.ts";
import type { InspectAnswer } from "../repl/image.ts";
import type { Repl } from "../repl/repl.ts";
import { evaluationToWire } from "./evaluation-to-wire.ts";
import type { PersonCalls } from "./person-calls.ts";
import type { RequestHandlers } from "./requests.ts";
import type { ClientPort, Services } from "../services.ts";
import { given } from "../base/given.ts";

type ReplMethod =
  | "agentq/evaluate"
  | "agentq/formAt"
  | "agentq/interrupt"
  | "agentq/listProcesses"
  | "agentq/restartRepl"
  | "agentq/lockRepl"
  | "agentq/replHistory"
  | "agentq/inspectValue"
  | "agentq/completeInRepl";

export function replHandlers(
  services: Services,
  client: ClientPort,
  calls: PersonCalls,
): Pick<RequestHandlers, ReplMethod> {
  const inModule = (name: string | undefined): { readonly module?: string } =>
    name === undefined ? {} : { module: modulePath(services, name) };
  /** Whoever looks at a REPL, or writes into it, may evaluate next. */
  const lookedAt = async (process: string | undefined): Promise<Repl> => {
    const repl = await services.repl(process);
    repl.expectUse();
    return repl;
  };
  return {
    "agentq/evaluate": async ({ code, module, process, timeoutMs, install, workDoneToken, sessionId }, signal) => {
      if (sessionId !== undefined) await services.sessions.check(sessionId);
      const installing = install === true ? { install: {} } : {};
      const request = { code, by: "person", ...inModule(module), ...given({ timeoutMs }), ...installing } as const;
      const repl = await services.repl(process);
      const evaluate = async () => repl.evaluate(request, signal, workDoneToken);
      return evaluationToWire(await services.changes.during("a person's form", evaluate));
    },
    "agentq/formAt": async ({ uri, position }) => {
      const document = await services.documents.read(uri);
      if (document === undefined) throw new InvalidParamsError([{ path: "/uri", expected: "a file", received: uri }]);
      // This module brings the parser, which the server does not need to start.
      const { formAt } = await import("../repl/forms/form-at.ts");
      const text = TextDocument.create(uri, "", 0, document.text);
      const form = formAt(new URL(document.uri).pathname, document.text, text.offsetAt(position));
      if (form === undefined) return { range: null };
      const range = { start: text.positionAt(form.start), end: text.positionAt(form.end) };
      return { range, declares: form.declares };
    },
    "agentq/interrupt": async ({ evalId, process }) => {
      const wasCalled = evalId === undefined && process === undefined && calls.stop();
      const repl = await services.repl(process);
      const interrupted = (await repl.interrupt(evalId)) || wasCalled;
      const ended = interrupted || evalId === undefined ? undefined : await repl.endLeftOpen(evalId);
      return ended === undefined ? { interrupted } : { interrupted: true, ended };
    },
    "agentq/listProcesses": async () => services.programs.list(),
    "agentq/restartRepl": async ({ replay, workDoneToken }, signal) => {
      const chosen = replay?.includes("all") === true ? ("all" as const) : replay;
      const repl = await services.repl();
      const restart = async () => repl.restart({ by: "person", ...given({ replay: chosen }) }, signal, workDoneToken);
      return services.changes.during("a restart", restart);
    },
    "agentq/lockRepl": async ({ locked }) => {
      services.programs.lock(locked);
      return (await services.repl()).lock(locked);
    },
    "agentq/replHistory": async ({ process, ...query }) => (await lookedAt(process)).history(query),
    "agentq/inspectValue": async ({ module, process, ...rest }) => {
      const answer = await (await services.repl(process)).inspect({ ...rest, ...inModule(module) });
      if (answer.ok) return answer.page;
      throw refusal(answer, rest.value, rest.path);
    },
    "agentq/completeInRepl": async ({ code, position, module, process }) => {
      const offset = TextDocument.create("repl:", "", 0, code).offsetAt(position);
      return (await lookedAt(process)).complete({ code, offset, ...inModule(module) });
    },
  };
}

function refusal(
  { why, reason }: Extract<InspectAnswer, { ok: false }>,
  value: string,
  path: readonly string[] = [],
): Error {
  if (why === "notRunning") return new AgentqError("replDead", reason);
  if (why === "busy") return new AgentqError("busy", reason);
  const isPath = path.length > 0 && (why === "missing" || why === "getter");
  return new InvalidParamsError([
    { path: isPath ? "/path" : "/value", expected: reason, received: isPath ? path : value },
  ]);
}

export function modulePath(services: Services, name: string): string {
  const resolution = services.paths.resolve(name);
  if (!resolution.ok) {
    throw new InvalidParamsError([
      { path: "/module", expected: `a module of the workspace (${resolution.reason})`, received: name },
    ]);
  }
  return resolution.path.absolute;
}
