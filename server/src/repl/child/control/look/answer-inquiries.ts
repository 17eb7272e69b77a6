/**
 * Answers inquiries on the control worker, also while the main thread is busy: the inspector dispatches messages
 * between two instructions of the running program. Nothing is posted while an evaluation is being stopped: an inquiry
 * that a stop overtakes begins again after the stop.
 */
import { inKernel, kernelCall } from "../../wire/kernel-call.ts";
import type { Runtime } from "node:inspector";
import {
  callHeld,
  callKernel,
  createAsk,
  Overtaken,
  UNSEEN,
  type Ask,
  type Held,
} from "../inspector/inspector-call.ts";
import type { Post } from "../inspector/inspector-post.ts";
import { holdRoot, walkOn } from "./hold-root.ts";
import { shortened } from "../../shared/cut.ts";
import type { Inquiry, InquiryAnswer, RawMember, RawName, RawPage } from "../../wire/inquiry.ts";
import { ROW } from "../../shared/print/brief-text.ts";
import { runTrial } from "./trial.ts";
import { functionPlace, isProbed, openProbed, openPromise, openProxy, probe, proxyLine } from "./probe.ts";
import type { Failure } from "../../wire/value-path.ts";
import { isEntry, openEntry, withEntries } from "./weak-probe.ts";

export interface InquiryParts {
  readonly post: Post;
  readonly isStopping: () => boolean;
  /** Resolves when the stops that have begun are over. */
  readonly stopped: () => Promise<void>;
  /** URLs of the scripts, by id. */
  readonly scripts: () => Promise<ReadonlyMap<string, string>>;
}

type Inquired<Op extends Inquiry["op"]> = Extract<Inquiry, { op: Op }>;

/** The client of an inquiry that waited longer than this for its turn no longer listens. */
const STALE_MS = 8000;
const MAX_PROXIES = 20;

export function createInquiryAnswers(parts: InquiryParts): (inquiry: Inquiry) => Promise<InquiryAnswer> {
  const { post, isStopping, stopped } = parts;
  let count = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const answer = async (inquiry: Inquiry, since: number): Promise<InquiryAnswer> => {
    if (Date.now() - since > STALE_MS) return { kind: "busy" };
    const group = `inquiry${++count}`;
    const ask = createAsk(post, isStopping, group);
    try {
      return await answerWith(ask, inquiry, parts);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    } finally {
      // Not awaited. An interrupt that begins at this moment leaves a few ids unreleased.
      ask("Runtime.releaseObjectGroup", { objectGroup: group }).catch(() => undefined);
    }
    await stopped();
    return answer(inquiry, since);
  };
  // Inquiries are answered one at a time, because the values that a module's scope lends have one place.
  return (inquiry) => {
    const since = Date.now();
    const answered = turn.then(() => answer(inquiry, since));
    turn = answered.catch(() => undefined);
    return answered;
  };
}

async function answerWith(ask: Ask, inquiry: Inquiry, parts: InquiryParts): Promise<InquiryAnswer> {
  switch (inquiry.op) {
    case "page":
      return page(ask, inquiry, parts);
    case "members":
      return members(ask, inquiry);
    case "trial":
      return runTrial(ask, inquiry.root);
    case "alias":
      await callKernel(ask, kernelCall("alias", inquiry.from, inquiry.to));
      return { kind: "done" };
    default:
      return inquiry satisfies never;
  }
}

async function page(ask: Ask, inquiry: Inquired<"page">, { scripts }: InquiryParts): Promise<InquiryAnswer> {
  const held = await holdRoot(ask, inquiry.root);
  if ("why" in held) return { kind: "refused", ...held };
  const target = await follow(ask, held, inquiry.path);
  if ("why" in target) return { kind: "refused", ...target };
  const query = { page: inquiry.page, size: inquiry.size };
  const text = await callHeld<string>(ask, target, `function(q){return ${inKernel("page")}(this[0],q)}`, {
    value: query,
  });
  if (text === undefined) return { kind: "refused", ...UNSEEN };
  const listed = JSON.parse(text) as RawPage;
  const whole = listed.probe === "weak" ? await withEntries(ask, target, listed, query) : listed;
  const raw = await withProxyLines(whole, async (step) => {
    const member = await follow(ask, target, [step]);
    return "why" in member ? undefined : proxyLine(ask, member);
  });
  if (raw.probe === undefined || raw.probe === "weak") return { kind: "page", page: raw };
  const full = await probe(ask, target, raw);
  if (raw.probe !== "function") return { kind: "page", page: full };
  const place = await functionPlace(ask, target, await scripts());
  return { kind: "page", page: { ...full, ...(place === undefined ? {} : { place }) } };
}

/** Shows proxies of the page by their targets, up to `MAX_PROXIES`. */
async function withProxyLines(
  listed: RawPage,
  lineOf: (step: string) => Promise<string | undefined>,
): Promise<RawPage> {
  let left = MAX_PROXIES;
  const shown: RawMember[] = [];
  for (const member of listed.members) {
    const isTold = member.type === "Proxy" && member.step !== undefined && left-- > 0;
    const line = isTold ? await lineOf(member.step) : undefined;
    shown.push(line === undefined ? member : { ...member, preview: shortened(line, ROW) });
  }
  return { ...listed, members: shown };
}

async function members(ask: Ask, { root, awaits }: Inquired<"members">): Promise<InquiryAnswer> {
  if (root === undefined) return namesInReach(ask);
  const rooted = await holdRoot(ask, root);
  if ("why" in rooted) return { kind: "refused", ...rooted };
  const held = awaits === true ? await openPromise(ask, rooted) : rooted;
  if ("why" in held) return { kind: "refused", ...held };
  const found = await membersOf(ask, held);
  if (found?.members.length !== 0 || !found.isCut) return answerOf(found);
  // A proxy's traps may answer anything, so the names are read from its target, without the traps.
  const behind = await openProxy(ask, held);
  return "why" in behind ? { kind: "refused", ...behind } : answerOf(await membersOf(ask, behind));
}

interface Members {
  readonly members: readonly RawName[];
  /** There are more members, or the value is a proxy, which is not asked. */
  readonly isCut: boolean;
}

async function membersOf(ask: Ask, held: Held): Promise<Members | undefined> {
  const text = await callHeld<string>(ask, held, `function(){return ${inKernel("members")}(this[0])}`);
  return text === undefined ? undefined : (JSON.parse(text) as Members);
}

function answerOf(found: Members | undefined): InquiryAnswer {
  return found === undefined ? { kind: "refused", ...UNSEEN } : { kind: "members", ...found };
}

async function follow(ask: Ask, held: Held, path: readonly string[]): Promise<Held | Failure> {
  let now = held;
  for (let index = 0; index < path.length;) {
    const step = path[index] as string;
    const entry = isEntry(step) ? await openEntry(ask, now, step) : undefined;
    if (isProbed(step) || entry !== undefined) {
      const next = entry ?? (await openProbed(ask, now, step));
      if ("why" in next) return next;
      now = next;
      index += 1;
      continue;
    }
    const probed = path.findIndex((each, at) => at > index && (isProbed(each) || isEntry(each)));
    const end = probed === -1 ? path.length : probed;
    const next = await walkOn(ask, now, path.slice(index, end));
    if ("why" in next) return next;
    now = next;
    index = end;
  }
  return now;
}

/** The names that the session declared, and those of the global object. */
async function namesInReach(ask: Ask): Promise<InquiryAnswer> {
  const lexical = await ask<Runtime.GlobalLexicalScopeNamesReturnType>("Runtime.globalLexicalScopeNames", {});
  const text = await callKernel<string>(ask, kernelCall("globals"));
  if (lexical === undefined || text === undefined) return { kind: "refused", ...UNSEEN };
  const session = lexical.names.map((name): RawName => ({ name, kind: "variable", depth: 0 }));
  return { kind: "members", members: [...session, ...(JSON.parse(text) as RawName[])], isCut: false };
}
