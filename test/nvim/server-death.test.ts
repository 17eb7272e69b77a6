import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const propose = scriptOf("propose", "propose an edit", [
  reply(
    call("propose_file_edit", {
      path: "src/allocate.ts",
      original: "Math.trunc(",
      modified: "Math.floor(",
      description: "Floor",
    }),
  ),
  reply("Understood."),
]);

interface Served {
  readonly id: number;
  readonly root: string;
  readonly buffers: string[];
}

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  /** The living servers, oldest first, with the files whose text they are told. */
  const served = async (): Promise<Served[]> =>
    await nvim.lua(`
      return vim.tbl_map(function(client)
        local names = vim.tbl_map(vim.api.nvim_buf_get_name, vim.tbl_keys(client.attached_buffers))
        table.sort(names)
        return { id = client.id, root = client.config.root_dir, buffers = names }
      end, vim.tbl_filter(function(client)
        return client.initialized and not client:is_stopped()
      end, vim.lsp.get_clients({ name = "agentq" })))
    `);

  const children = (): Promise<number[]> => nvim.lua("return vim.api.nvim_get_proc_children(vim.fn.getpid())");

  const kill = async (pid: number | undefined, root: string): Promise<void> => {
    if (pid === undefined) throw new Error(`no process serves ${root}`);
    process.kill(pid, "SIGKILL");
    await nvim.until("the server is gone", async () => (await served()).every((server) => server.root !== root));
  };

  const untilServed = async (root: string): Promise<Served> =>
    await nvim.until(`${root} is served`, async () => (await served()).find((server) => server.root === root));

  const intoMessage = async (): Promise<void> => {
    await nvim.type(":AgentQ<CR>");
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
  };

  it("asks for no key on a narrow screen when a server dies", async () => {
    nvim = await startNeovim({ editor, script: propose, columns: 80, before: "vim.notify = _G.test_own_notify" });
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    await kill((await children())[0], nvim.project);
    await nvim.untilScreen("AgentQ: The server was killed by signal 9.");
    // What Neovim itself would say comes two rounds of its event loop after the end.
    await nvim.lua("vim.wait(50)");
    expect(await nvim.lua("return vim.fn.execute('messages')")).not.toContain("quit with exit code");
  });

  it("says what is lost with a server that dies, and goes on with a new one from the same message window", async () => {
    nvim = await startNeovim({ editor, script: propose });
    await nvim.open("src/money.ts");
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    await intoMessage();
    await nvim.type("Fix it<C-s>");
    await nvim.untilEvent("Proposal");
    await kill((await children())[0], nvim.project);
    expect(await nvim.untilEvent("TurnEnded")).toMatchObject({ reason: "error" });
    const shown = await nvim.untilTranscript("The server was killed by signal 9.");
    expect(shown).toContain("1 hunk waits for the next server, not applied. :AgentQ restart starts it again.");
    expect(shown).toMatch(/^✗ propose_file_edit the server ended /m);
    expect((await nvim.notifications()).join("\n")).toContain("1 hunk waits for the next server");

    await nvim.type("<C-u>Hello<C-s>");
    const goesOn = "· The server is a new one, and the conversation goes on; the REPL's values are gone.\n\n❯ Hello\n";
    await nvim.untilTranscript(goesOn);
    await nvim.untilEvent("Proposal", 2);
    const { buffers } = await untilServed(nvim.project);
    expect(buffers).toEqual([nvim.path("src/allocate.ts"), nvim.path("src/money.ts"), "agentq://message/invoices"]);
    const told = await nvim.until("the model hears the message", () => {
      const heard = JSON.stringify(nvim.model?.requests.at(-1)?.messages);
      return Promise.resolve(heard.includes("Hello") ? heard : undefined);
    });
    for (const words of ["Fix it", "INTERRUPTED", "Your last turn was cut off."]) expect(told).toContain(words);
  });

  it("restarts the server of the conversation that the cursor is in, with all open files, and no other", async () => {
    nvim = await startNeovim({ editor, script: propose });
    const other = join(nvim.folder, "orders");
    cpSync(nvim.project, other, { recursive: true });
    await nvim.open("src/allocate.ts");
    const before = await untilServed(nvim.project);
    const [first] = await children();
    await nvim.open(join(other, "src/allocate.ts"));
    await nvim.open(join(other, "src/money.ts"));
    await untilServed(other);
    const second = (await children()).find((pid) => pid !== first);
    await intoMessage();
    await kill(second, other);
    await nvim.type("<Esc>:AgentQ restart<CR>");
    const { buffers } = await untilServed(other);
    expect(buffers).toEqual([join(other, "src/allocate.ts"), join(other, "src/money.ts")]);
    expect(await untilServed(nvim.project)).toEqual(before);
  });
});
