import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  const listed = (): Promise<unknown> =>
    nvim.lua(`local list = vim.fn.getqflist({ title = 0, items = 0 })
      return { list.title, vim.tbl_map(function(item)
        return { vim.fs.basename(vim.api.nvim_buf_get_name(item.bufnr)), item.lnum, item.col, item.text }
      end, list.items) }`);

  async function ask(command: string, count = 1): Promise<void> {
    await nvim.command(command);
    await nvim.untilEvent("ToolDone", count);
  }

  it("lists who calls what the cursor stands on, as the compiler knows it, from a file that only uses the name", async () => {
    nvim = await startNeovim({ editor, file: "src/invoice.ts" });
    await nvim.command("call search('allocate(')");
    await ask("AgentQ callers");
    expect(await listed()).toMatchInlineSnapshot(`
      [
        "AgentQ callers of allocate",
        [
          [
            "allocate.ts",
            26,
            19,
            "prorate: const [share] = allocate(total, [part, whole - part]);",
          ],
          [
            "allocate.ts",
            46,
            10,
            "splitEvenly: return allocate(total, weights);",
          ],
          [
            "credit-note.ts",
            12,
            20,
            "CreditNote.constructor: const shares = allocate(",
          ],
          [
            "invoice.ts",
            31,
            9,
            "billOrder: : allocate(",
          ],
          [
            "allocate.test.ts",
            7,
            20,
            "(module): assert.deepEqual(allocate(money(1000), [1, 1, 1]).map(String), ["3.34 EUR", "3.33 EUR", "3.33 EUR"]);",
          ],
          [
            "allocate.test.ts",
            11,
            20,
            "(module): assert.deepEqual(allocate(money(1001), [0, 3, 1]).map(String), ["0.00 EUR", "7.51 EUR", "2.50 EUR"]);",
          ],
          [
            "allocate.test.ts",
            15,
            23,
            "(module): assert.throws(() => allocate(money(100), []), /nothing to divide by/);",
          ],
          [
            "allocate.test.ts",
            16,
            23,
            "(module): assert.throws(() => allocate(money(100), [1, -1]), /not a weight/);",
          ],
        ],
      ]
    `);
    expect(await nvim.lua("return vim.bo.buftype")).toBe("quickfix");

    await nvim.command("cclose");
    await ask("AgentQ hierarchy Invoice", 2);
    expect(await listed()).toMatchInlineSnapshot(`
      [
        "AgentQ hierarchy of Invoice",
        [
          [
            "sales-document.ts",
            11,
            23,
            "SalesDocument (abstract class) — supertype",
          ],
          [
            "invoice.ts",
            6,
            14,
            "Invoice (class) — what was asked about",
          ],
        ],
      ]
    `);
  });

  it("says what is there in place of a list where nothing is found, and asks for a name where there is none", async () => {
    nvim = await startNeovim({ editor, file: "src/invoice.ts" });
    await ask("AgentQ hierarchy allocate");
    await ask("AgentQ callers nowhere", 2);
    await nvim.command("call append(0, '') | call cursor(1, 1)");
    await nvim.command("AgentQ implementations");
    expect(await nvim.notifications()).toMatchInlineSnapshot(`
      [
        "AgentQ: src/allocate.ts#allocate is a function. A hierarchy belongs to a class, an interface or a type alias. Ask who_calls about src/allocate.ts#allocate.",
        "AgentQ: No symbol "nowhere" in the loaded projects.",
        "AgentQ: name a symbol: :AgentQ implementations Outer.member",
      ]
    `);
    expect(await nvim.lua("return #vim.fn.getqflist()")).toBe(0);
  });

  it("asks which of several symbols of a name is meant, and lists what is found of the one that is chosen", async () => {
    nvim = await startNeovim({ editor, file: "src/invoice.ts" });
    await nvim.lua(`
      vim.fn.writefile({ "export class One { add() {} }", "export class Two { add() {} }", "new One().add(); new Two().add();" }, "src/two.ts")
      vim.ui.select = function(items, options, choose)
        vim.g.asked = { options.prompt, vim.tbl_map(options.format_item, items) }
        choose(items[2])
      end
    `);
    await ask("AgentQ callers add");
    await nvim.untilEvent("ToolDone", 2);
    expect(await nvim.lua("return vim.g.asked")).toEqual([
      '"add" means 2 different symbols (method). Which one?',
      [expect.stringMatching(/^src\/two\.ts#One\.add /), expect.stringMatching(/^src\/two\.ts#Two\.add /)],
    ]);
    expect(await listed()).toMatchObject([
      "AgentQ callers of src/two.ts#Two.add",
      [["two.ts", 3, 28, expect.anything()]],
    ]);
  });
});
