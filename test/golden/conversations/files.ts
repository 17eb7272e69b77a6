/** Whole files: created, moved, deleted, and names that change in several of them. */
import { call } from "../../../examples/demo/model/script.ts";
import { evaluate, propose, read, replace, search, SHOP, type Conversation } from "../conversation.ts";
import { fact, matches } from "../questions/calls.ts";
import { decision, reason } from "../questions/decisions.ts";
import { exists, isAsRead, isUnsaved, line } from "../questions/documents.ts";
import { value } from "../questions/image.ts";

const charge = 'import { total } from "./src/cart.ts"; total([{ net: 10, pieces: 2 }])';

export const fileConversations: readonly Conversation[] = [
  {
    name: "files-created-moved-deleted",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Put the cart into a folder.", [
        [read("src/cart.ts"), read("docs/notes.md"), read("src/label.ts")],
        [
          propose(
            { op: "create", path: "src/shop/tax.ts", modified: "export const tax = 0.2;\n" },
            { op: "move", path: "src/cart.ts", to: "src/shop/cart.ts" },
            { op: "delete", path: "docs/notes.md" },
          ),
        ],
      ]);
      await scene.decide({ h1: "accept", h2: "accept", h3: "accept", h4: "accept" });
      await ended;
    },
    questions: [
      decision(1, "h1"),
      decision(1, "h4"),
      exists("src/shop/tax.ts"),
      exists("src/shop/cart.ts"),
      exists("src/cart.ts"),
      exists("docs/notes.md"),
      line("src/shop/tax.ts", 1),
      line("src/shop/cart.ts", 8),
      line("src/label.ts", 2),
      isUnsaved("src/shop/tax.ts"),
    ],
  },
  {
    name: "file-moved-and-its-importers",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Put the prices into a folder.", [
        [read("src/cart.ts"), read("src/price.ts"), evaluate(charge)],
        [propose({ op: "move", path: "src/price.ts", to: "src/money/price.ts" })],
        [evaluate(charge)],
      ]);
      await scene.decideAll();
      await ended;
    },
    questions: [
      exists("src/money/price.ts"),
      exists("src/price.ts"),
      exists("src/cart.ts"),
      isAsRead("src/cart.ts", 1),
      line("src/money/price.ts", 2),
      line("src/money/price.ts", 11),
      line("src/money/price.ts", 6),
      decision(1, "h1"),
      isUnsaved("src/cart.ts"),
      value(charge),
    ],
  },
  {
    name: "symbol-renamed",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/price.ts");
      const { ended } = await scene.start("Call it withTax.", [
        [read("src/cart.ts"), read("src/price.ts"), read("test/price.test.ts"), evaluate(charge)],
        [call("rename_symbol", { symbol: "src/price.ts#gross", new_name: "withTax" })],
        [search("withTax"), evaluate(charge)],
      ]);
      await scene.decideAll();
      await ended;
    },
    questions: [
      line("src/price.ts", 5),
      line("src/price.ts", 6),
      line("src/cart.ts", 1),
      line("src/cart.ts", 9),
      line("test/price.test.ts", 3),
      line("test/price.test.ts", 6),
      matches("withTax"),
      isUnsaved("src/price.ts"),
      value(charge),
      fact("Is the string in the tests renamed?", { tool: "rename_symbol", pattern: /(Left alone)/ }, (scene) =>
        scene.disk("test/price.test.ts")?.includes('"gross adds') === true ? "Left alone" : "not told",
      ),
    ],
  },
  {
    name: "many-files-in-one-proposal",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/price.ts");
      await scene.type("src/price.ts", "Value-added tax", "The value-added tax");
      const { ended } = await scene.start("Another rate.", [
        [read("src/price.ts"), read("docs/notes.md"), read("src/label.ts"), read("src/cart.ts")],
        [
          propose(
            replace("src/price.ts", "rate = 0.2", "rate = 0.25"),
            replace("docs/notes.md", "The rate is 0.2.", "The rate is 0.25."),
            replace("src/label.ts", "Hello", "Hi"),
            { op: "insert_at_start", path: "src/cart.ts", modified: "// The cart." },
          ),
        ],
        [evaluate('import { gross } from "./src/price.ts"; gross(100)')],
      ]);
      await scene.decide({ h1: "accept", h2: { reject: "the notes are mine" }, h3: "accept", h4: "accept" });
      await ended;
    },
    questions: [
      decision(1, "h1"),
      decision(1, "h2"),
      reason(1, "h2"),
      line("src/price.ts", 1),
      line("src/price.ts", 2),
      line("docs/notes.md", 4),
      line("src/label.ts", 2),
      line("src/cart.ts", 2),
      isUnsaved("src/price.ts"),
      value('import { gross } from "./src/price.ts"; gross(100)'),
    ],
  },
];
