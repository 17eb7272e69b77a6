/** Much text: answers that are cut and paged, what is said once, many rounds. */
import { call } from "../../../examples/demo/model/script.ts";
import { evaluate, read, search, SHOP, type Conversation } from "../conversation.ts";
import type { Scene } from "../scene.ts";
import { fact, isCurrent, matches } from "../questions/calls.ts";
import { exists, isUnsaved, line } from "../questions/documents.ts";
import { value } from "../questions/image.ts";
import { isSaidOnce } from "../questions/surroundings.ts";

const LINES = 900;
const long = (scene: Scene): void =>
  scene.write(
    "src/long.ts",
    Array.from({ length: LINES }, (_, index) => `export const n${index} = ${index};\n`).join(""),
  );

export const longConversations: readonly Conversation[] = [
  {
    name: "cut-and-read-on",
    project: SHOP,
    prepare: long,
    play: (scene) =>
      scene.say("Read.", [
        [read("src/long.ts")],
        [read("src/long.ts", { start: 895 }), read("src/long.ts:410-412")],
        [evaluate("Array.from({ length: 1000 }, (_, index) => index * index)"), search("export const n8")],
      ]),
    questions: [
      line("src/long.ts", 1),
      line("src/long.ts", 400),
      line("src/long.ts", 410),
      line("src/long.ts", 412),
      line("src/long.ts", 900),
      exists("src/long.ts"),
      isUnsaved("src/long.ts"),
      matches("export const n8"),
      fact("How many lines are there?", { tool: "read_file", pattern: /, (\d+) lines\)/ }, () => String(LINES)),
      fact(
        "Is the value shown whole?",
        { tool: "eval_form", pattern: /(inspect_object|more items)/ },
        () => "inspect_object",
      ),
    ],
  },
  {
    name: "notes-said-once",
    project: SHOP,
    play: async (scene) => {
      await scene.say("Who calls?", [
        [call("who_calls", { symbol: "gross" }), call("who_calls", { symbol: "discounted" })],
        [call("who_references", { symbol: "rate" }), call("who_calls", { symbol: "label" })],
      ]);
      await scene.say("Once more.", [[call("who_calls", { symbol: "gross" })]]);
    },
    questions: [
      isSaidOnce(/Searched tsconfig\.json/),
      isSaidOnce(/Walled by the operating system/),
      isSaidOnce(/\[About the project/),
      fact("Who calls gross?", { tool: "who_calls", pattern: /^(\d+) call sites? in/m }, (scene) =>
        String([...scene.texts().disk.values()].join("\n").match(/\bgross\((?!net: )/g)?.length),
      ),
      line("src/cart.ts", 9),
      line("test/price.test.ts", 6),
      isCurrent(2),
      isCurrent(3),
      isCurrent(4),
      isCurrent(5),
    ],
  },
  {
    name: "many-rounds",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/price.ts");
      await scene.say("First.", [[read("src/price.ts"), read("src/label.ts")]]);
      for (let round = 1; round <= 15; round += 1) {
        await scene.type(
          "src/price.ts",
          /rate = \S+;/.exec(scene.text("src/price.ts") ?? "")?.[0] ?? "",
          `rate = 0.${round};`,
        );
        await scene.say(`Round ${round}.`, [
          [evaluate('import { bump } from "./src/counter.ts"; bump()'), read("src/price.ts:2-2")],
        ]);
      }
      await scene.say("How many?", [[evaluate('import { counter } from "./src/counter.ts"; counter')]]);
    },
    questions: [
      line("src/price.ts", 2),
      line("src/price.ts", 6),
      line("src/price.ts", 11),
      line("src/label.ts", 2),
      line("src/label.ts", 5),
      isUnsaved("src/price.ts"),
      isUnsaved("src/label.ts"),
      exists("src/price.ts"),
      value('import { counter } from "./src/counter.ts"; counter'),
      isSaidOnce(/\[About the project/),
    ],
  },
  {
    name: "compacted-in-between",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/price.ts");
      await scene.say("First.", [
        [read("src/price.ts"), read("src/label.ts")],
        [evaluate("const kept = 41 + 1; kept")],
      ]);
      await scene.say("Second.", [[read("src/cart.ts")]]);
      await scene.type("src/price.ts", "rate = ", "rate = 2 * ");
      await scene.say("/compact the prices", [["The person looks at src/price.ts; kept is 42."]]);
      await scene.say("Third.", [[read("src/price.ts:2-2")]]);
    },
    questions: [
      line("src/price.ts", 2),
      isUnsaved("src/price.ts"),
      exists("src/price.ts"),
      isSaidOnce(/\[About the project/),
      isSaidOnce(/The person looks at src\/price\.ts; kept is 42\./),
    ],
  },
];
