/** Twenty questions about two real packages, and how each is put to an agent's possible sources. */

export type QuestionKind =
  | "callers"
  | "references"
  | "members"
  | "subclasses"
  | "implementations"
  | "signature"
  | "exports"
  | "names";

export interface Question {
  readonly id: string;
  readonly project: "viem" | "rxjs";
  readonly kind: QuestionKind;
  readonly asked: string;
  /** The file below `src/`; undefined for a search by name. */
  readonly file?: string;
  /** `Outer.member`, or what the searched names contain. */
  readonly name: string;
}

export const questions: readonly Question[] = [
  on("viem", "utils/encoding/toHex.ts#numberToHex", "callers", "Which functions call numberToHex?"),
  on(
    "viem",
    "utils/chain/assertCurrentChain.ts#assertCurrentChain",
    "callers",
    "Which functions call assertCurrentChain?",
  ),
  on("rxjs", "internal/observable/innerFrom.ts#innerFrom", "callers", "Which functions call innerFrom?"),
  on("rxjs", "internal/Subscription.ts#Subscription.add", "callers", "Which functions call Subscription.add?"),
  on("viem", "utils/address/isAddressEqual.ts#isAddressEqual", "references", "Where is isAddressEqual used?"),
  on("viem", "constants/number.ts#maxUint256", "references", "Where is maxUint256 used?"),
  on("rxjs", "internal/Subject.ts#Subject", "references", "Where is the class Subject used?"),
  on("rxjs", "internal/Observable.ts#Observable.lift", "references", "Where is Observable.lift used?"),
  on("rxjs", "internal/Observable.ts#Observable", "members", "Which members has an Observable?"),
  on("rxjs", "internal/Subscriber.ts#Subscriber", "members", "Which members has a Subscriber, inherited ones too?"),
  on("viem", "errors/base.ts#BaseError", "members", "Which members has a BaseError, inherited ones too?"),
  on("rxjs", "internal/Subject.ts#Subject", "subclasses", "Which classes derive from Subject, directly or not?"),
  on("viem", "errors/rpc.ts#RpcError", "subclasses", "Which classes derive from RpcError, directly or not?"),
  on("rxjs", "internal/types.ts#SubscriptionLike", "implementations", "Which classes implement SubscriptionLike?"),
  on("rxjs", "internal/types.ts#SchedulerLike", "implementations", "Which classes implement SchedulerLike?"),
  on("viem", "utils/abi/encodeFunctionData.ts#encodeFunctionData", "signature", "How is encodeFunctionData called?"),
  on("rxjs", "internal/operators/bufferTime.ts#bufferTime", "signature", "How is bufferTime called?"),
  on("rxjs", "operators/index.ts#", "exports", "What does rxjs/operators export?"),
  on("viem", "accounts/index.ts#", "exports", "What does viem/accounts export?"),
  {
    id: "viem names decodeEvent",
    project: "viem",
    kind: "names",
    asked: "What is there whose name contains decodeEvent?",
    name: "decodeEvent",
  },
];

/** A question about a symbol, or with nothing after the `#` about the file itself. */
function on(project: Question["project"], address: string, kind: QuestionKind, asked: string): Question {
  const [file = "", name = ""] = address.split("#");
  return { id: `${project} ${kind} ${name === "" ? file : name}`, project, file: `src/${file}`, name, kind, asked };
}

/**
 * One thing that a full answer tells: words that must stand together, the file first where there is one. A place is
 * `src/a.ts:12`, a caller is its file and its name, a member is its name.
 */
export type Fact = readonly string[];
