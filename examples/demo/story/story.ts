/** The whole story in a terminal: a wrong amount, a question, evidence, a review, a fix, and the proof. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { TurnReport } from "../../../server/src/client/conversation.ts";
import { plain } from "../../../server/src/terminal/screen.ts";
import { copyProject } from "../client/project-copy.ts";
import { showNextSteps } from "./next-steps.ts";
import { bookedRefund, RIGHT, testSummary, WRONG } from "./proof.ts";
import { openStage, showHunks, type StoryOptions } from "./stage.ts";

const PROMPT =
  "A refund of 10.00 EUR over three equal lines books only 9.99 EUR. Find the bug in allocate, show that it is there, " +
  "fix it, and show that it is gone.";

/** Answers the exit code: 0 when the story came to the end that the decisions lead to. */
export async function runStory(options: StoryOptions): Promise<number> {
  const { screen, interactive } = options;
  const started = performance.now();
  await using resources = new AsyncDisposableStack();
  const project = resources.adopt(await copyProject(), (value) => value.dispose());
  const stage = await openStage(options, resources, { project, example: "invoices", script: "fix-bug" });
  const { client, label } = stage;
  await client.buffers.open(pathToFileURL(join(project.folder, "src/allocate.ts")).href);

  const before = await bookedRefund(client);
  screen.line();
  screen.line(`  A refund of 10.00 EUR books ${screen.paint("red", plain(before))}.`);
  const report = await stage.say(PROMPT);

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
