/** The whole story in a terminal: a wrong amount, a question, evidence, a review, a fix, and the proof. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { startAgentq } from "../../../server/src/client/agentq-client.ts";
import { Conversation, type TurnReport } from "../../../server/src/client/conversation.ts";
import { Person } from "../../../server/src/terminal/person.ts";
import { personReviews } from "../../../server/src/terminal/review.ts";
import { plain, wrap, type Screen } from "../../../server/src/terminal/screen.ts";
import { Transcript } from "../../../server/src/terminal/transcript.ts";
import { chooseModel } from "../client/model-choice.ts";
import { copyProject } from "../client/project-copy.ts";
import { demoReviews } from "./demo-review.ts";
import { SERVER_COMMAND, showNextSteps } from "./next-steps.ts";
import { bookedRefund, RIGHT, testSummary, WRONG } from "./proof.ts";

export interface StoryOptions {
  readonly screen: Screen;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** True when a person decides. */
  readonly interactive: boolean;
  readonly paceMs: number;
}

const SCRIPTED_LIMIT_MS = 120_000;

const PROMPT =
  "A refund of 10.00 EUR over three equal lines books only 9.99 EUR. Find the bug in allocate, show that it is there, " +
  "fix it, and show that it is gone.";

/** Answers the exit code: 0 when the story came to the end that the decisions lead to. */
export async function runStory(options: StoryOptions): Promise<number> {
  const { screen, interactive } = options;
  const started = performance.now();
  await using resources = new AsyncDisposableStack();
  const own = <Owned extends { dispose(): Promise<void> }>(owned: Owned): Owned =>
    resources.adopt(owned, (value) => value.dispose());

  const project = own(await copyProject());
  const model = own(
    await chooseModel(options.environment, { script: "fix-bug", project: project.folder, paceMs: options.paceMs }),
  );
  const environment = { ...model.environment, XDG_STATE_HOME: project.state };
  const client = own(
    await startAgentq({ command: SERVER_COMMAND, folder: project.folder, environment, name: "agentq-demo" }),
  );
  await client.buffers.open(pathToFileURL(join(project.folder, "src/allocate.ts")).href);

  screen.line();
  screen.line(`  ${screen.paint("bold", "Agent-Q for TypeScript")}`);
  const label = (name: string, text: string): void => screen.line(`  ${screen.paint("dim", name.padEnd(9))}${text}`);
  label("project", "examples/invoices, in a copy that is removed at the end");
  label("model", model.sentence);
  label("server", `ready ${Math.round(client.readyAfterMs)} ms after its start`);
  label("review", interactive ? "you decide about each hunk" : "the demo decides about each hunk itself, and says how");

  const before = await bookedRefund(client);
  screen.line();
  screen.line(`  A refund of 10.00 EUR books ${screen.paint("red", plain(before))}.`);
  screen.line();
  for (const [index, line] of wrap(PROMPT, screen.width - 4).entries()) {
    screen.line(`  ${screen.paint("bold", `${index === 0 ? ">" : " "} ${line}`)}`);
  }

  const transcript = new Transcript(screen);
  const person = new Person(process.stdin, process.stdout);
  const review = interactive ? personReviews(screen, person) : demoReviews(screen);
  const conversation = new Conversation({
    client,
    folder: project.folder,
    show: (event) => transcript.show(event),
    review: async (...asked) => {
      transcript.endParagraph();
      const decided = await review(...asked);
      screen.line();
      return decided;
    },
    approve: async ({ tool, risk }) => {
      transcript.endParagraph();
      if (!interactive) {
        // The script's evaluations are known; what a model wants to run without a person is not.
        screen.line(`  ${tool} asks first. The demo ${model.scripted ? "allows it" : "denies it: nobody is here"}.`);
        return { decision: model.scripted ? "approved" : "denied" };
      }
      const answer = (await person.ask(`  ${tool} asks first: ${plain(risk)} Allow it [y,n]? `)) ?? "n";
      return { decision: /^y/i.test(answer) ? "approved" : "denied" };
    },
  });
  // With a person or a model in it a turn takes the time that it takes.
  const turn = conversation.say({ text: PROMPT });
  const report = await (model.scripted && !interactive ? inTime(turn) : turn);

  const [after, tests] = await Promise.all([bookedRefund(client), testSummary(project.folder)]);
  const rejected = report.hunks.some(({ applied }) => !applied);
  const fixed = after.includes(RIGHT);
  screen.line();
  screen.line(`  ${screen.paint("bold", "What happened")}`);
  label("before", `${plain(before)} booked for a refund of 10.00 EUR`);
  label("after", screen.paint(fixed ? "green" : "red", plain(after)));
  showHunks(label, report);
  label("tests", tests.text);
  label("time", `${((performance.now() - started) / 1000).toFixed(1)} s`);

  const problem = problemOf({ before, fixed, end: report.end, refused: interactive && rejected, testsPass: tests.ok });
  if (problem !== undefined) {
    screen.line();
    screen.line(screen.paint("red", `  The demo failed: ${problem}`));
    return 1;
  }
  if (!fixed) {
    screen.line();
    screen.line("  The bug is still there: you turned down the change that fixes it. Nothing applies without you.");
  }
  showNextSteps(screen);
  return 0;
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

function showHunks(label: (name: string, text: string) => void, report: TurnReport): void {
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

interface Ending {
  readonly before: string;
  readonly fixed: boolean;
  readonly end: TurnReport["end"];
  /** A person turned something down, which is an end that the story may have. */
  readonly refused: boolean;
  readonly testsPass: boolean;
}

function problemOf({ before, fixed, end, refused, testsPass }: Ending): string | undefined {
  if (!before.includes(WRONG)) return `the bug did not show at the start, the evaluation answered ${before}.`;
  if (end.reason !== "endTurn" && end.reason !== "stopped") {
    return end.message ?? `the turn ended with "${end.reason}".`;
  }
  if (!fixed && !refused) return "the evaluation after the edit does not show the fix.";
  if (fixed && !testsPass) return "the project's tests do not pass any more.";
  return undefined;
}
