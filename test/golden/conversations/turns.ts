/** Turns that do not go the model's way: cancelled, refused, wrong calls, words in between. */
import { call } from "../../../examples/demo/model/script.ts";
import { evaluate, propose, read, replace, SHOP, type Conversation } from "../conversation.ts";
import { fact, wasRun } from "../questions/calls.ts";
import { decision, wasToldBy } from "../questions/decisions.ts";
import { exists, isUnsaved, line } from "../questions/documents.ts";
import { value } from "../questions/image.ts";
import { isSaidOnce } from "../questions/surroundings.ts";

const isSet = (name: string) => async (scene: Parameters<Conversation["play"]>[0]) =>
  (await scene.evaluate(`typeof globalThis.${name}`)) !== '"undefined"';

export const turnConversations: readonly Conversation[] = [
  {
    name: "cancelled-in-the-middle",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Do this.", [
        [
          read("src/price.ts"),
          evaluate("globalThis.one = 1"),
          evaluate(
            "globalThis.two = 2; console.log('waiting'); await new Promise((resolve) => setTimeout(resolve, 20_000)); globalThis.three = 3",
          ),
          evaluate("globalThis.four = 4"),
          read("src/label.ts"),
        ],
      ]);
      await scene.untilPrinted("waiting");
      await scene.cancel();
      await ended;
    },
    questions: [
      wasRun(1, () => true),
      wasRun(2, isSet("one")),
      wasRun(3, isSet("two")),
      wasRun(4, isSet("four")),
      wasRun(5, (scene) => JSON.stringify(scene.last()).includes("The words on a parcel")),
      line("src/price.ts", 2),
      line("src/price.ts", 11),
      isUnsaved("src/price.ts"),
      exists("src/price.ts"),
      wasToldBy("Where do we stand?"),
    ],
  },
  {
    name: "refused-by-the-person",
    project: SHOP,
    options: { policy: { ask: ["eval_form"], deny: ["edit(docs/**)", "restart_repl"] } },
    play: async (scene) => {
      const { ended } = await scene.start("Do this.", [
        [evaluate("globalThis.one = 1"), read("docs/notes.md")],
        [evaluate("globalThis.two = 2")],
        [propose(replace("docs/notes.md", "0.2", "0.3")), call("restart_repl", {})],
      ]);
      await scene.answer("denied", "Not on my machine.");
      await scene.answer("approved");
      await ended;
    },
    questions: [
      wasRun(1, () => false),
      wasRun(2, () => true),
      wasRun(3, () => true),
      wasRun(5, () => false),
      wasToldBy("Not on my machine."),
      line("docs/notes.md", 4),
      line("docs/notes.md", 3),
      isUnsaved("docs/notes.md"),
      exists("docs/notes.md"),
      fact("What did the second form give?", { tool: "eval_form", pattern: /^(\d+)\n/ }, () => "2"),
    ],
  },
  {
    name: "wrong-calls",
    project: SHOP,
    play: (scene) =>
      scene.say("Do this.", [
        [
          read("src/prise.ts"),
          call("read_minds", {}),
          call("read_file", {}),
          call("describe_symbol", { symbol: "nothing_like_it" }),
          call("read_file", '{ "path": '),
          evaluate("throw new TypeError('on purpose')"),
          propose(replace("src/price.ts", "not in there", "x")),
          read("src/price.ts", { start: 40 }),
          read("src/price.ts"),
        ],
      ]),
    questions: [
      exists("src/prise.ts"),
      exists("src/price.ts"),
      wasRun(2, () => false),
      wasRun(5, () => false),
      wasRun(6, () => true),
      line("src/price.ts", 2),
      line("src/price.ts", 11),
      isUnsaved("src/price.ts"),
      fact("How long is src/price.ts?", { tool: "read_file", pattern: /, (\d+) lines\)/ }, (scene) =>
        String((scene.text("src/price.ts") ?? "").trimEnd().split("\n").length),
      ),
      fact("Which file was meant?", { tool: "propose_edits", pattern: /(src\/price\.ts)/ }, () => "src/price.ts"),
    ],
  },
  {
    name: "words-in-between",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Tidy up.", [
        [read("src/label.ts"), propose(replace("src/label.ts", "Hello", "Hi"))],
        [evaluate('import { label } from "./src/label.ts"; label("x")')],
      ]);
      await scene.start("And leave the prices alone.");
      await scene.decide({ h1: "accept" });
      await ended;
    },
    questions: [
      wasToldBy("And leave the prices alone."),
      isSaidOnce(/And leave the prices alone/),
      decision(1, "h1"),
      line("src/label.ts", 2),
      line("src/label.ts", 5),
      isUnsaved("src/label.ts"),
      exists("src/label.ts"),
      value('import { label } from "./src/label.ts"; label("x")'),
      wasRun(2, () => true),
      wasRun(3, () => true),
    ],
  },
];
