/** Questions about git, the person's place and instructions. */
import { yesNo, type Question } from "./question.ts";

export function branch(): Question {
  return {
    ask: "Which branch is checked out?",
    read: (told) =>
      told
        .flatMap(({ text }) => /git: branch ([^\s,;]+)|Git: (\S+) is checked out now/.exec(text) ?? [])
        .filter((each) => each !== undefined && !each.includes(" "))
        .at(-1) ?? "none",
    truth: (scene) => {
      try {
        return scene.git("branch", "--show-current");
      } catch {
        return "none";
      }
    },
  };
}

/** As the person has it, whatever a command was shown. */
export function isChangedInGit(file: string): Question {
  return {
    ask: `Has the person changed ${file} since the last commit?`,
    read: (told) => {
      const text = told.map((each) => each.text).join("\n");
      const isDenied = text.includes(`Not changed, whatever git says: ${file}`);
      return yesNo(!isDenied && new RegExp(`^ +M ${file.replaceAll(".", "\\.")}$`, "m").test(text));
    },
    truth: (scene) => yesNo(scene.git("status", "--short", "--", file) !== ""),
  };
}

/** The place that a client last named, counted from 0. */
export function place(path: string, number: number): Question {
  return {
    ask: "Where is the person?",
    read: (told) => told.flatMap(({ text }) => /The person is in (\S+:\d+)/.exec(text)?.[1] ?? []).at(-1) ?? "not told",
    truth: () => `${path}:${number}`,
  };
}

/** Whether the person's instructions say so now. */
export function instructs(path: string, words: string): Question {
  return {
    ask: `Do the instructions in ${path} say: ${words}?`,
    read: (told) => {
      const latest = told.findLast(({ kind, text }) => kind === "rules" && text.includes(`who trusts ${path}`));
      return yesNo(latest?.text.includes(words));
    },
    truth: (scene) => yesNo(scene.disk(path)?.includes(words)),
  };
}

/** What needs no repeating stands in the request once. */
export function isSaidOnce(words: RegExp): Question {
  return {
    ask: `How often is it said: ${words.source}?`,
    read: (told) => String(told.filter(({ text }) => words.test(text)).length),
    truth: () => "1",
  };
}
