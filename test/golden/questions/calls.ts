/** Questions about calls: whether they ran, whether their answers still hold, what they found. */
import { execFileSync } from "node:child_process";
import { bodyOf, resultsOf } from "../reading.ts";
import type { Scene } from "../scene.ts";
import { yesNo, type Question } from "./question.ts";

/** `number` counts all calls of the conversation, from 1. `happened` is what the test saw of it. */
export function wasRun(number: number, happened: (scene: Scene) => boolean | Promise<boolean>): Question {
  return {
    ask: `Was call ${number} run?`,
    read: (told) => {
      const result = resultsOf(told).find(({ call }) => call.number === number);
      return result === undefined
        ? "not told"
        : yesNo(!/^NOT RUN: |^Unknown tool |were not a JSON object/.test(result.text));
    },
    truth: async (scene) => yesNo(await happened(scene)),
  };
}

/** Whether an answer holds now, which the same question asked again shows. */
export function isCurrent(number: number): Question {
  return {
    ask: `Is the answer of call ${number} the one that it would get now?`,
    read: (told) => {
      const result = resultsOf(told).find(({ call }) => call.number === number);
      return yesNo(result !== undefined && !/^- Computed (?:before|after|while) /m.test(result.text));
    },
    truth: async (scene) => {
      const result = resultsOf(scene.told()).find(({ call }) => call.number === number);
      const { name, input } = result?.call ?? { name: "", input: {} };
      const now = await scene.request("agentq/callTool", { name, arguments: input });
      const text = now.success ? now.content : (now.error ?? "");
      return yesNo(result !== undefined && lasting(bodyOf(result)) === lasting(text));
    },
  };
}

/** Without times and numbers of evaluations, which differ each time. */
function lasting(text: string): string {
  return text.replace(/\d+(?:\.\d+)? m?s\b/g, "").replace(/, kept as \$\d+/g, "");
}

/** What a pattern finds in the latest answer of a tool, and what is really so. */
export function fact(
  ask: string,
  { tool, pattern }: { readonly tool: string; readonly pattern: RegExp },
  truth: Question["truth"],
): Question {
  return {
    ask,
    read: (told) => {
      const latest = resultsOf(told).findLast(({ call }) => call.name === tool);
      return pattern.exec(latest?.text ?? "")?.[1] ?? "not told";
    },
    truth,
  };
}

/** How many lines of all files contain a text, unsaved text included. */
export function matches(text: string): Question {
  return fact(`How many lines contain ${text}?`, { tool: "search_text", pattern: /^(\d+) lines? in / }, (scene) => {
    const { disk, buffers } = scene.texts();
    const all = [...new Map([...disk, ...buffers]).values()].flatMap((each) => each.split("\n"));
    return String(all.filter((each) => each.includes(text)).length);
  });
}

/** Of the saved files, as Node itself runs them. */
export function failedTests(): Question {
  const pattern = /^(?:(\d+) failed, )?\d+ passed/;
  return {
    ask: "How many tests fail now?",
    read: (told) => {
      const latest = resultsOf(told).findLast(({ call }) => call.name === "run_tests");
      const found = pattern.exec(latest?.text ?? "");
      return found === null ? "not told" : (found[1] ?? "0");
    },
    truth: (scene) => {
      const env = { PATH: process.env["PATH"] ?? "" };
      const code = `const { run } = await import("node:test"); let n = 0; for await (const { type, data } of run({ globPatterns: ["test/*.test.ts"], cwd: process.cwd() })) if (type === "test:fail" && data.details.type !== "suite" && !data.name.endsWith(".ts")) n += 1; console.log(n);`;
      const options = { cwd: scene.folder, env, encoding: "utf8" } as const;
      return execFileSync(process.execPath, ["--input-type=module", "-e", code], options).trim();
    },
  };
}
