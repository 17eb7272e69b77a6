/** A project, the real server, a model that says what the conversation wrote down, and the person at an editor. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { RequestBody } from "../../examples/demo/model/request-body.ts";
import { reply, type Block } from "../../examples/demo/model/script.ts";
import { carryOut } from "../../server/src/client/carry-out.ts";
import type { RequestMethod, RequestParams, RequestResults } from "../../server/src/protocol/methods.ts";
import type { Hunk, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { given } from "../../server/src/base/given.ts";
import { ServerStage } from "../support/server-stage.ts";
import { Desk, type Texts } from "./desk.ts";
import { readingOf, type Told } from "./reading.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The servers that run, by what a scene asks of them. */
const stages = new Map<string, ServerStage>();

async function stageFor({ project, options = {}, agentq }: Setting): Promise<ServerStage> {
  const key = JSON.stringify([project, options, agentq]);
  let stage = stages.get(key);
  if (stage === undefined) {
    const settings = { instructions: "on", ...options };
    stage = new ServerStage({
      project: path.join(repository, project),
      settings,
      freshRepl: true,
      ...given({ agentq }),
    });
    stages.set(key, stage);
    await stage.open();
  }
  return stage;
}

export async function closeStages(): Promise<void> {
  for (const stage of stages.values()) await stage.close();
  stages.clear();
}

/** One reply of the model: what it says and calls at once. */
export type Says = readonly (Block | string)[];

export interface Setting {
  /** Below the repository. */
  readonly project: string;
  readonly options?: object;
  /** What the editor announces. */
  readonly agentq?: object;
  /** Done to the project before anything is said. */
  readonly prepare?: (scene: Scene) => void;
}

type Decision =
  | "accept"
  | "reject"
  | { readonly reject: string }
  | { readonly edit: string }
  | { readonly byProgram: string };
type Prompt = Omit<RequestParams<"agentq/prompt">, "text" | "sessionId">;

export interface Running {
  /** The events, once the turn has ended. */
  readonly ended: Promise<TurnEvent[]>;
}

export class Scene extends Desk {
  /** What the person decided, by proposal and hunk. */
  readonly decisions: Record<string, Decision>[] = [];
  /** The texts when each request of the model's came. */
  readonly moments: Texts[] = [];
  readonly #stage: ServerStage;
  readonly #replies: Says[] = [];
  /** The ids of the proposals that the person has seen, oldest first. */
  readonly proposals: string[] = [];
  readonly #approvals: string[] = [];
  #sessionId: string | undefined;

  /** How many forms the REPL of the stage had run before. */
  readonly formsBefore: number;

  private constructor(stage: ServerStage) {
    super(stage.folder);
    this.#stage = stage;
    this.formsBefore = Number(stage.lastEvaluation ?? 0);
  }

  /** In the stage of an earlier scene with the same settings, where there is one. */
  static async open(setting: Setting): Promise<Scene> {
    const scene = new Scene(await stageFor(setting));
    const stage = scene.#stage;
    await stage.begin();
    stage.script = { name: "golden", description: "a conversation", reply: () => scene.#reply() };
    scene.connect(stage.client.connection);
    setting.prepare?.(scene);
    // What a busy machine does not find out in time is left out of the first message: the server has started by then.
    await stage.client.request("agentq/listTools", {});
    return scene;
  }

  async close(): Promise<void> {
    await this.closeFiles();
    await this.#stage.settle();
  }

  get requests(): readonly RequestBody[] {
    return this.#stage.model.requests;
  }

  last(): RequestBody {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error("The model was asked nothing.");
    return last;
  }

  told(): Told[] {
    return readingOf(this.last());
  }

  get mismatches(): readonly string[] {
    return this.#stage.model.mismatches;
  }

  // The person and the model

  /** The person says something, and the model will answer so; after these replies it says "Done.". */
  async say(text: string, replies: readonly Says[] = [], more: Prompt = {}): Promise<TurnEvent[]> {
    const { ended } = await this.start(text, replies, more);
    return ended;
  }

  /** The same, for a person who does something meanwhile. */
  async start(text: string, replies: readonly Says[] = [], more: Prompt = {}): Promise<Running> {
    this.#replies.push(...replies);
    const sessionId = this.#sessionId === undefined ? {} : { sessionId: this.#sessionId };
    const answer = await this.#stage.client.request("agentq/prompt", { text, ...sessionId, ...more });
    this.#sessionId = answer.sessionId;
    return { ended: this.#stage.client.turn(answer.turnId) };
  }

  async cancel(): Promise<void> {
    await this.#stage.client.request("agentq/cancel", { sessionId: this.#sessionId ?? "" });
    this.#replies.length = 0;
  }

  /** Resolves when a form has printed the words. */
  async untilPrinted(words: string): Promise<void> {
    await this.#stage.client.waitFor(({ method, params }) =>
      method === "agentq/replOutput" && params.text.includes(words) ? true : undefined,
    );
  }

  /** The person stops what runs. */
  async interrupt(): Promise<void> {
    const { interrupted } = await this.request("agentq/interrupt", {});
    if (!interrupted) throw new Error("Nothing ran that could be interrupted.");
  }

  #reply(): ReturnType<typeof reply> {
    this.moments.push(this.texts());
    return reply(...(this.#replies.shift() ?? ["Done."]));
  }

  // The person and proposals

  async proposal(): Promise<Proposal> {
    const proposal = await this.#stage.client.nextProposal(this.proposals);
    this.proposals.push(proposal.proposalId);
    return proposal;
  }

  /** Decides about the next proposal, and applies what was accepted as an editor does. */
  async decide(decisions: Record<string, Decision>, more: { message?: string; then?: "stop" } = {}): Promise<void> {
    const { proposalId } = await this.proposal();
    await this.decideAbout(proposalId, decisions, more);
  }

  /** Accepts every hunk of the next proposal. */
  async decideAll(): Promise<void> {
    const { proposalId, hunks } = await this.proposal();
    await this.decideAbout(proposalId, Object.fromEntries(hunks.map(({ id }) => [id, "accept"])));
  }

  async untilHunk(proposalId: string, hunk: string, state: Hunk["state"]): Promise<void> {
    await this.#untilSeen(proposalId, hunk, (now) => now.state === state);
  }

  async untilTakenBack(proposalId: string, hunk: string): Promise<void> {
    await this.#untilSeen(proposalId, hunk, (now) => now.takenBack === true);
  }

  async #untilSeen(proposalId: string, hunk: string, isSo: (now: Hunk) => boolean): Promise<void> {
    await this.#stage.client.waitFor(({ method, params }) => {
      if (method !== "agentq/proposalChanged" || params.proposalId !== proposalId) return undefined;
      return params.hunks.some((each) => each.id === hunk && isSo(each)) ? true : undefined;
    });
  }

  async decideAbout(
    proposalId: string,
    decisions: Record<string, Decision>,
    more: { message?: string; then?: "stop" } = {},
  ): Promise<void> {
    this.decisions.push(decisions);
    const hunks = Object.entries(decisions).map(([id, decision]) => ({ id, ...decisionToWire(decision) }));
    await carryOut(
      {
        decide: (params) => this.request("agentq/decide", params),
        didApply: (params) => this.request("agentq/didApply", params),
        apply: (edit) => this.apply(edit),
      },
      { proposalId, hunks, ...more },
    );
  }

  async answer(decision: "approved" | "denied", message?: string): Promise<void> {
    const { approvalId } = await this.#stage.client.waitFor(({ method, params }) =>
      method === "agentq/approval" && !this.#approvals.includes(params.approvalId) ? params : undefined,
    );
    this.#approvals.push(approvalId);
    await this.request("agentq/answerApproval", { approvalId, decision, ...(message && { message }) });
  }

  request<Method extends RequestMethod>(
    method: Method,
    params: RequestParams<Method>,
  ): Promise<RequestResults[Method]> {
    return this.#stage.client.request(method, params);
  }

  /** What the image answers to the person: the printed value, or the error. */
  async evaluate(code: string, module?: string): Promise<string> {
    const result = await this.request("agentq/evaluate", { code, ...(module !== undefined && { module }) });
    return result.preview ?? result.error?.message ?? result.outcome;
  }
}

function decisionToWire(decision: Decision) {
  if (decision === "accept" || decision === "reject") return { decision };
  if ("byProgram" in decision) return { decision: "reject", reason: decision.byProgram, by: "program" } as const;
  return "reject" in decision
    ? ({ decision: "reject", reason: decision.reject } as const)
    : ({ decision: "edit", newText: decision.edit } as const);
}
