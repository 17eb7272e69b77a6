/** What every story of the demo has: a copy of an example, a model, a server, a transcript, and the person's decisions. */
import { startAgentq, type AgentqClient } from "../../../server/src/client/agentq-client.ts";
import { Conversation, type Reviewer, type TurnReport } from "../../../server/src/client/conversation.ts";
import { Person } from "../../../server/src/terminal/person.ts";
import { personReviews } from "../../../server/src/terminal/review.ts";
import { plain, wrap, type Screen } from "../../../server/src/terminal/screen.ts";
import { Transcript } from "../../../server/src/terminal/transcript.ts";
import { chooseModel } from "../client/model-choice.ts";
import type { ExampleName, ProjectCopy } from "../client/project-copy.ts";
import { demoReviews } from "./demo-review.ts";
import { SERVER_COMMAND } from "./next-steps.ts";

export interface StoryOptions {
  readonly screen: Screen;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** True when a person decides. */
  readonly interactive: boolean;
  readonly paceMs: number;
}

export interface Play {
  readonly project: ProjectCopy;
  readonly example: ExampleName;
  /** The script that stands in for a model. */
  readonly script: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Stage {
  readonly client: AgentqClient;
  readonly label: (name: string, text: string) => void;
  /** Shows the prompt and the turn that it leads to. */
  readonly say: (prompt: string) => Promise<TurnReport>;
}

const SCRIPTED_LIMIT_MS = 120_000;

export async function openStage(
  options: StoryOptions,
  resources: AsyncDisposableStack,
  { project, example, script, environment: more }: Play,
): Promise<Stage> {
  const { screen, interactive, paceMs } = options;
  const own = <Owned extends { dispose(): Promise<void> }>(owned: Owned): Owned =>
    resources.adopt(owned, (value) => value.dispose());
  const model = own(await chooseModel(options.environment, { script, project: project.folder, paceMs }));
  const environment = { ...model.environment, XDG_STATE_HOME: project.state, ...more };
  const client = own(
    await startAgentq({ command: SERVER_COMMAND, folder: project.folder, environment, name: "agentq-demo" }),
  );
  const label = (name: string, text: string): void => screen.line(`  ${screen.paint("dim", name.padEnd(9))}${text}`);
  screen.line();
  screen.line(`  ${screen.paint("bold", "Agent-Q for TypeScript")}`);
  label("project", `examples/${example}, in a copy that is removed at the end`);
  label("model", model.sentence);
  label("server", `ready ${Math.round(client.readyAfterMs)} ms after its start`);
  label("review", interactive ? "you decide about each hunk" : "the demo decides about each hunk itself, and says how");

  const person = new Person(process.stdin, process.stdout);
  const conversation = conversationOf(client, project, {
    screen,
    review: interactive ? personReviews(screen, person) : demoReviews(screen),
    allows: async (question) => {
      // The script's evaluations are known; what a model wants to run without a person is not.
      if (interactive) return /^y/i.test((await person.ask(`  ${question} Allow it [y,n]? `)) ?? "n");
      const answer = `The demo ${model.scripted ? "allows it" : "denies it: nobody is here"}.`;
      for (const line of wrap(`${question} ${answer}`, screen.width - 4)) screen.line(`  ${line}`);
      return model.scripted;
    },
  });
  return {
    client,
    label,
    say: async (prompt) => {
      screen.line();
      for (const [index, line] of wrap(prompt, screen.width - 4).entries()) {
        screen.line(`  ${screen.paint("bold", `${index === 0 ? ">" : " "} ${line}`)}`);
      }
      // With a person or a model in it a turn takes the time that it takes.
      const turn = conversation.say({ text: prompt });
      return model.scripted && !interactive ? inTime(turn) : turn;
    },
  };
}

interface Deciding {
  readonly screen: Screen;
  readonly review: Reviewer;
  readonly allows: (question: string) => Promise<boolean>;
}

function conversationOf(client: AgentqClient, { folder }: ProjectCopy, deciding: Deciding): Conversation {
  const { screen, review, allows } = deciding;
  const transcript = new Transcript(screen);
  return new Conversation({
    client,
    folder,
    show: (event) => transcript.show(event),
    review: async (...asked) => {
      transcript.endParagraph();
      const decided = await review(...asked);
      screen.line();
      return decided;
    },
    approve: async ({ tool, risk, question }) => {
      transcript.endParagraph();
      const isAllowed = await allows(question === undefined ? `${tool} asks first: ${plain(risk)}` : plain(question));
      return { decision: isAllowed ? "approved" : "denied" };
    },
  });
}

async function inTime(turn: Promise<TurnReport>): Promise<TurnReport> {
  const late = Promise.withResolvers<never>();
  const message = `the turn did not end within ${SCRIPTED_LIMIT_MS / 1000} s`;
  const limit = setTimeout(() => late.reject(new Error(message)), SCRIPTED_LIMIT_MS);
  try {
    return await Promise.race([turn, late.promise]);
  } finally {
    clearTimeout(limit);
  }
}

export function showHunks(label: (name: string, text: string) => void, report: TurnReport): void {
  for (const { hunk, place, decision, applied } of report.hunks) {
    const reason = decision.reason === undefined ? "" : `: "${plain(decision.reason)}"`;
    const edited = decision.decision === "edit" ? ", with your own text" : "";
    const what = applied ? edited : decision.decision === "reject" ? reason : ": its place had changed";
    label(
      applied ? "applied" : "rejected",
      `${place}${applied || hunk.title === place ? "" : ` (${plain(hunk.title)})`}${what}`,
    );
  }
  if (report.hunks.length === 0) label("applied", "nothing: nothing was proposed");
}
