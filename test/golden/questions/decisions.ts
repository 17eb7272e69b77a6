/** Questions about what the person decided and said. */
import { resultsOf, type Result, type Told } from "../reading.ts";
import { yesNo, type Question } from "./question.ts";

const isOutcome = (result: Result): boolean =>
  /^(?:APPLIED|NOT APPLIED|PARTIALLY APPLIED|UNCERTAIN|WITHDRAWN): /m.test(result.text);

/** The n-th proposal of the conversation, counted from 1. */
function outcome(told: readonly Told[], proposal: number): string {
  return resultsOf(told).filter(isOutcome)[proposal - 1]?.text ?? "";
}

export function decision(proposal: number, hunk: string): Question {
  return {
    ask: `What did the person decide about hunk ${hunk} of proposal ${proposal}?`,
    read: (told) => decisionIn(outcome(told, proposal), hunk),
    truth: (scene) => {
      const decided = scene.decisions[proposal - 1]?.[hunk];
      if (decided === undefined) return "nothing";
      if (typeof decided === "string") return decided;
      if ("byProgram" in decided) return "not the person's decision";
      return "edit" in decided ? "edit" : "reject";
    },
  };
}

function decisionIn(text: string, hunk: string): string {
  const [, what] = new RegExp(`^- hunk ${hunk} \\([^)]*\\)(?:, a part of \\S+)?: (.*)$`, "m").exec(text) ?? [];
  if (what?.startsWith("applied with the person's") === true) return "edit";
  if (what?.startsWith("NOT applied: nothing is applied in this run") === true) return "not the person's decision";
  if (what?.includes("rejected it") === true || what?.includes("left it at that") === true) return "reject";
  if (what?.includes("not decided") === true) return "nothing";
  if (what !== undefined) return what;
  if (/^WITHDRAWN: .* Nothing of this proposal was applied/m.test(text)) return "nothing";
  if (/^APPLIED: all /m.test(text)) return "accept";
  const [, applied = ""] = /^- applied: (.*)$/m.exec(text) ?? [];
  const isApplied = applied.split(", ").some((run) => {
    const [first = 0, last = first] = run.split("–").map((id) => Number(id.slice(1)));
    return first <= Number(hunk.slice(1)) && Number(hunk.slice(1)) <= last;
  });
  return isApplied ? "accept" : "not told";
}

/** Whether a hunk stands in its file now, whatever was done with it after its proposal was answered. */
export function isInFile(proposal: number, hunk: string, file: string, newText: string): Question {
  return {
    ask: `Does hunk ${hunk} of proposal ${proposal} stand in ${file} now?`,
    read: (told) => {
      const since = told.map(({ text }) => text).join("\n");
      const hasNews = (words: string): boolean => new RegExp(`${words}[^\\]]*\\b${hunk} \\(`).test(since);
      if (hasNews("Taken back since: ")) return "no";
      return yesNo(hasNews("accepted after all: ") || decisionIn(outcome(told, proposal), hunk) === "accept");
    },
    truth: (scene) => yesNo(scene.text(file)?.includes(newText) === true),
  };
}

export function reason(proposal: number, hunk: string): Question {
  return {
    ask: `Why did the person reject hunk ${hunk} of proposal ${proposal}?`,
    read: (told) =>
      new RegExp(`^- hunk ${hunk} .*(?:rejected it|left it at that): "(.*)"`, "m").exec(outcome(told, proposal))?.[1] ??
      "not told",
    truth: (scene) => {
      const decided = scene.decisions[proposal - 1]?.[hunk];
      return typeof decided === "object" && "reject" in decided ? decided.reject : "not told";
    },
  };
}

/** What the person says beside decisions and answers, wherever it was said. */
export function wasToldBy(person: string): Question {
  return {
    ask: `Did the person say: ${person}?`,
    read: (told) => yesNo(told.some(({ text }) => text.includes(person))),
    truth: () => "yes",
  };
}
