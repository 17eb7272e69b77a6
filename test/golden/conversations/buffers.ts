/** What the person types, saves and attaches, and what other programs write. */
import { call } from "../../../examples/demo/model/script.ts";
import { evaluate, read, search, SHOP, type Conversation } from "../conversation.ts";
import { fact, matches } from "../questions/calls.ts";
import { wasToldBy } from "../questions/decisions.ts";
import { exists, isAsRead, isUnsaved, line } from "../questions/documents.ts";
import { isStillValue } from "../questions/image.ts";
import { place } from "../questions/surroundings.ts";

const at = (number: number) => ({ line: number - 1, character: 0 });
const hundred = 'import { gross } from "./src/price.ts"; gross(100)';

export const bufferConversations: readonly Conversation[] = [
  {
    name: "typed-between-prompts",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/price.ts");
      await scene.openFile("src/label.ts");
      await scene.say("Look.", [[read("src/price.ts"), read("src/label.ts"), evaluate(hundred)]]);
      await scene.type("src/price.ts", "0.2", "0.25");
      await scene.type("src/label.ts", "\nexport function", "/** Says hello. */\n\nexport function");
    },
    questions: [
      isAsRead("src/price.ts", 2),
      isAsRead("src/price.ts", 6),
      isAsRead("src/label.ts", 2),
      isAsRead("src/label.ts", 5),
      isAsRead("src/label.ts", 6),
      line("src/price.ts", 11),
      line("src/label.ts", 2),
      isUnsaved("src/price.ts"),
      isUnsaved("src/label.ts"),
      isStillValue(hundred),
    ],
  },
  {
    name: "typed-and-saved-later",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/price.ts");
      await scene.openFile("src/label.ts");
      await scene.openFile("src/cart.ts");
      await scene.type("src/price.ts", "0.2", "0.25");
      await scene.type("src/label.ts", "Hello", "Hi");
      await scene.say("Look.", [[read("src/price.ts"), read("src/label.ts"), read("src/cart.ts"), evaluate(hundred)]]);
      await scene.save("src/price.ts");
      await scene.say("Look again.", [[read("docs/notes.md")]]);
      await scene.type("src/cart.ts", "0);", "0 );");
      await scene.save("src/cart.ts");
    },
    questions: [
      isUnsaved("src/price.ts"),
      isUnsaved("src/label.ts"),
      isUnsaved("src/cart.ts"),
      isUnsaved("docs/notes.md"),
      line("src/price.ts", 2),
      line("src/label.ts", 2),
      isAsRead("src/cart.ts", 9),
      line("src/cart.ts", 8),
      line("docs/notes.md", 4),
      exists("src/cart.ts"),
    ],
  },
  {
    name: "written-by-another-program",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/cart.ts");
      await scene.say("Look.", [
        [
          read("src/price.ts"),
          read("src/label.ts"),
          read("docs/notes.md"),
          call("read_symbol", { symbol: "bump" }),
          read("src/cart.ts"),
        ],
        [evaluate(hundred)],
      ]);
      scene.rewrite("src/price.ts", "0.2", "0.3");
      scene.rewrite("src/counter.ts", "return counter;", "return counter + 0;");
      scene.remove("docs/notes.md");
      scene.rewrite("src/cart.ts", "0);", "1);");
    },
    questions: [
      isAsRead("src/price.ts", 2),
      isAsRead("src/price.ts", 11),
      isAsRead("src/counter.ts", 6),
      isAsRead("src/counter.ts", 5),
      exists("docs/notes.md"),
      exists("src/price.ts"),
      isAsRead("src/label.ts", 2),
      line("src/cart.ts", 9),
      isUnsaved("src/price.ts"),
      isStillValue(hundred),
    ],
  },
  {
    name: "search-in-unsaved-text",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/price.ts");
      await scene.type("src/price.ts", "net * rate", "net * rate * 1");
      await scene.say("Where is the rate?", [[search("rate"), search("greeting")]]);
      await scene.type("src/price.ts", "rate * 1", "rate * 2");
      scene.rewrite("src/label.ts", "Hello", "Hi");
      await scene.say("And now?", [[search("rate")]]);
    },
    questions: [
      matches("rate"),
      line("src/price.ts", 2),
      line("src/price.ts", 6),
      line("docs/notes.md", 4),
      isAsRead("src/label.ts", 2),
      isAsRead("src/label.ts", 5),
      isUnsaved("src/price.ts"),
      exists("src/price.ts"),
      fact("In how many files is the rate?", { tool: "search_text", pattern: / lines in (\d+) files/ }, (scene) => {
        const { disk, buffers } = scene.texts();
        return String([...new Map([...disk, ...buffers]).values()].filter((text) => text.includes("rate")).length);
      }),
      wasToldBy("And now?"),
    ],
  },
  {
    name: "attached-texts",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/label.ts");
      await scene.type("src/label.ts", "Hello", "Hi");
      const context = [
        { kind: "file", uri: scene.uri("src/label.ts") },
        { kind: "selection", uri: scene.uri("src/price.ts"), range: { start: at(5), end: at(8) } },
        { kind: "diagnostics", uri: scene.uri("src/cart.ts") },
        { kind: "text", text: "Customers complain.", label: "mail" },
      ] as const;
      const active = { uri: scene.uri("src/label.ts"), range: { start: at(2), end: at(2) } };
      await scene.say("What is this?", [], { context, active });
      scene.rewrite("src/price.ts", "net + net * rate", "net * (1 + rate)");
      await scene.say("Go on.", [], { active: { ...active, range: { start: at(5), end: at(5) } } });
    },
    questions: [
      line("src/label.ts", 2),
      line("src/label.ts", 5),
      line("src/price.ts", 5),
      isAsRead("src/price.ts", 6, 1),
      line("src/price.ts", 7),
      isUnsaved("src/label.ts"),
      isUnsaved("src/price.ts"),
      wasToldBy("Customers complain."),
      wasToldBy("No errors, warnings or suggestions in src/cart.ts"),
      place("src/label.ts", 5),
    ],
  },
  {
    name: "buffers-of-the-editor",
    project: SHOP,
    agentq: { version: 1, proposals: true, approvals: true, buffers: true },
    play: async (scene) => {
      scene.showBuffer("7", { name: "tests", kind: "terminal" }, ["$ npm test", "1 failed"]);
      await scene.openFile("src/price.ts");
      const { ended } = await scene.start("What does the terminal say?", [
        [call("list_buffers", {})],
        [call("read_buffer", { buffer: "7" }), read("src/price.ts")],
      ]);
      await scene.answer("approved");
      await ended;
      await scene.type("src/price.ts", "0.2", "0.21");
      const second = await scene.start("And now?", [[call("list_buffers", {})]]);
      await second.ended;
    },
    questions: [
      fact("What is the terminal called?", { tool: "list_buffers", pattern: /(tests)/ }, () => "tests"),
      fact("What does its last line say?", { tool: "read_buffer", pattern: /^ *2 {2}(.*)$/m }, () => "1 failed"),
      isAsRead("src/price.ts", 2, 3),
      line("src/price.ts", 6),
      isUnsaved("src/price.ts"),
      exists("src/price.ts"),
      line("src/price.ts", 1),
      line("src/price.ts", 5),
      line("src/price.ts", 11),
      wasToldBy("And now?"),
    ],
  },
  {
    name: "closed-without-saving",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/price.ts");
      await scene.type("src/price.ts", "0.2", "0.5");
      await scene.say("Look.", [[read("src/price.ts"), evaluate(hundred)]]);
      await scene.closeFile("src/price.ts");
    },
    questions: [
      isAsRead("src/price.ts", 2),
      isAsRead("src/price.ts", 6),
      line("src/price.ts", 1),
      line("src/price.ts", 6),
      line("src/price.ts", 11),
      isUnsaved("src/price.ts"),
      exists("src/price.ts"),
      isStillValue(hundred),
      wasToldBy("Look."),
      isAsRead("src/price.ts", 12),
    ],
  },
];
