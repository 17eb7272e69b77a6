/** `agentq ask`: one prompt, its answer on standard output, an exit code; for scripts and CI. */
import { parseArgs } from "node:util";
import { text as textOf } from "node:stream/consumers";
import { Conversation, type TurnReport } from "../client/conversation.ts";
import type { TurnEvent } from "../protocol/turn-shapes.ts";
import { answerOptions, answerOptionsOf, Answers } from "./answers.ts";
import { plain } from "./screen.ts";
import { EXIT } from "./exit-codes.ts";
import { UsageError, type Stage } from "./stage.ts";
import { Transcript } from "./transcript.ts";

const HELP = `usage: agentq ask "question" [options]
       agentq ask -                  read the question from standard input

The answer is written to standard output; what the model proposes to change follows it as a patch.

  --json           print one JSON object: text, patch, applied, toolCalls, denied, usage, reason, sessionId
  --apply          write edits to the files; without it nothing is changed
  --yes-to reads   allow calls that only look, where a rule of yours has them asked about

"agentq ask --json ... | jq -j .patch | git apply" applies a patch that you have read.

Exit codes: 0 the turn ended with an answer, 1 it did not (the reason is on standard error), 2 the command line makes no
sense, 3 no model is configured, 4 a call needed a yes and nobody could be asked (the answer may lack what the call would
have told), 130 Ctrl-C.
`;

export async function runAsk(args: readonly string[], stage: Stage): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: answerOptions });
  const options = answerOptionsOf(values);
  if (values.help) {
    stage.out.write(HELP);
    return EXIT.ok;
  }
  const isStdin = positionals.length === 1 && positionals[0] === "-";
  const question = isStdin ? await textOf(stage.host.stdin) : positionals.join(" ");
  if (question.trim() === "") throw new UsageError("There is no question.");
  const client = await stage.server();
  const answers = new Answers(stage, client, options);
  const reply = new Reply();
  const isShown = stage.host.stdout.isTTY && !values.json;
  const transcript = new Transcript(stage.out, { isBrief: true });
  const conversation = new Conversation({
    client,
    folder: stage.folder,
    review: answers.review,
    approve: (approval) => {
      transcript.endParagraph();
      return answers.approve(approval);
    },
    show: (event) => {
      reply.hear(event);
      if (isShown) transcript.show(event);
      else if (event.kind === "notice" && event.level !== "info") stage.errors.line(`agentq: ${plain(event.message)}`);
    },
  });
  stage.onInterrupt = () => void conversation.cancel().catch(() => undefined);
  const report = await conversation.say({ text: question });
  if (values.json) {
    stage.out.line(JSON.stringify(outcomeOf(report, reply, answers, conversation.sessionId), undefined, 2));
  } else {
    if (!isShown) stage.out.write(reply.text() === "" ? "" : `${reply.text()}\n`);
    if (answers.patch !== "") stage.out.write(`\n${stage.host.stdout.isTTY ? plain(answers.patch) : answers.patch}`);
    for (const { place, applied } of report.hunks) {
      if (options.apply) stage.errors.line(`agentq: ${applied ? "applied" : "not applied"}: ${plain(place)}`);
    }
  }
  return exitCode(report, answers, stage);
}

function exitCode({ end, hunks }: TurnReport, answers: Answers, { errors }: Stage): number {
  if (end.reason === "cancelled") return EXIT.interrupted;
  if (end.reason !== "endTurn") {
    errors.line(`agentq: the turn ended with "${end.reason}". ${plain(end.message ?? "")}`.trimEnd());
    return EXIT.failed;
  }
  if (answers.denied.length > 0) return EXIT.needsYes;
  const isLost = hunks.some(({ decision, applied }) => decision.decision !== "reject" && !applied);
  return isLost ? EXIT.failed : EXIT.ok;
}

function outcomeOf({ end, hunks }: TurnReport, reply: Reply, answers: Answers, sessionId: string | undefined) {
  return {
    sessionId,
    reason: end.reason,
    message: end.message,
    text: reply.text(),
    patch: answers.patch,
    applied: hunks.filter(({ applied }) => applied).map(({ place }) => place),
    toolCalls: reply.calls,
    denied: answers.denied,
    usage: reply.usage,
  };
}

/** What the model said, without what a broken reply had begun to say before it was asked for again. */
class Reply {
  readonly calls: { readonly name: string; readonly success: boolean }[] = [];
  readonly usage = { inputTokens: 0, outputTokens: 0 };
  readonly #parts: string[] = [];
  #open = "";

  hear(event: TurnEvent): void {
    switch (event.kind) {
      case "text":
        this.#open += event.text;
        return;
      case "commandAnswer":
        this.#parts.push(event.text);
        return;
      case "retrying":
        this.#open = "";
        return;
      case "usage":
        this.usage.inputTokens += event.inputTokens + event.cacheReadTokens + event.cacheWriteTokens;
        this.usage.outputTokens += event.outputTokens;
        return this.#close();
      case "toolResult":
        this.calls.push({ name: event.name, success: event.result.success });
        return this.#close();
      case "turnEnded":
        return this.#close();
      default:
    }
  }

  text(): string {
    return this.#parts.join("\n\n");
  }

  #close(): void {
    if (this.#open.trim() !== "") this.#parts.push(this.#open.trim());
    this.#open = "";
  }
}
