/** What surrounds the project: git, instructions, other kinds of projects. */
import { call } from "../../../examples/demo/model/script.ts";
import { evaluate, propose, read, replace, search, SHOP, type Conversation } from "../conversation.ts";
import { matches } from "../questions/calls.ts";
import { decision } from "../questions/decisions.ts";
import { exists, isAsRead, isUnsaved, line } from "../questions/documents.ts";
import { branch, instructs, isChangedInGit } from "../questions/surroundings.ts";

export const projectConversations: readonly Conversation[] = [
  {
    name: "instructions-changed",
    project: SHOP,
    prepare: (scene) => {
      scene.write("AGENTS.md", "Write short comments.\n");
      scene.write("docs/AGENTS.md", "Documents are in English.\n");
    },
    play: async (scene) => {
      await scene.say("Look.", [[read("docs/notes.md"), read("src/price.ts")]]);
      scene.write("AGENTS.md", "Write no comments.\n");
      await scene.say("Look again.", [[read("src/label.ts")]]);
    },
    questions: [
      instructs("AGENTS.md", "Write no comments."),
      instructs("AGENTS.md", "Write short comments."),
      instructs("docs/AGENTS.md", "Documents are in English."),
      instructs("docs/AGENTS.md", "Documents are in Latin."),
      line("docs/notes.md", 3),
      line("src/price.ts", 2),
      line("src/label.ts", 2),
      isUnsaved("src/price.ts"),
      exists("docs/notes.md"),
      isAsRead("src/price.ts", 11),
    ],
  },
  {
    name: "another-branch",
    project: SHOP,
    prepare: (scene) => {
      scene.git("init", "-q", "-b", "main");
      scene.git("add", ".");
      scene.git("commit", "-q", "-m", "First");
    },
    play: async (scene) => {
      await scene.say("Look.", [[read("src/price.ts"), read("src/label.ts"), read("docs/notes.md")]]);
      scene.git("checkout", "-q", "-b", "dearer");
      scene.rewrite("src/price.ts", "0.2", "0.3");
      scene.git("commit", "-q", "-a", "-m", "Dearer");
      await scene.say("Look again.", [[read("src/price.ts")]]);
      scene.git("checkout", "-q", "main");
      scene.noticed("src/price.ts");
    },
    questions: [
      branch(),
      isAsRead("src/price.ts", 2, 4),
      isAsRead("src/price.ts", 11, 4),
      line("src/price.ts", 11),
      line("src/label.ts", 2),
      line("docs/notes.md", 4),
      isUnsaved("src/price.ts"),
      exists("src/price.ts"),
      exists("docs/notes.md"),
      isAsRead("src/label.ts", 2),
    ],
  },
  {
    name: "secret-in-git",
    project: SHOP,
    prepare: (scene) => {
      scene.write(".npmrc", "color=false\n");
      scene.git("init", "-q", "-b", "main");
      scene.git("add", "-f", ".");
      scene.git("commit", "-q", "-m", "First");
    },
    play: async (scene) => {
      await scene.say("What have I changed?", [
        [read("src/price.ts"), read("src/label.ts"), read("docs/notes.md")],
        [call("run_command", { command: "git status --short" })],
      ]);
    },
    questions: [
      branch(),
      isChangedInGit(".npmrc"),
      isChangedInGit("src/price.ts"),
      isUnsaved("src/price.ts"),
      exists("src/price.ts"),
      exists("docs/notes.md"),
      line("src/price.ts", 11),
      line("src/label.ts", 2),
      line("docs/notes.md", 4),
      isAsRead("src/price.ts", 2),
    ],
  },
  {
    name: "another-project-in-commonjs",
    project: "test/fixtures/commonjs-project",
    play: async (scene) => {
      await scene.openFile("src/foo.js");
      const { ended } = await scene.start("Look.", [
        [read("src/foo.js"), read("src/stack.js"), search("require("), evaluate('require("./src/foo.js")')],
        [call("list_directory", { path: "src" })],
        [propose({ op: "create", path: "src/extra.js", modified: "module.exports = 5;\n" })],
        [evaluate('require("./src/extra.js")')],
      ]);
      await scene.decide({ h1: "accept" });
      await ended;
      await scene.type("src/foo.js", "\n", "\n// foo\n");
    },
    questions: [
      exists("src/extra.js"),
      line("src/extra.js", 1),
      decision(1, "h1"),
      line("src/stack.js", 4),
      line("src/stack.js", 2),
      line("src/stack.js", 5),
      line("src/foo.js", 1),
      isAsRead("src/foo.js", 3),
      isUnsaved("src/foo.js"),
      isUnsaved("src/stack.js"),
    ],
  },
  {
    name: "invoices",
    project: "examples/invoices",
    play: async (scene) => {
      await scene.openFile("src/tax.ts");
      const { ended } = await scene.start("Look.", [
        [
          read("src/money.ts"),
          call("read_symbol", { symbol: "src/tax.ts#taxOf" }),
          call("who_calls", { symbol: "allocate" }),
        ],
        [read("src/allocate.ts"), search("round")],
        [
          propose(
            replace(
              "src/allocate.ts",
              "const whole = totalWeight(weights);",
              "const whole = totalWeight(weights); // all",
            ),
          ),
        ],
      ]);
      await scene.decide({ h1: { reject: "no comments, please" } });
      await ended;
      scene.write("src/money.ts", `// Money.\n${scene.disk("src/money.ts") ?? ""}`);
    },
    questions: [
      decision(1, "h1"),
      line("src/allocate.ts", 1),
      line("src/allocate.ts", 5),
      isAsRead("src/money.ts", 1),
      isAsRead("src/money.ts", 3),
      isUnsaved("src/money.ts"),
      isUnsaved("src/tax.ts"),
      isUnsaved("src/allocate.ts"),
      exists("src/allocate.ts"),
      matches("round"),
    ],
  },
];
