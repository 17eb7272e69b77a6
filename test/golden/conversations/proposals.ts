/** What becomes of what the model proposes. */
import { AS_PATCH } from "../../../server/src/terminal/answers.ts";
import { evaluate, propose, read, replace, SHOP, type Conversation } from "../conversation.ts";
import { wasRun } from "../questions/calls.ts";
import { decision, isInFile, reason, wasToldBy } from "../questions/decisions.ts";
import { exists, isAsRead, isUnsaved, line } from "../questions/documents.ts";
import { value } from "../questions/image.ts";

const cheaper = replace("src/price.ts", "pieces > 10", "pieces >= 10");
const greeting = replace("src/label.ts", "Hello", "Good day");
const ten = 'import { discounted } from "./src/price.ts"; discounted(100, 10)';
const both = [read("src/price.ts"), read("src/label.ts")];

export const proposalConversations: readonly Conversation[] = [
  {
    name: "proposal-accepted",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/price.ts");
      const { ended } = await scene.start("Ten pieces must be cheaper.", [
        [...both, evaluate(ten)],
        [propose(cheaper, greeting)],
        [evaluate(ten)],
      ]);
      await scene.decide({ h1: "accept", h2: "accept" });
      await ended;
    },
    questions: [
      decision(1, "h1"),
      decision(1, "h2"),
      line("src/price.ts", 11),
      line("src/price.ts", 2),
      line("src/label.ts", 2),
      line("src/label.ts", 5),
      isUnsaved("src/price.ts"),
      isUnsaved("src/label.ts"),
      exists("src/price.ts"),
      value(ten),
    ],
  },
  {
    name: "proposal-rejected",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Ten pieces must be cheaper.", [
        [...both, evaluate(ten)],
        [propose(cheaper, greeting)],
      ]);
      await scene.decide(
        { h1: { reject: "the law says eleven" }, h2: { reject: "we say Hello" } },
        { message: "Ask me first." },
      );
      await ended;
    },
    questions: [
      decision(1, "h1"),
      reason(1, "h1"),
      decision(1, "h2"),
      reason(1, "h2"),
      wasToldBy("Ask me first."),
      line("src/price.ts", 11),
      line("src/label.ts", 2),
      isUnsaved("src/price.ts"),
      isUnsaved("src/label.ts"),
      value(ten),
    ],
  },
  {
    name: "proposal-partly-accepted",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/label.ts");
      await scene.type("src/label.ts", "!", "!!");
      const { ended } = await scene.start("Tidy up.", [
        both,
        [
          propose(cheaper, greeting, replace("src/label.ts", "words on", "words upon"), {
            op: "create",
            path: "src/tax.ts",
            modified: "export const tax = 0.2;\n",
          }),
        ],
      ]);
      await scene.decide({ h1: { reject: "not now" }, h2: "accept", h3: "accept" });
      await ended;
    },
    questions: [
      decision(1, "h1"),
      reason(1, "h1"),
      decision(1, "h2"),
      decision(1, "h3"),
      line("src/price.ts", 11),
      line("src/label.ts", 1),
      line("src/label.ts", 2),
      line("src/label.ts", 5),
      isUnsaved("src/label.ts"),
      exists("src/tax.ts"),
    ],
  },
  {
    name: "proposal-edited-by-the-person",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Ten pieces must be cheaper.", [
        both,
        [propose(cheaper, greeting)],
        [evaluate(ten)],
      ]);
      await scene.decide({
        h1: { edit: "  return pieces >= 10 ? net * 0.8 : net;\n" },
        h2: { edit: 'export const greeting = "Hey";\n' },
      });
      await ended;
    },
    questions: [
      decision(1, "h1"),
      decision(1, "h2"),
      line("src/price.ts", 11),
      line("src/price.ts", 10),
      line("src/price.ts", 12),
      line("src/label.ts", 2),
      line("src/label.ts", 4),
      isUnsaved("src/price.ts"),
      isUnsaved("src/label.ts"),
      value(ten),
    ],
  },
  {
    name: "proposal-withdrawn",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Tidy up.", [
        [...both, propose(cheaper, greeting), evaluate("globalThis.ran = 1")],
      ]);
      await scene.proposal();
      await scene.cancel();
      await ended;
    },
    questions: [
      decision(1, "h1"),
      decision(1, "h2"),
      wasRun(1, () => true),
      wasRun(2, () => true),
      wasRun(4, async (scene) => (await scene.evaluate("globalThis.ran")) === "1"),
      line("src/price.ts", 11),
      line("src/label.ts", 2),
      isUnsaved("src/price.ts"),
      isUnsaved("src/label.ts"),
      exists("src/price.ts"),
    ],
  },
  {
    name: "proposal-in-conflict",
    project: SHOP,
    play: async (scene) => {
      await scene.openFile("src/price.ts");
      const { ended } = await scene.start("Tidy up.", [
        both,
        [propose(cheaper, greeting)],
        [read("src/price.ts", { start: 9 })],
      ]);
      const { proposalId } = await scene.proposal();
      await scene.type("src/price.ts", "pieces > 10", "pieces > 11");
      await scene.untilHunk(proposalId, "h1", "conflict");
      await scene.decideAbout(proposalId, { h1: { reject: "eleven it is" }, h2: "accept" });
      await ended;
    },
    questions: [
      decision(1, "h1"),
      reason(1, "h1"),
      decision(1, "h2"),
      line("src/price.ts", 11),
      line("src/price.ts", 10),
      line("src/label.ts", 2),
      isUnsaved("src/price.ts"),
      isUnsaved("src/label.ts"),
      exists("src/label.ts"),
      wasRun(4, () => true),
    ],
  },
  {
    name: "proposal-and-stop",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Tidy up.", [
        both,
        [propose(cheaper, greeting), evaluate("globalThis.ran = 1"), read("docs/notes.md")],
      ]);
      await scene.decide({ h1: "accept", h2: "reject" }, { message: "I go on myself.", then: "stop" });
      await ended;
    },
    questions: [
      decision(1, "h1"),
      decision(1, "h2"),
      wasToldBy("I go on myself."),
      wasRun(4, async (scene) => (await scene.evaluate("globalThis.ran")) === "1"),
      wasRun(5, (scene) => JSON.stringify(scene.last()).includes("sold for the price of ten")),
      line("src/price.ts", 11),
      line("src/price.ts", 1),
      line("src/label.ts", 2),
      isUnsaved("src/price.ts"),
      exists("src/label.ts"),
    ],
  },
  {
    name: "proposal-taken-back-later",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Tidy up.", [both, [propose(cheaper, greeting)]]);
      await scene.decide({ h1: "accept", h2: "accept" });
      await ended;
      const [first] = scene.proposals;
      await scene.request("agentq/undoProposal", { proposalId: first ?? "", hunkIds: ["h1"] });
      await scene.decide({ h1: "accept" });
      await scene.untilTakenBack(first ?? "", "h1");
    },
    questions: [
      decision(1, "h1"),
      decision(1, "h2"),
      isInFile(1, "h1", "src/price.ts", "pieces >= 10"),
      isInFile(1, "h2", "src/label.ts", "Good day"),
      isAsRead("src/price.ts", 11, 3),
      isAsRead("src/price.ts", 2),
      isAsRead("src/label.ts", 2, 3),
      line("src/price.ts", 2),
      line("src/label.ts", 2),
      line("src/label.ts", 5),
      isUnsaved("src/price.ts"),
      exists("src/price.ts"),
    ],
  },
  {
    name: "proposal-taken-back-in-the-turn",
    project: SHOP,
    play: async (scene) => {
      const words = replace("src/label.ts", "words on", "words upon");
      const { ended } = await scene.start("Tidy up.", [both, [propose(cheaper, greeting)], [propose(words)], []]);
      await scene.decide({ h1: "accept", h2: "accept" });
      const [first] = scene.proposals;
      const { proposalId } = await scene.proposal();
      await scene.request("agentq/undoProposal", { proposalId: first ?? "", hunkIds: ["h1"] });
      await scene.decide({ h1: "accept" });
      await scene.untilTakenBack(first ?? "", "h1");
      await scene.decideAbout(proposalId, { h1: "accept" });
      await ended;
    },
    questions: [
      decision(1, "h1"),
      decision(2, "h1"),
      isInFile(1, "h1", "src/price.ts", "pieces >= 10"),
      isInFile(1, "h2", "src/label.ts", "Good day"),
      line("src/label.ts", 5),
      isUnsaved("src/price.ts"),
      isUnsaved("src/label.ts"),
      line("src/label.ts", 2),
      line("src/price.ts", 2),
      exists("src/price.ts"),
    ],
  },
  {
    name: "proposal-made-by-the-editor",
    project: SHOP,
    play: async (scene) => {
      const made = "export const tax = 0.2;\n";
      const { ended } = await scene.start("Add a tax.", [
        both,
        [propose({ op: "create", path: "src/tax.ts", modified: made }, { op: "delete", path: "src/label.ts" })],
      ]);
      const { proposalId } = await scene.proposal();
      scene.write("src/tax.ts", made);
      scene.remove("src/label.ts");
      await scene.untilHunk(proposalId, "h1", "conflict");
      await scene.untilHunk(proposalId, "h2", "conflict");
      await scene.decideAbout(proposalId, { h1: "accept", h2: "accept" });
      await ended;
    },
    questions: [
      decision(1, "h1"),
      decision(1, "h2"),
      exists("src/tax.ts"),
      exists("src/label.ts"),
      isUnsaved("src/tax.ts"),
      wasRun(1, () => true),
      wasRun(2, () => true),
      wasToldBy("Add a tax."),
      wasToldBy("Where do we stand?"),
      exists("src/price.ts"),
    ],
  },
  {
    name: "proposal-left-as-a-patch",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Tidy up.", [both, [propose(cheaper, greeting)]]);
      await scene.decide({ h1: { byProgram: AS_PATCH }, h2: { byProgram: AS_PATCH } });
      await ended;
    },
    questions: [
      decision(1, "h1"),
      decision(1, "h2"),
      line("src/price.ts", 11),
      line("src/label.ts", 2),
      isUnsaved("src/price.ts"),
      isUnsaved("src/label.ts"),
    ],
  },
  {
    name: "proposal-opened-again",
    project: SHOP,
    play: async (scene) => {
      const { ended } = await scene.start("Tidy up.", [both, [propose(cheaper, greeting)]]);
      const { proposalId } = await scene.proposal();
      await scene.decideAbout(proposalId, { h1: { reject: "not yet" } });
      await scene.request("agentq/reopenProposal", { proposalId, hunkIds: ["h1"] });
      await scene.decide({ h1: "accept" });
      await scene.untilHunk(proposalId, "h1", "accepted");
      await scene.decideAbout(proposalId, { h2: { reject: "we say Hello" } });
      await ended;
      await scene.request("agentq/reopenProposal", { proposalId, hunkIds: ["h2"] });
      await scene.decide({ h1: "accept" });
      await scene.untilHunk(proposalId, "h2", "accepted");
    },
    questions: [
      isInFile(1, "h1", "src/price.ts", "pieces >= 10"),
      isInFile(1, "h2", "src/label.ts", "Good day"),
      isUnsaved("src/price.ts"),
      isUnsaved("src/label.ts"),
      line("src/label.ts", 1),
      line("src/label.ts", 5),
      isAsRead("src/price.ts", 2),
      isAsRead("src/price.ts", 11, 3),
      exists("src/price.ts"),
      exists("src/label.ts"),
    ],
  },
];
