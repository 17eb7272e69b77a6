/** The REPL: values that change, processes that end, definitions that take the place of others. */
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../../../examples/demo/model/script.ts";
import { evaluate, propose, read, replace, SHOP, type Conversation } from "../conversation.ts";
import { fact, wasRun } from "../questions/calls.ts";
import { decision } from "../questions/decisions.ts";
import { exists, isUnsaved, line } from "../questions/documents.ts";
import { isDeclared, isStillValue, value } from "../questions/image.ts";

const counter = 'import { counter } from "./src/counter.ts"; counter';
const bump = 'import { bump } from "./src/counter.ts"; bump()';
const hello = 'import { label } from "./src/label.ts"; label("Ada")';
const louder = "export function label(name: string): string { return `${greeting} ${name.toUpperCase()}`; }";

const outcome = (ask: string, pattern: RegExp, truth: string): ReturnType<typeof fact> =>
  fact(ask, { tool: "eval_form", pattern }, () => truth);

export const imageConversations: readonly Conversation[] = [
  {
    name: "state-changes",
    project: SHOP,
    play: (scene) =>
      scene.say("Count.", [
        [evaluate(counter), evaluate("let kept = 41")],
        [evaluate(bump), evaluate(bump), evaluate(counter)],
        [evaluate("kept += 1"), evaluate("kept"), evaluate("[kept, typeof lost]")],
      ]),
    questions: [
      value(counter),
      value("kept"),
      value("[kept, typeof lost]"),
      isDeclared("kept"),
      isDeclared("lost"),
      wasRun(1, () => true),
      wasRun(3, async (scene) => Number(await scene.evaluate(counter)) > 0),
      wasRun(4, async (scene) => Number(await scene.evaluate(counter)) > 1),
      wasRun(6, async (scene) => (await scene.evaluate("kept")) === "42"),
      isStillValue("kept"),
    ],
  },
  {
    name: "state-changed-by-the-person",
    project: SHOP,
    play: async (scene) => {
      await scene.say("Count.", [
        [evaluate(counter), evaluate("let kept = 1"), evaluate(hello)],
        [read("src/label.ts")],
      ]);
      await scene.evaluate('import { bump } from "./src/counter.ts"; bump(5)');
    },
    questions: [
      isStillValue(counter),
      isDeclared("kept"),
      line("src/label.ts", 2),
      line("src/label.ts", 5),
      wasRun(1, () => true),
      wasRun(2, async (scene) => (await scene.evaluate("kept")) === "1"),
      line("src/label.ts", 4),
      line("src/label.ts", 1),
      isUnsaved("src/label.ts"),
      exists("src/label.ts"),
    ],
  },
  {
    name: "image-restarted-by-the-model",
    project: SHOP,
    play: (scene) =>
      scene.say("Start afresh.", [
        [evaluate(bump), evaluate("let kept = 1; let other = 2"), read("src/counter.ts")],
        [call("restart_repl", {})],
        [evaluate(counter), evaluate("let again = 3"), evaluate("again")],
      ]),
    questions: [
      value(counter),
      value("again"),
      isDeclared("kept"),
      isDeclared("other"),
      isDeclared("again"),
      wasRun(4, async (scene) => (await scene.evaluate("typeof kept")) === '"undefined"'),
      wasRun(6, async (scene) => (await scene.evaluate("again")) === "3"),
      line("src/counter.ts", 2),
      line("src/counter.ts", 5),
      isUnsaved("src/counter.ts"),
    ],
  },
  {
    name: "image-restarted-by-the-person",
    project: SHOP,
    play: async (scene) => {
      await scene.say("Count.", [
        [evaluate(bump), evaluate("let kept = 1"), evaluate("kept")],
        [read("src/counter.ts")],
      ]);
      await scene.request("agentq/restartRepl", {});
    },
    questions: [
      isDeclared("kept"),
      isStillValue("kept"),
      line("src/counter.ts", 2),
      line("src/counter.ts", 5),
      wasRun(1, () => true),
      line("src/counter.ts", 1),
      line("src/counter.ts", 4),
      line("src/counter.ts", 6),
      isUnsaved("src/counter.ts"),
      exists("src/counter.ts"),
    ],
  },
  {
    name: "image-crashed",
    project: SHOP,
    play: (scene) =>
      scene.say("Try this.", [
        [evaluate("let kept = 1"), evaluate(bump), evaluate("kept")],
        [evaluate("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})")],
        [evaluate(counter), read("src/counter.ts")],
      ]),
    questions: [
      isDeclared("kept"),
      isStillValue("kept"),
      value(counter),
      wasRun(1, () => true),
      wasRun(5, () => true),
      line("src/counter.ts", 2),
      line("src/counter.ts", 5),
      isUnsaved("src/counter.ts"),
      exists("src/counter.ts"),
      line("src/counter.ts", 4),
    ],
  },
  {
    name: "image-crashed-by-the-person",
    project: SHOP,
    play: async (scene) => {
      await scene.say("Count.", [[evaluate("let kept = 1"), evaluate("kept"), read("src/price.ts")]]);
      await scene.evaluate("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})");
    },
    questions: [
      isDeclared("kept"),
      isStillValue("kept"),
      line("src/price.ts", 2),
      line("src/price.ts", 11),
      isUnsaved("src/price.ts"),
      wasRun(1, () => true),
      line("src/price.ts", 1),
      line("src/price.ts", 5),
      line("src/price.ts", 6),
      exists("src/price.ts"),
    ],
  },
  {
    name: "evaluation-interrupted",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Wait.", [
        [evaluate("let kept = 7"), evaluate(bump)],
        [
          evaluate(
            "kept = 8; void Promise.resolve().then(() => console.log('waiting')); await new Promise((resolve) => setTimeout(resolve, 20_000)); kept = 9",
          ),
        ],
        [evaluate("kept"), evaluate(counter), read("src/counter.ts")],
      ]);
      await scene.untilPrinted("waiting");
      // What prints still runs, and a busy machine may take a while until it only waits.
      await sleep(500);
      await scene.interrupt();
      await ended;
    },
    questions: [
      value("kept"),
      value(counter),
      isDeclared("kept"),
      wasRun(3, async (scene) => (await scene.evaluate("kept")) !== "7"),
      isStillValue("kept"),
      line("src/counter.ts", 2),
      line("src/counter.ts", 5),
      isUnsaved("src/counter.ts"),
      exists("src/counter.ts"),
      line("src/counter.ts", 4),
    ],
  },
  {
    name: "evaluation-timed-out",
    project: SHOP,
    play: (scene) =>
      scene.say("Wait.", [
        [evaluate("let kept = 7"), evaluate(bump)],
        [evaluate("kept = 8; while (true) {}", { timeout_ms: 300 })],
        [evaluate("kept"), evaluate(counter), read("src/counter.ts")],
      ]),
    questions: [
      value("kept"),
      value(counter),
      isDeclared("kept"),
      wasRun(3, async (scene) => (await scene.evaluate("kept")) === "8"),
      isStillValue("kept"),
      isStillValue(counter),
      line("src/counter.ts", 2),
      line("src/counter.ts", 5),
      isUnsaved("src/counter.ts"),
      exists("src/counter.ts"),
    ],
  },
  {
    name: "redefined-and-then-edited",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Be louder.", [
        [read("src/label.ts"), evaluate(hello)],
        [call("compile_form", { form: louder, path: "src/label.ts" })],
        [evaluate(hello)],
        [propose(replace("src/label.ts", "${name}!", "${name}!!!"))],
        [evaluate(hello)],
      ]);
      await scene.decide({ h1: "accept" });
      await ended;
    },
    questions: [
      value(hello),
      isStillValue(hello),
      line("src/label.ts", 5),
      line("src/label.ts", 4),
      line("src/label.ts", 2),
      isUnsaved("src/label.ts"),
      decision(1, "h1"),
      wasRun(3, () => true),
      line("src/label.ts", 1),
      exists("src/label.ts"),
    ],
  },
  {
    name: "redefined-and-not-on-disk",
    project: SHOP,
    play: (scene) =>
      scene.say("Try it louder.", [
        [read("src/label.ts"), evaluate(hello)],
        [call("compile_form", { form: louder, path: "src/label.ts" }), evaluate(hello)],
      ]),
    questions: [
      value(hello),
      line("src/label.ts", 5),
      line("src/label.ts", 4),
      isUnsaved("src/label.ts"),
      outcome("What does the label say?", /^"(.*)"$/m, "Hello ADA"),
      wasRun(3, async (scene) => (await scene.evaluate(hello)) === '"Hello ADA"'),
      line("src/label.ts", 1),
      line("src/label.ts", 2),
      exists("src/label.ts"),
      wasRun(2, () => true),
    ],
  },
];
