/** What is answered to the server's questions when no person looks at each: by `agentq ask` and `agentq tool`. */
import type { AgentqClient } from "../client/agentq-client.ts";
import { acceptance, refusal } from "../client/carry-out.ts";
import type { ApprovalAnswer, Reviewer } from "../client/conversation.ts";
import type { SafetyLevel } from "../protocol/shapes.ts";
import type { Approval } from "../protocol/tool-shapes.ts";
import { askWhy } from "./review.ts";
import { paragraph, plain } from "./screen.ts";
import { UsageError, type Stage } from "./stage.ts";

export interface AnswerOptions {
  /** Accepted edits go to the files; otherwise nothing is changed, and all edits become `patch`. */
  readonly apply: boolean;
  /** Calls of tools that look and change nothing are approved. */
  readonly yesToReads: boolean;
}

/** The options of the command line that all such commands have. */
export const answerOptions = {
  json: { type: "boolean", default: false },
  apply: { type: "boolean", default: false },
  "yes-to": { type: "string", multiple: true },
  help: { type: "boolean", short: "h", default: false },
} as const;

export function answerOptionsOf(values: { apply: boolean; "yes-to"?: string[] | undefined }): AnswerOptions {
  const yesTo = values["yes-to"] ?? [];
  const unknown = yesTo.find((word) => word !== "reads");
  if (unknown !== undefined) throw new UsageError(`--yes-to takes "reads", not "${unknown}".`);
  return { apply: values.apply, yesToReads: yesTo.length > 0 };
}

/** Why `agentq ask` and `agentq tool` leave an edit where it is. */
export const AS_PATCH = "nothing is applied in this run. The person gets this edit as a patch, and decides later.";
const NOBODY = "Nobody can be asked in this run.";

export class Answers {
  readonly #stage: Stage;
  readonly #client: AgentqClient;
  readonly #options: AnswerOptions;
  /** The edits that were not applied, for `git apply`. */
  patch = "";
  /** The tools whose calls needed a yes that nobody gave. */
  readonly denied: string[] = [];

  constructor(stage: Stage, client: AgentqClient, options: AnswerOptions) {
    this.#stage = stage;
    this.#client = client;
    this.#options = options;
  }

  readonly review: Reviewer = async ({ proposalId, hunks }) => {
    if (this.#options.apply) return { decisions: hunks.map(acceptance), then: "continue" };
    const { patch, left } = await this.#client.request("agentq/exportProposal", { proposalId });
    this.patch += patch;
    for (const { why } of left) this.#stage.errors.line(`agentq: the patch leaves something out: ${plain(why)}`);
    return { decisions: hunks.map(({ id }) => refusal(id, AS_PATCH)), then: "continue" };
  };

  readonly approve = async (approval: Approval): Promise<ApprovalAnswer> => {
    if (this.#options.yesToReads && (await this.#safetyOf(approval.tool)) === "safe") return { decision: "approved" };
    const stage = this.#stage;
    if (stage.hasPerson) return await askApproval(stage, approval);
    if (approval.toolCallId !== undefined) this.denied.push(approval.tool);
    const what = approval.question ?? `${approval.tool} asks first: ${approval.risk}`;
    stage.errors.line(`agentq: ${plain(what)} ${NOBODY} The answer is no.`);
    return { decision: "denied", message: NOBODY };
  };

  async #safetyOf(tool: string): Promise<SafetyLevel | undefined> {
    const { items } = await this.#client.request("agentq/listTools", {});
    return items.find(({ name }) => name === tool)?.safety;
  }
}

const KEYS = `    y  yes, this once
    s  yes, and to the same call for the rest of this conversation
    a  yes, and to the same call in this workspace for good
    n  no, and say why
    q  no, and stop the model`;

/** Asks the person whether a call may run. Ctrl-D is a no that stops the turn. */
export async function askApproval({ out, person }: Stage, approval: Approval): Promise<ApprovalAnswer> {
  const { question, answers, tool, risk } = approval;
  out.line();
  paragraph(out, "yellow", question ?? `${tool} asks first: ${risk}`);
  if (approval.why !== "") paragraph(out, "bold", approval.why);
  if (question === undefined) {
    for (const line of plain(JSON.stringify(approval.arguments, undefined, 2)).split("\n")) out.line(`    ${line}`);
  }
  if (answers !== undefined) {
    const always = answers.always === undefined ? "" : `, a: ${plain(answers.always)}`;
    out.line(`  y: ${plain(answers.approved)}, n: ${plain(answers.denied)}${always}`);
  }
  for (;;) {
    const key = await person.ask(`  ${out.paint("bold", "Allow it [y,s,a,n,q,?]?")} `);
    switch (key?.toLowerCase()) {
      case "y":
        return { decision: "approved" };
      case "s":
        return { decision: "approved", remember: "session" };
      case "a":
        return { decision: "approved", remember: "workspace" };
      case "n": {
        const message = await askWhy(person);
        return message === "" ? { decision: "denied" } : { decision: "denied", message };
      }
      case "q":
      case undefined:
        return { decision: "denied", then: "stop" };
      default:
        out.line(out.paint("dim", KEYS));
    }
  }
}
