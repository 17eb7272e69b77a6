/** What would become of a call that was made now. Runs nothing, asks nobody, starts no process. */
import type { ExplainedDecision, ToolCall } from "../protocol/tool-shapes.ts";
import type { Policy, Ruling } from "./policy/policy.ts";
import type { ToolRegistry } from "./run/registry.ts";
import type { RememberedCalls } from "./consent/remembered-calls.ts";
import type { Tool } from "./tool.ts";
import { takenArguments } from "./run/valid-arguments.ts";
import { given } from "../base/given.ts";

export interface ExplainPorts {
  readonly registry: Pick<ToolRegistry, "getTool">;
  readonly policy: Pick<Policy, "denied" | "verdict">;
  readonly remembered: Pick<RememberedCalls, "scopeOf">;
  readonly canAsk: () => boolean;
}

type Asked = Pick<ToolCall, "arguments"> & { readonly tool: string; readonly sessionId?: string };

/** For a call that the model makes, in the same order as the executor decides. */
export async function explainDecision(ports: ExplainPorts, asked: Asked): Promise<ExplainedDecision> {
  const tool = ports.registry.getTool(asked.tool);
  if (tool === undefined) return { decision: "refuse", because: `There is no tool ${asked.tool}.` };
  const unavailable = tool.unavailable();
  if (unavailable !== undefined) return { decision: "refuse", because: unavailable };
  const taken = await takenArguments(tool, asked.arguments);
  if ("invalid" in taken) return { decision: "refuse", because: taken.invalid };
  const { args } = taken;
  const denied = ports.policy.denied(tool, args);
  if (denied !== undefined) return told("refuse", tool, denied);
  const scope = ports.remembered.scopeOf({
    tool: tool.name,
    arguments: args,
    ...given({ sessionId: asked.sessionId }),
  });
  const need = { ask: tool.safety === "dangerous" && !tool.asksItself } as const;
  const call = { id: "", name: tool.name, arguments: args };
  const verdict = ports.policy.verdict(call, tool, need.ask ? { ask: true } : { ask: false }, true);
  if (tool.asksItself) return { decision: "review", because: `${tool.name} proposes, and you decide hunk by hunk.` };
  const own = tool.needsApproval === undefined ? "" : OWN_CHECK;
  if (!verdict.ask) {
    return told("run", tool, verdict.ruling ?? { because: `it is ${tool.safety}, and no rule asks about it` }, own);
  }
  if (scope !== undefined) {
    return told("run", tool, { because: `you approved the same call before (${scope})` }, own);
  }
  const asks = verdict.ruling ?? { because: `it is ${tool.safety}, and no rule allows it` };
  if (ports.canAsk()) return told("ask", tool, asks, own);
  return told("refuse", tool, { ...asks, because: `${asks.because}, and this editor cannot ask you` });
}

const OWN_CHECK =
  " The tool looks for itself, too, when it is called: a locked REPL refuses, and a form that is proved to have no effect is not asked about.";

function told(
  decision: "run" | "ask" | "refuse",
  { name }: Tool,
  { because, rule }: Ruling,
  more = "",
): ExplainedDecision {
  const verb = { run: "would run", ask: "would wait for your answer", refuse: "would be refused" }[decision];
  return { decision, because: `${name} ${verb}: ${because}.${more}`, ...given({ rule }) };
}
