/** The commands for a terminal, each loaded when it is asked for. */
import { usageProblem } from "./command-line.ts";
import { AgentqErrorCodes, errorText } from "../base/errors.ts";
import { LineLeft } from "./line.ts";
import { EXIT } from "./exit-codes.ts";
import { Stage, UsageError, type Host } from "./stage.ts";

/** Contract: answers the exit code; rejects with a `UsageError` where the arguments make no sense. */
export type Front = (args: readonly string[], stage: Stage) => Promise<number>;

const fronts: Readonly<Record<string, () => Promise<Front>>> = {
  tool: async () => (await import("./tool.ts")).runTool,
  ask: async () => (await import("./ask.ts")).runAsk,
  chat: async () => (await import("./chat.ts")).runChat,
  repl: async () => (await import("./repl.ts")).runRepl,
  attach: async () => (await import("./programs/attach.ts")).runAttach,
  detach: async () => (await import("./programs/detach.ts")).runDetach,
  clients: async () => (await import("./clients.ts")).runClients,
  completion: async () => (await import("./completion.ts")).runCompletion,
};

/** Answers the exit code. */
export async function runTerminal(command: string, args: readonly string[], host: Host): Promise<number> {
  let stage: Stage | undefined;
  try {
    const front = await fronts[command]?.();
    if (front === undefined) throw new UsageError(`There is no command "${command}".`);
    stage = new Stage(host);
    return await front(args, stage);
  } catch (error) {
    if (error instanceof LineLeft) return EXIT.interrupted;
    const isUsage = error instanceof UsageError || isParseError(error);
    const hint = isUsage ? ` See agentq ${command} --help.` : "";
    const words = isParseError(error) ? usageProblem(error as Error, [command]) : errorText(error);
    host.stderr.write(`agentq ${command}: ${words}${hint}\n`);
    if (isUsage) return EXIT.usage;
    return codeOf(error) === AgentqErrorCodes.modelUnavailable ? EXIT.noModel : EXIT.failed;
  } finally {
    await stage?.dispose();
  }
}

/** What `parseArgs` throws. */
function isParseError(error: unknown): boolean {
  return String(codeOf(error)).startsWith("ERR_PARSE_ARGS");
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null)?.code;
}
