/** The part of the composition that holds conversations, with all that they need of everybody else. */
import { join } from "node:path";
import type { Parts } from "./parts.ts";
import { trustPorts } from "./prompts.ts";
import { systemPrompt } from "../agent/system-prompt.ts";
import type { ContextPorts } from "../conversation/context/context-ports.ts";
import { InstructionTrust } from "../conversation/instruction-trust.ts";
import { SessionNamer } from "../conversation/session-namer.ts";
import { Sessions } from "../conversation/sessions.ts";
import { Spending } from "../conversation/spending/spending.ts";
import type { ProjectPorts } from "../surroundings/describe-project.ts";
import type { ActivePlace } from "../surroundings/where-the-person-is.ts";

type SessionParts = Omit<Parts, "sessions" | "changes"> & { readonly context: ContextPorts };

export function composeSessions(parts: SessionParts): Sessions {
  const { client, setup, paths, delegations, tools, telemetry, logBug } = parts;
  return new Sessions({
    ...parts.context,
    ...parts,
    tools: async () => delegations.runner((await tools()).executor),
    system: (sessionId) =>
      systemPrompt({ canPropose: client.announced().proposals, onlyLooks: delegations.has(sessionId) }),
    describeSurroundings: (active) => describeSurroundings(parts, active),
    gitBranch: async () => {
      const { branchIn } = await import("../surroundings/git-state.ts");
      return branchIn(paths.folders());
    },
    trust: new InstructionTrust(trustPorts(parts)),
    onTurnEnded: (...ended) => {
      parts.namer.turnEnded(...ended);
      parts.repl.peek()?.expectNoUse();
    },
    compactAt: (setup.settings.sessions.compactAt ?? 80) / 100,
    onTurn: (sessionId) => {
      tools().then(({ baselines }) => baselines.begin(sessionId), logBug);
      parts.repl().then((repl) => repl.expectUse(), logBug);
    },
    watchTurn: (sessionId, model) => telemetry.turn({ sessionId, parent: delegations.asks(sessionId), model }),
    send: (method, params) => delegations.send(method, params),
  });
}

/** The lines above a conversation's first prompt. Takes not much longer than a second once the tools are loaded. */
async function describeSurroundings(
  { paths, texts, repl, sandbox }: SessionParts,
  active: ActivePlace | undefined,
): Promise<string> {
  const [{ describeProject }, { firstMessage }, { commandSentence }, { compilerVersion }] = await Promise.all([
    import("../surroundings/describe-project.ts"),
    import("../surroundings/first-message.ts"),
    import("../sandbox/wall/told-wall.ts"),
    import("../typescript/compiler-version.ts"),
  ]);
  const [project, open] = await Promise.all([
    describeProject(paths.folders(), projectPorts({ texts, sandbox })),
    texts.open(),
    repl().catch(() => undefined),
  ]);
  return firstMessage({
    today: new Date(),
    platform: `${process.platform} ${process.arch}`,
    project,
    typescriptVersion: compilerVersion,
    confinement: repl.peek()?.status().confinementDetail,
    commands: commandSentence(await (await sandbox()).findWhyNot()),
    open,
    active,
  });
}

function projectPorts({ texts, sandbox }: Pick<Parts, "texts" | "sandbox">): ProjectPorts {
  return {
    readText: (folder, name) => texts.read(join(folder, name)),
    testRunner: async (folder, signal) => {
      const { toldRunner } = await import("../repl/testing/test-files.ts");
      const isWalled = async (): Promise<boolean> => (await (await sandbox()).findWhyNot()) === undefined;
      return toldRunner({ root: folder, readText: (path) => texts.read(path) }, isWalled, signal);
    },
  };
}

export function composeNamer(
  parts: Pick<Parts, "client" | "models" | "spending" | "keptSessions" | "setup">,
): SessionNamer {
  const { client, setup } = parts;
  return new SessionNamer({
    ...parts,
    mode: setup.settings.sessions.nameByModel,
    onNamed: (session) => client.notify("agentq/sessionChanged", session),
    log: (message) => client.log("warning", message),
  });
}

type SpendingParts = Pick<Parts, "setup" | "telemetry" | "logBug"> & {
  readonly [Later in "approvals" | "delegations" | "sessions"]: () => Parts[Later];
};

/** Counts what requests to models take. */
export function composeSpending(parts: SpendingParts): Spending {
  const { setup, approvals, delegations, sessions, telemetry, logBug } = parts;
  return new Spending({
    budget: setup.settings.budget ?? {},
    ask: (question, signal) => approvals().agrees(question, signal),
    countsTo: (sessionId) => {
      const asking = delegations().asks(sessionId);
      return asking === undefined ? undefined : { sessionId: asking, turnId: sessions().turnOf(asking)?.id ?? "" };
    },
    newestTurn: (sessionId) =>
      sessions()
        .turns(sessionId)
        .findLast(({ isCommand }) => isCommand !== true)?.id,
    watch: (...request) => telemetry.request(...request),
    logBug,
  });
}
