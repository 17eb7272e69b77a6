/** How a proposal is decided: by the person, hunk by hunk as `git add -p` does, or by the demo itself. */
import type { Hunk, HunkDecision, Proposal } from "../../../server/src/protocol/shapes.ts";
import { ask } from "../terminal/ask.ts";
import { editText } from "../terminal/edit-text.ts";
import { showHunk, type HunkPlace } from "../terminal/hunk-diff.ts";
import type { Screen } from "../terminal/screen.ts";

export interface Review {
  readonly decisions: readonly HunkDecision[];
  readonly then: "continue" | "stop";
}

/** Contract: decides every hunk of the proposal. */
export type Reviewer = (proposal: Proposal, placeOf: (hunk: Hunk) => HunkPlace) => Promise<Review>;

const KEYS = `    y  apply this hunk
    n  do not apply it, and say why
    e  change it first, in your editor
    a  apply this hunk and all that follow
    d  apply neither this hunk nor those that follow, and say why
    q  as d, and stop the model
    ?  show this list`;

const TIDY_UP_REASON = "This change is only about refunds: leave splitEvenly as it is.";

/** Asks the person for each hunk. */
export function personReviews(screen: Screen): Reviewer {
  return async (proposal, placeOf) => {
    const decisions: HunkDecision[] = [];
    const rest = [...proposal.hunks];
    for (let hunk = rest.shift(); hunk !== undefined; hunk = rest.shift()) {
      const place = placeOf(hunk);
      showHunk(screen, hunk, place);
      const answer = await askAboutHunk(screen, hunk, place);
      if (answer.kind === "decided") {
        decisions.push(answer.decision);
        continue;
      }
      const following = [hunk, ...rest];
      if (answer.kind === "acceptAll") {
        decisions.push(...following.map(({ id }) => ({ id, decision: "accept" }) as const));
        return { decisions, then: "continue" };
      }
      decisions.push(...following.map(({ id }) => rejection(id, answer.reason)));
      return { decisions, then: answer.kind === "quit" ? "stop" : "continue" };
    }
    return { decisions, then: "continue" };
  };
}

/** Decides as a careful colleague would: the fix is applied, the tidy-up that nobody asked for is not. */
export function demoReviews(screen: Screen): Reviewer {
  return async (proposal, placeOf) => {
    const decisions = proposal.hunks.map((hunk): HunkDecision => {
      showHunk(screen, hunk, placeOf(hunk));
      const isTidyUp = hunk.oldText.includes("weights.push(1)");
      const said = isTidyUp ? `n: ${TIDY_UP_REASON}` : "y";
      screen.line(`  ${screen.paint("yellow", `Apply this hunk? The demo decides: ${said}`)}`);
      return isTidyUp ? rejection(hunk.id, TIDY_UP_REASON) : { id: hunk.id, decision: "accept" };
    });
    return { decisions, then: "continue" };
  };
}

type Answer =
  | { readonly kind: "decided"; readonly decision: HunkDecision }
  | { readonly kind: "acceptAll" }
  | { readonly kind: "rejectAll" | "quit"; readonly reason: string };

async function askAboutHunk(screen: Screen, hunk: Hunk, place: HunkPlace): Promise<Answer> {
  for (;;) {
    const key = await ask(`  ${screen.paint("bold", "Apply this hunk [y,n,e,a,d,q,?]?")} `);
    switch (key?.toLowerCase()) {
      case "y":
        return { kind: "decided", decision: { id: hunk.id, decision: "accept" } };
      case "n":
        return { kind: "decided", decision: rejection(hunk.id, await askWhy()) };
      case "e": {
        const newText = editText(hunk.newText, place.path);
        if (newText !== undefined) return { kind: "decided", decision: { id: hunk.id, decision: "edit", newText } };
        screen.line("  Nothing was changed, so the question stays.");
        break;
      }
      case "a":
        return { kind: "acceptAll" };
      case "d":
        return { kind: "rejectAll", reason: await askWhy() };
      case "q":
      case undefined:
        return { kind: "quit", reason: "" };
      default:
        screen.line(screen.paint("dim", KEYS));
    }
  }
}

async function askWhy(): Promise<string> {
  return (await ask("  Why not? The model reads it; Enter gives no reason: ")) ?? "";
}

function rejection(id: string, reason: string): HunkDecision {
  return reason === "" ? { id, decision: "reject" } : { id, decision: "reject", reason };
}
