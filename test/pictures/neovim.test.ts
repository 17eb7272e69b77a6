/**
 * The pictures of docs/neovim.md and README.md show what Neovim shows today. To take them anew:
 *
 *     AGENTQ_PICTURES=record npx vitest run test/pictures
 */
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { fixBug } from "../../examples/demo/scripts/fix-bug.ts";
import { proposeFix } from "../support/propose-fix.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "../nvim/neovim.ts";
import { describeNewestEditor } from "../support/editors.ts";
import { itAtLength } from "../support/extent.ts";
import { svgOf, textOf } from "./svg.ts";

const FILE = "src/allocate.ts";

/** Every call takes as long, and no time passes. */
const ALWAYS_THE_SAME = `
  local decode = vim.json.decode
  vim.json.decode = function(text, ...)
    return decode((text:gsub('("[a-z]+TimeMs":)[%d.]+', "%112"):gsub('("durationMs":)[%d.]+', "%112")), ...)
  end
  vim.uv.now = function() return 0 end
`;

const deploy = scriptOf("deploy", "evaluate with full rights", [
  reply(
    "The fix is in. I will write the refunds of this month out again.",
    call("eval_form", {
      form: `import { writeFileSync } from "node:fs";
import { allocate } from "./src/allocate.ts";
import { money } from "./src/money.ts";
const shares = allocate(money("-10.00 EUR"), [1, 1, 1]);
writeFileSync("refunds.csv", shares.join("\\n"))`,
    }),
  ),
  reply("Understood."),
]);

/** The text of a picture without what depends on the machine: what holds the REPL. */
function textAnywhere(svg: string): string {
  return textOf(svg).replace(/ · (walled|limited)/, "");
}

describeNewestEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function start(options: Partial<NeovimOptions>): Promise<void> {
    const before = `${ALWAYS_THE_SAME}\n${options.before ?? ""}`;
    nvim = await startNeovim({ editor, columns: 100, rows: 36, ...options, before });
    await nvim.command("set noshowcmd noruler shortmess+=F");
    await nvim.open(FILE);
    await nvim.untilReady();
  }

  /** Takes a picture, or waits until the screen is that of the kept one. */
  async function shows(name: string): Promise<void> {
    const file = new URL(`../../docs/pictures/neovim-${name}.svg`, import.meta.url);
    if (process.env["AGENTQ_PICTURES"] === "record") writeFileSync(file, svgOf(await nvim.picture()));
    const message = "the picture is out of date: AGENTQ_PICTURES=record takes it anew";
    await expect
      .poll(async () => textAnywhere(svgOf(await nvim.picture())), { timeout: 40_000, message })
      .toBe(textAnywhere(readFileSync(file, "utf8")));
  }

  /** Waits until the screen shows the texts, and the compiler is asked nothing. */
  async function settled(...texts: readonly string[]): Promise<void> {
    await nvim.until(`the screen shows ${texts.join(" and ")} and no check is under way`, async () => {
      const screen = await nvim.screen();
      return texts.every((text) => screen.includes(text)) && !screen.includes("checking…");
    });
  }

  itAtLength("shows a conversation in a picture", { timeout: 120_000 }, async () => {
    await start({ script: fixBug });
    await nvim.type(":AgentQ<CR>");
    await nvim.untilScreen("message · <C-s>");
    await nvim.type("Refunds lose a cent: find the bug and fix it<C-s><Esc>");
    await nvim.untilTranscript("describe_symbol 12 ms");
    await nvim.untilTranscript("eval_form 12 ms");
    await nvim.untilEvent("Proposal");
    await settled("2 hunks wait", "waits for your decision");
    await shows("chat");
  });

  it("shows a review in pictures", { timeout: 120_000 }, async () => {
    await start({ script: proposeFix });
    await nvim.lua("require('agentq').prompt(...)", "Fix it");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ close");
    await nvim.command("AgentQ review");
    await settled("▎hunk 1 of 2", "Math.floor(", "compiler: no new error");
    await shows("hunk");

    await nvim.command("AgentQ reviewall");
    await settled("2 left to decide", "compiler: no new error");
    await shows("review");
    await nvim.type("d");
    await settled("▎hunk 1 of 2", "allocate.ts as it is");
    await shows("diff");
  });

  itAtLength("shows a question about a dangerous call in a picture", { timeout: 120_000 }, async () => {
    await start({
      script: deploy,
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
        init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    await nvim.command("AgentQ prompt Write the refunds out again");
    await nvim.untilEvent("Approval");
    await nvim.untilScreen(":AgentQ question   reads");
    await nvim.command("AgentQ question");
    await nvim.untilScreen("writeFileSync");
    await shows("question");
  });

  itAtLength("shows the REPL in a picture", { timeout: 120_000 }, async () => {
    await start({ script: fixBug });
    await nvim.command("/splitEvenly");
    await nvim.command("AgentQ repl");
    await nvim.command("wincmd p");
    await nvim.command("AgentQ eval");
    await nvim.untilEvent("EvalDone");
    await nvim.command(".AgentQ eval totalWeight([1, 2])");
    await nvim.untilEvent("EvalDone", 2);
    await nvim.command('.AgentQ eval splitEvenly(new Money(-1000, "EUR"), 3)');
    await nvim.untilEvent("EvalDone", 3);
    await nvim.untilScreen("> splitEvenly(new Money", "$3 = ");
    await shows("repl");
  });
});
