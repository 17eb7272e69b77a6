/** Calls of one reply, with a change in the middle. */
import { call } from "../../../examples/demo/model/script.ts";
import { evaluate, propose, read, replace, search, SHOP, type Conversation } from "../conversation.ts";
import { fact, failedTests, isCurrent, matches, wasRun } from "../questions/calls.ts";
import { decision } from "../questions/decisions.ts";
import { exists, isUnsaved, line } from "../questions/documents.ts";
import { value } from "../questions/image.ts";

const counter = 'import { counter } from "./src/counter.ts"; counter';
const bump = 'import { bump } from "./src/counter.ts"; bump()';
const cheaper = replace("src/price.ts", "pieces > 10", "pieces >= 10");

export const orderConversations: readonly Conversation[] = [
  {
    name: "batch-with-a-change-of-state",
    project: SHOP,
    play: (scene) =>
      scene.say("All at once.", [
        [
          evaluate("let kept = 1"),
          read("src/counter.ts"),
          evaluate(bump),
          evaluate(counter),
          call("inspect_object", { value: "kept" }),
          evaluate("kept = 2"),
          call("inspect_object", { value: "kept" }),
          search("counter"),
        ],
      ]),
    questions: [
      value(counter),
      isCurrent(2),
      isCurrent(7),
      isCurrent(8),
      line("src/counter.ts", 2),
      line("src/counter.ts", 5),
      matches("counter"),
      wasRun(3, async (scene) => (await scene.evaluate(counter)) === "1"),
      wasRun(6, async (scene) => (await scene.evaluate("kept")) === "2"),
      fact("What is kept?", { tool: "inspect_object", pattern: /\b(\d)\b/ }, (scene) => scene.evaluate("kept")),
    ],
  },
  {
    name: "batch-with-a-proposal",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/price.ts");
      const { ended } = await scene.start("All at once.", [
        [
          read("docs/notes.md"),
          propose(cheaper, replace("src/label.ts", "Hello", "Hi")),
          read("src/price.ts"),
          search("pieces >"),
          read("src/label.ts"),
          evaluate('import { discounted } from "./src/price.ts"; discounted(100, 10)'),
          call("who_calls", { symbol: "discounted" }),
        ],
      ]);
      await scene.decide({ h1: "accept", h2: "reject" });
      await ended;
    },
    questions: [
      decision(1, "h1"),
      decision(1, "h2"),
      isCurrent(3),
      isCurrent(4),
      isCurrent(5),
      isCurrent(7),
      line("src/price.ts", 11),
      line("src/label.ts", 2),
      isUnsaved("src/price.ts"),
      value('import { discounted } from "./src/price.ts"; discounted(100, 10)'),
    ],
  },
  {
    name: "tests-before-and-after",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Make the tests pass.", [
        [read("src/price.ts"), call("run_tests", {})],
        [propose(cheaper), call("run_tests", {})],
        [call("get_diagnostics", { path: "src/price.ts" })],
      ]);
      await scene.decide({ h1: "accept" });
      await ended;
    },
    questions: [
      failedTests(),
      decision(1, "h1"),
      line("src/price.ts", 11),
      line("src/price.ts", 10),
      isUnsaved("src/price.ts"),
      isCurrent(1 + 4),
      fact("Is src/price.ts without errors?", { tool: "get_diagnostics", pattern: /^(No errors)/ }, () => "No errors"),
      wasRun(4, () => true),
      line("src/price.ts", 2),
      exists("src/price.ts"),
    ],
  },
];
