/** What the chat's page and the extension say to each other: the page shows, and decides nothing by itself. */

/** `void`: the reply in which the call stood came to nothing. */
export type CallState = "preparing" | "running" | "waitingApproval" | "done" | "failed" | "void";

interface Identified {
  /** Unique within the conversation; a later item of the same id takes the place of the earlier one. */
  readonly id: string;
}

export interface SaidItem extends Identified {
  readonly kind: "you";
  readonly text: string;
  /** What went along, by names such as `src/cart.ts:12-15`. */
  readonly attached: readonly string[];
}

export interface TextItem extends Identified {
  /** `text` is Markdown, `thoughts` are folded. */
  readonly kind: "text" | "thoughts";
  readonly text: string;
  /** Of thoughts: how long they took. */
  readonly words?: string;
  readonly isVoid?: true;
}

export interface CallItem extends Identified {
  readonly kind: "call";
  readonly name: string;
  readonly state: CallState;
  /** What the call is about, in a line. */
  readonly brief: string;
  /** What came of it, in a line. */
  readonly outcome?: string;
  /** How long the call took, or what it waits for. */
  readonly words?: string;
}

export interface NoticeItem extends Identified {
  readonly kind: "notice";
  readonly level: "info" | "warning" | "error";
  readonly text: string;
}

export interface CompactedItem extends Identified {
  readonly kind: "compacted";
  readonly text: string;
  /** What the model reads instead, as Markdown. */
  readonly summary?: string;
}

export interface EndItem extends Identified {
  readonly kind: "end";
  readonly text: string;
  readonly isCalm: boolean;
}

export type Item = SaidItem | TextItem | CallItem | NoticeItem | CompactedItem | EndItem;

/** What has changed since the last patch. */
export interface Patch {
  /** New ones in their order, and those that are otherwise now. */
  readonly items: readonly Item[];
  /** What stands at the ends of texts besides. */
  readonly added: readonly { readonly id: string; readonly text: string }[];
}

export interface ApprovalCard extends Identified {
  readonly kind: "approval";
  /** In its first line the question, below that all arguments. */
  readonly question: string;
  readonly why: string;
  readonly allow: string;
  readonly deny: string;
  /** Allows the same call for the rest of the conversation. */
  readonly session?: string;
  /** A yes for good. */
  readonly always?: string;
  /** What the person can change before the call runs. */
  readonly fields: readonly Field[];
  readonly isOther: boolean;
}

export interface ProposalCard extends Identified {
  readonly kind: "proposal";
  readonly title: string;
  readonly why: string;
  /** `2 hunks in 1 file` */
  readonly size: string;
  readonly verdict: string;
  readonly isBad: boolean;
  readonly isOther: boolean;
}

/** An argument of a call, as the person reads and changes it. */
export interface Field {
  readonly name: string;
  readonly text: string;
}

/** `isOther`: of another conversation than the one that is shown. */
export type Card = ApprovalCard | ProposalCard;

export interface WaitingPrompt extends Identified {
  readonly text: string;
  /** `held`: sent only when the person takes it back and sends it. */
  readonly state: "sending" | "queued" | "held";
}

export interface Chip extends Identified {
  readonly label: string;
  readonly icon: "selection" | "picture" | "file";
}

export const COMMANDS = [
  "agentq.start",
  "agentq.walkthrough",
  "agentq.showLog",
  "agentq.setKey",
  "agentq.openSettings",
  "agentq.chooseModel",
  "agentq.plan",
] as const;
export type PageCommand = (typeof COMMANDS)[number];

/** Why nothing can be asked now, and what to do about it. */
export interface Banner {
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly command: PageCommand }[];
}

export interface Head {
  readonly state: "idle" | "working" | "waiting";
  readonly isPlanning: boolean;
  /** In milliseconds since 1970: when the turn began. */
  readonly since?: number;
  readonly model?: string;
  /** `ctx 43 %` */
  readonly context?: string;
  readonly cost?: string;
  readonly banner?: Banner;
}

/** All but the items: little, and sent as one where anything of it has changed. */
export interface Rest {
  readonly head: Head;
  readonly cards: readonly Card[];
  readonly waiting: readonly WaitingPrompt[];
  readonly chips: readonly Chip[];
}

export interface DetailPart {
  readonly label: string;
  readonly text: string;
}

/** The text from `start` to the cursor is replaced by `insert`. */
export interface Candidate {
  readonly label: string;
  readonly detail: string;
  readonly insert: string;
  readonly start: number;
}

export type ToPage =
  | ({ readonly type: "all"; readonly items: readonly Item[]; readonly draft: string } & Rest)
  | ({ readonly type: "patch" } & Patch)
  | ({ readonly type: "rest" } & Rest)
  | { readonly type: "draft"; readonly text: string }
  | { readonly type: "details"; readonly id: string; readonly parts: readonly DetailPart[] }
  | { readonly type: "completion"; readonly text: string; readonly candidates: readonly Candidate[] }
  | { readonly type: "focus" };

export type FromPage =
  | { readonly type: "ready" | "stop" | "leave" }
  | { readonly type: "draft" | "send" | "complete" | "copy"; readonly text: string }
  | {
      readonly type: "answer";
      readonly id: string;
      readonly decision: "approved" | "denied";
      readonly remember: "none" | "session" | "workspace";
      readonly message: string;
    }
  | { readonly type: "runChanged"; readonly id: string; readonly fields: readonly Field[]; readonly message: string }
  | { readonly type: "proposal"; readonly id: string; readonly action: "review" | "acceptAll" | "rejectAll" }
  | { readonly type: "editQueued"; readonly id: string; readonly text: string }
  | { readonly type: "takeBack"; readonly id: string }
  | { readonly type: "details"; readonly id: string }
  | { readonly type: "removeChip"; readonly id: string }
  | { readonly type: "picture"; readonly name: string; readonly base64: string }
  | { readonly type: "drop"; readonly uris: readonly string[] }
  | { readonly type: "open"; readonly link: string }
  | { readonly type: "command"; readonly command: PageCommand };
