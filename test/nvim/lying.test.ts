/** Editors that apply something else than they say, as plugins and settings make them: what the model is told stays true. */
import { readFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { runsAll } from "../support/extent.ts";
import { proposeFix } from "../support/propose-fix.ts";
import { lastToolResult } from "./model-words.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const FILE = "src/allocate.ts";

/** Puts a function around the one that applies edits; `apply` is the real one. */
function applying(body: string): string {
  return `
    local module = require("agentq.review.apply")
    local apply = module.apply
    module.apply = function(connection, edit) ${body} end`;
}

/** Puts a function around the one that sends requests; `send(params)` sends `agentq/didApply`. */
function confirming(body: string): string {
  return `
    local client = require("agentq.client")
    local request = client.request
    client.request = function(connection, method, params, done, bufnr)
      local function send(given) return request(connection, method, given, done, bufnr) end
      if method ~= "agentq/didApply" then return send(params) end
      ${body}
    end`;
}

/** Does something behind the editor's back as soon as the file was written. */
function afterWriting(lua: string): string {
  return `vim.api.nvim_create_autocmd("BufWritePost", { once = true, callback = function() ${lua} end })`;
}

interface Behaviour {
  readonly title: string;
  readonly lua: string;
  /** What the model reads, and what it must not read. */
  readonly told: RegExp;
  readonly never?: RegExp;
  /** What the disk holds in the end. */
  readonly disk: RegExp;
}

const FIXED = /Math\.floor\(\(total\.cents[^]*Array\.from/;
const UNFIXED = /^(?![^]*Math\.floor\(\(total)[^]*Math\.trunc/;
const ALL = /APPLIED: all/;

/** What happens around an edit in a real editor. */
const accidents: readonly Behaviour[] = [
  {
    title: "formats the applied lines as soon as it has saved them",
    lua: afterWriting(`vim.cmd("silent %s/Math.floor/Math .floor/ge | noautocmd silent write")`),
    told: /hunk h1 .*(?:NOT there any more|NOT confirmed)|src\/allocate\.ts: the text there is not what was approved/,
    never: ALL,
    disk: /Math \.floor/,
  },
  {
    title: "formats other lines as soon as it has saved",
    lua: afterWriting(
      `vim.api.nvim_buf_set_lines(0, 0, 0, true, { "// formatted" }) vim.cmd("noautocmd silent write")`,
    ),
    told: /^APPLIED: all 2 of 2 hunks\.[^]*other places changed too/,
    disk: /^\/\/ formatted[^]*Math\.floor/,
  },
  {
    title: "undoes the edit as soon as it has saved it",
    lua: afterWriting(`vim.cmd("silent undo | noautocmd silent write")`),
    told: /NOT (?:applied|APPLIED)/,
    never: ALL,
    disk: UNFIXED,
  },
  {
    title: "writes other line endings than the file had",
    lua: afterWriting(`vim.bo.fileformat = "dos" vim.cmd("noautocmd silent write")`),
    told: /^APPLIED: all 2 of 2 hunks/,
    disk: /Math\.floor[^]*\r\n/,
  },
  {
    title: "says that it saved what the disk does not hold",
    lua: afterWriting(`vim.fn.writefile({ "// written by another program" }, vim.api.nvim_buf_get_name(0))`),
    told: /^APPLIED: all 2 of 2 hunks\.[^]*changed in the editor, not saved to disk yet/,
    disk: /^\/\/ written by another program\n$/,
  },
  {
    title: "does not let the buffer be changed",
    lua: `vim.bo.modifiable = false`,
    told: /^NOT APPLIED: none of 2 hunks/,
    disk: UNFIXED,
  },
];

/** What a client says of an edit; the store of proposals is asked about such words without an editor (`proposal-store.test.ts`). */
const claims: readonly Behaviour[] = [
  {
    title: "says that it applied an edit, and did not",
    lua: applying(`return { { uri = edit.documentChanges[1].textDocument.uri } }`),
    told: /^NOT APPLIED: none of 2 hunks/,
    disk: UNFIXED,
  },
  {
    title: "applies the first of two edits",
    lua: applying(`local first = vim.deepcopy(edit)
      first.documentChanges[1].edits = { first.documentChanges[1].edits[1] }
      return apply(connection, first)`),
    told: /^PARTIALLY APPLIED: 1 of 2 hunks/,
    disk: /Math\.floor\(\(total\.cents(?![^]*Array\.from)/,
  },
  {
    title: "applies an edit a line too low",
    lua: applying(`local low = vim.deepcopy(edit)
      for _, each in ipairs(low.documentChanges[1].edits) do
        each.range.start.line, each.range["end"].line = each.range.start.line + 1, each.range["end"].line + 1
      end
      return apply(connection, low)`),
    told: /^(?:UNCERTAIN: 0|NOT APPLIED: none) of 2 hunks/,
    never: /: applied/,
    disk: /./,
  },
  {
    title: "changes the text that it applies",
    lua: applying(`local other = vim.deepcopy(edit)
      for _, each in ipairs(other.documentChanges[1].edits) do each.newText = each.newText:upper() end
      return apply(connection, other)`),
    told: /^(?:UNCERTAIN: 0|NOT APPLIED: none) of 2 hunks/,
    disk: /MATH\.FLOOR/,
  },
  {
    title: "confirms twice",
    lua: confirming("send(params) return send(params)"),
    told: /^APPLIED: all 2 of 2 hunks/,
    disk: FIXED,
  },
  {
    title: "confirms without version and hash",
    lua: confirming(
      "for _, each in ipairs(params.documents) do each.version, each.sha256 = nil, nil end return send(params)",
    ),
    told: /^APPLIED: all 2 of 2 hunks/,
    disk: FIXED,
  },
  {
    title: "confirms no document by name",
    lua: confirming("return send({ proposalId = params.proposalId, documents = {} })"),
    told: /^APPLIED: all 2 of 2 hunks/,
    disk: FIXED,
  },
  {
    title: "confirms with the version and hash of another text",
    lua: confirming(
      `for _, each in ipairs(params.documents) do each.version, each.sha256 = 1, ("0"):rep(64) end return send(params)`,
    ),
    told: /^APPLIED: all 2 of 2 hunks/,
    disk: FIXED,
  },
  {
    title: "confirms what it applies only afterwards",
    lua: applying(`vim.defer_fn(function() apply(connection, edit) end, 300)
      return { { uri = edit.documentChanges[1].textDocument.uri } }`),
    told: /^APPLIED: all 2 of 2 hunks/,
    disk: FIXED,
  },
];

const behaviours = [...accidents, ...(runsAll ? claims : claims.slice(0, 1))];

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  const told = (): string => lastToolResult(nvim.model?.requests ?? [], "propose_file_edit");
  const ended = async (): Promise<boolean> => (await nvim.events("TurnEnded")).length > 0;

  async function accepted(lua: string): Promise<void> {
    nvim = await startNeovim({ editor, file: FILE, script: proposeFix });
    await nvim.lua("require('agentq').prompt(...)", "Refunds lose a cent: find the bug");
    await nvim.untilEvent("Proposal");
    await nvim.lua(lua);
    await nvim.command("AgentQ acceptall");
  }

  it.each(behaviours)(
    "the model is told the truth by an editor that $title",
    async ({ lua, told: words, never, disk }) => {
      await accepted(lua);
      await nvim.untilEvent("Applied");
      // What did not get in waits again.
      await nvim.until("the review is over", async () => {
        if (await ended()) return true;
        if ((await nvim.lua("return require('agentq').pending()")) !== 0) await nvim.command("AgentQ rejectall no");
        return false;
      });
      expect(told()).toMatch(words);
      if (never !== undefined) expect(told()).not.toMatch(never);
      expect(await readFile(nvim.path(FILE), "utf8")).toMatch(disk);
    },
  );

  it("the model is told that nobody confirmed, by an editor that never confirms", async () => {
    await accepted(confirming("return nil"));
    await nvim.until("the text is there", async () => FIXED.test(await readFile(nvim.path(FILE), "utf8")));
    await nvim.command("AgentQ cancel");
    await nvim.untilEvent("TurnEnded");
    await nvim.lua("require('agentq').prompt(...)", "Go on");
    await nvim.untilEvent("TurnEnded", 2);
    expect(told()).toMatch(/accepted, but nobody confirmed that it was applied\. Read the file\./);
  });
});
