/** How the demo decides about a proposal when no person does. */
import { rejection } from "../../../server/src/client/carry-out.ts";
import type { Reviewer } from "../../../server/src/client/conversation.ts";
import type { HunkDecision } from "../../../server/src/protocol/proposal-shapes.ts";
import { showHunk } from "../../../server/src/terminal/hunk-diff.ts";
import type { Screen } from "../../../server/src/terminal/screen.ts";

const TIDY_UP_REASON = "This change is only about refunds: leave splitEvenly as it is.";

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
