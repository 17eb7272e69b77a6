/** What a turn does with a prompt: the model hears it with the news, and answers with the tools of the moment. */
import { runTurn, type LoopPorts, type TurnEnd, type TurnInput } from "../agent/loop.ts";
import type { ToolRunner } from "../agent/run-calls.ts";
import type { UserBlock } from "../model/model-port.ts";
import type { Model } from "../model/models.ts";
import { errorText } from "../base/errors.ts";
import type { Question } from "../tools/consent/approvals.ts";
import { streamWithRoom } from "./compaction/roomy-stream.ts";
import type { EventStream } from "./event-stream.ts";
import type { Notify } from "./instructions.ts";
import { heldToPlan, PLAN_NOTICE, PLAN_WORDS } from "./plan-mode.ts";
import type { Prompt } from "./prompt-queue.ts";
import type { Session, SessionPorts, Turn } from "./session.ts";
import { usageEvent, type UsageEvent } from "./spending/usage-event.ts";
import { stateOf } from "./take-up-session.ts";

const MAX_ROUNDS = 50;

export interface Asking {
  readonly session: Session;
  readonly model: Model;
  readonly ports: SessionPorts;
}

/** Never rejects. */
export async function askModel(wanted: Asking, turn: Turn, prompts: readonly Prompt[]): Promise<TurnEnd> {
  const { session, ports } = wanted;
  const asking = { ...wanted, model: ports.spending.metered(wanted.model, { sessionId: session.id, turnId: turn.id }) };
  warnOfMissing(turn.events, prompts);
  try {
    const loading = ports.tools();
    await hear(asking, turn, prompts, loading);
    const tools = heldToPlan(await loading, () => session.mode === "plan");
    ports.onTurn?.(session.id);
    session.system ??= ports.system(session.id);
    session.record.system(session.system);
    session.record.state(stateOf(ports.keptSessions, session));
    const watch = ports.watchTurn?.(session.id, asking.model.name);
    const input = { ...inputOf(asking, session.system), toolChoice: prompts.at(-1)?.toolChoice };
    const running = runTurn(input, loopPorts(asking, turn, tools), turn.abort.signal);
    running.then(
      ({ reason }) => watch?.ended(reason),
      () => watch?.ended("error"),
    );
    const end = await running;
    if (session.mode === "plan" && end.reason === "endTurn") {
      turn.events.emit({ kind: "notice", level: "info", message: PLAN_NOTICE });
    }
    return end;
  } catch (error) {
    ports.logBug(error);
    return { reason: "error", message: `The turn failed: ${errorText(error)}` };
  }
}

/** What was said joins the history, with what happened since the model heard something last. */
async function hear(
  { session, ports }: Asking,
  turn: Turn,
  prompts: readonly Prompt[],
  loading: Promise<ToolRunner>,
): Promise<void> {
  const { sight, instructions } = session;
  // Instructions that the person trusts come with the tools. Whoever waits for the tools tells a failure, once the
  // prompt is kept.
  const loaded = loading.catch(() => undefined);
  const [news, decided, rules] = await Promise.all([
    sight.takeNews(prompts.at(-1)?.active).catch((error: unknown) => ports.logBug(error)),
    proposalNews(session, ports),
    loaded
      .then(async () => instructions.takeForPrompt(notifying(turn.events), turn.abort.signal))
      .catch((error: unknown) => ports.logBug(error)),
  ]);
  const said = prompts.map(({ forModel }) => forModel).join("\n\n");
  const pictures = prompts.flatMap((prompt) => prompt.pictures ?? []);
  const mode = session.mode === "plan" ? [PLAN_WORDS] : [];
  const before = [...(news ?? []), ...decided, ...(rules ?? []), ...mode].map(toTextBlock);
  session.messages.push({ role: "user", content: [...before, ...pictures, toTextBlock(said)] });
}

/** What became of proposals when no call waited for it. */
async function proposalNews({ id }: Session, ports: SessionPorts): Promise<string[]> {
  try {
    const news = await ports.proposals.takeNews(id);
    return news.length === 0 ? [] : [`[${news.join(" ")}]`];
  } catch (error) {
    ports.logBug(error);
    return [];
  }
}

function inputOf({ session, model }: Asking, system: string): TurnInput {
  return {
    sessionId: session.id,
    modelName: model.name,
    system,
    messages: session.messages,
    toldNotes: session.toldNotes,
    maxTokens: model.maxTokens,
    manner: model.manner,
    maxRounds: MAX_ROUNDS,
  };
}

function loopPorts(asking: Asking, turn: Turn, tools: ToolRunner): LoopPorts {
  const { session, model, ports } = asking;
  return {
    model: {
      stream: (request, until) => {
        session.record.messages(turn.id, session.messages);
        return streamWithRoom({ session, model, ports, turn }, request, until);
      },
    },
    tools: session.sight.watching(tools),
    emit: (...events) => {
      turn.events.emit(...events.map((event) => (event.kind === "usage" ? priced(asking, event) : event)));
    },
    takeQueued: () => {
      const queued = session.queue.take();
      warnOfMissing(turn.events, queued);
      return queued;
    },
    takeNews: async () => [
      ...(await proposalNews(session, ports)),
      ...(await session.instructions.take(notifying(turn.events), turn.abort.signal)),
    ],
    stopped: turn.stop.signal,
    mayGoOn: (requests, wanted) => ports.approvals.agrees(goOnQuestion(session.id, requests), wanted),
  };
}

function priced(asking: Asking, { kind: _kind, model: _model, ...usage }: UsageEvent): UsageEvent {
  return usageEvent(asking, usage);
}

function notifying(events: EventStream): Notify {
  return (level, message) => events.emit({ kind: "notice", level, message });
}

function toTextBlock(text: string): UserBlock {
  return { kind: "text", text };
}

function warnOfMissing(events: EventStream, prompts: readonly Prompt[]): void {
  for (const message of prompts.flatMap(({ missing }) => missing)) {
    events.emit({
      kind: "notice",
      level: "warning",
      message: `An attachment is missing: ${message.replace(/\.$/, "")}.`,
    });
  }
}

function goOnQuestion(sessionId: string, requests: number): Question {
  return {
    sessionId,
    tool: "go_on",
    arguments: {},
    question: `The turn has used ${requests} model requests. Go on?`,
    why: "A turn asks after so many requests whether it shall go on.",
    risk: "Each further request costs what the conversation's length costs; what was done stays either way.",
    answers: { approved: "Go on", denied: "End the turn" },
  };
}
