/** What became of a proposal when no call waited for it any more, in words for the model. */
import { describeOutcome } from "./describe-outcome.ts";
import { isInPlace, known, raise, stateOf } from "./hunk-state.ts";
import type { TrackedHunk } from "./proposal.ts";
import { record } from "./proposal-state.ts";
import type { Tracked } from "./tracked-proposal.ts";

const NAMED = 5;

/** What the model has not heard yet of a proposal that a call of its own made; notes that it hears it now. */
export function takeNews(tracked: Tracked): string[] {
  const { request, hunks } = tracked;
  if (request.toolCallId === undefined) return [];
  const title = `"${request.title}"`;
  const turned = hunks.filter((hunk) => known(hunk).turned?.wasInPlace === !isInPlace(hunk));
  const wordsOf = (some: readonly TrackedHunk[]): string | undefined =>
    some.length === 0 ? undefined : `${named(some, hunks)} of ${title}`;
  const came = turned.filter(isInPlace);
  const ofPerson = came.filter((hunk) => known(hunk).turned?.isAcceptedAgain);
  const back = wordsOf(turned.filter((hunk) => !isInPlace(hunk)));
  const again = wordsOf(came.filter((hunk) => !ofPerson.includes(hunk)));
  const accepted = wordsOf(ofPerson);
  const isEdited = ofPerson.some((hunk) => stateOf(hunk) === "edited");
  for (const hunk of hunks) raise(hunk, { is: "told" });
  return [
    ...newsOfCut(tracked, title),
    ...(back === undefined ? [] : [`Taken back since: ${back}. What stood there before stands there again.`]),
    ...(again === undefined ? [] : [`In the file again: ${again}.`]),
    ...(accepted === undefined
      ? []
      : [`The person accepted after all: ${accepted}${isEdited ? ", with text of their own. Read it again" : ""}.`]),
  ];
}

/** The news of a call that was cut off while the person decided. */
function newsOfCut(tracked: Tracked, title: string): string[] {
  const { now } = tracked;
  if (now.cutOff !== "untold") return [];
  record(tracked, { is: "told" });
  const how =
    now.is === "settled"
      ? `is decided by now. ${describeOutcome(now.outcome, { countApplied: true })}`
      : "still waits for the person to decide.";
  return [`${title}, whose call was cut off, ${how}`];
}

function named(some: readonly TrackedHunk[], all: readonly TrackedHunk[]): string {
  if (some.length === all.length && some.length > 1) return `all ${all.length} hunks`;
  const shown = some.slice(0, NAMED).map(({ id, title }) => `${id} (${title})`);
  return `${shown.join(", ")}${some.length > NAMED ? ` and ${some.length - NAMED} more hunks` : ""}`;
}
