/** How a person decides about a proposal: hunk by hunk, as `git add -p` asks. */
import { acceptance, rejection } from "../client/carry-out.ts";
import type { HunkPlace, Reviewer } from "../client/conversation.ts";
import type { Hunk, HunkDecision, Proposal } from "../protocol/proposal-shapes.ts";
import type { Person } from "./person.ts";
import { editText } from "./edit-text.ts";
import { showHunk } from "./hunk-diff.ts";
import { paragraph, plain, type Screen } from "./screen.ts";

const KEYS = `    y  apply this hunk
    n  do not apply it, and say why
    e  change it first, in your editor
    a  apply this hunk and all that follow
    d  apply neither this hunk nor those that follow, and say why
    q  as d, and stop the model
    ?  show this list`;

/** Asks the person for each hunk. */
export function personReviews(screen: Screen, person: Person): Reviewer {
  return async (proposal, placeOf) => {
    announce(screen, proposal);
    const decisions: HunkDecision[] = [];
    const rest = [...proposal.hunks];
    for (let hunk = rest.shift(); hunk !== undefined; hunk = rest.shift()) {
      const place = placeOf(hunk);
      showHunk(screen, hunk, place);
      const answer = await askAboutHunk({ screen, person }, hunk, place);
      if (answer.kind === "decided") {
        decisions.push(answer.decision);
        continue;
      }
      const following = [hunk, ...rest];
      if (answer.kind === "acceptAll") {
        decisions.push(...following.map(acceptance));
        return { decisions, then: "continue" };
      }
      decisions.push(...following.map(({ id }) => rejection(id, answer.reason)));
      return { decisions, then: answer.kind === "quit" ? "stop" : "continue" };
    }
    return { decisions, then: "continue" };
  };
}

function announce(screen: Screen, { title, why, check }: Proposal): void {
  screen.line();
  screen.line(`  ${screen.paint("bold", plain(title))}`);
  paragraph(screen, "dim", why);
  for (const { message } of check.introduced) paragraph(screen, "red", `brings in: ${message}`);
}

interface Asked {
  readonly screen: Screen;
  readonly person: Person;
}

type Answer =
  | { readonly kind: "decided"; readonly decision: HunkDecision }
  | { readonly kind: "acceptAll" }
  | { readonly kind: "rejectAll" | "quit"; readonly reason: string };

async function askAboutHunk({ screen, person }: Asked, hunk: Hunk, place: HunkPlace): Promise<Answer> {
  for (;;) {
    const key = await person.ask(`  ${screen.paint("bold", "Apply this hunk [y,n,e,a,d,q,?]?")} `);
    switch (key?.toLowerCase()) {
      case "y":
        return { kind: "decided", decision: { id: hunk.id, decision: "accept" } };
      case "n":
        return { kind: "decided", decision: rejection(hunk.id, await askWhy(person)) };
      case "e": {
        if (hunk.kind !== "edit" && hunk.kind !== "create") {
          screen.line(`  A hunk of kind ${hunk.kind} has no text to edit.`);
          break;
        }
        const newText = await person.away(() => editText(hunk.newText, place.path));
        if (newText !== undefined) return { kind: "decided", decision: { id: hunk.id, decision: "edit", newText } };
        screen.line("  Nothing was changed, so the question stays.");
        break;
      }
      case "a":
        return { kind: "acceptAll" };
      case "d":
        return { kind: "rejectAll", reason: await askWhy(person) };
      case "q":
      case undefined:
        return { kind: "quit", reason: "" };
      default:
        screen.line(screen.paint("dim", KEYS));
    }
  }
}

export async function askWhy(person: Person): Promise<string> {
  return (await person.ask("  Why not? The model reads it; Enter gives no reason: ", { isFollowUp: true })) ?? "";
}
