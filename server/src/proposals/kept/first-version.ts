/** Proposals as the first version kept them: the state of a hunk stood among the hunk's other fields. */
import { given } from "../../base/given.ts";
import type { HunkNow, Known } from "../hunk-state.ts";
import type { HunkOutcome } from "../proposal.ts";
import type { Stretch } from "../texts/hunks.ts";
import type { Tracked } from "../tracked-proposal.ts";

interface FirstHunk extends Omit<Known, "trouble">, Pick<HunkOutcome, "state" | "applied" | "conflict" | "trouble"> {
  readonly currentText?: string;
  readonly over?: string;
  readonly wide?: Stretch;
  readonly heard?: boolean;
  readonly isAcceptedAgain?: true;
}

/** Gives each hunk its state in the words of today. The fields of the first version stay, and nobody reads them. */
export function fromFirstVersion({ hunks, cut }: Tracked): void {
  for (const hunk of [...hunks, ...cut.values()]) Object.assign(hunk, { now: nowOf(hunk as unknown as FirstHunk) });
}

function nowOf(hunk: FirstHunk): HunkNow {
  const { change, range, requires, state, applied, trouble: kind, conflict: why, currentText: text } = hunk;
  const trouble = kind && { kind, ...given({ why, text }) };
  const any = { change, range, ...given({ requires, trouble }) };
  if (state === "pending") return { ...any, is: state };
  if (state === "conflict") return { ...any, is: state, trouble: trouble ?? { kind: "changed" } };
  const { reason, by, editedText, over, wide, seen, later, heard, isAcceptedAgain } = hunk;
  const decided = { ...any, ...given({ reason, by }) };
  if (state === "rejected") return { ...decided, is: state };
  const agreed = { ...decided, ...given({ editedText }) };
  if (!applied && later === undefined) return { ...agreed, is: "accepted", ...given({ over, wide }) };
  const turned = heard === undefined ? undefined : { wasInPlace: heard, ...given({ isAcceptedAgain }) };
  const once = { ...agreed, ...given({ seen, turned }) };
  if (!applied && later !== undefined) return { ...once, is: "gone", later };
  return { ...once, is: "applied", ...(later === "undone" ? { later } : {}) };
}
