import { cpSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterEach, expect, it } from "vitest";
import { itAtLength } from "../support/extent.ts";
import { call, reply, scriptOf, type Script } from "../../examples/demo/model/script.ts";
import { hello } from "../../examples/demo/scripts/small.ts";
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

  const kill = async (root = nvim.project): Promise<void> => {
    await nvim.killServer(root);
    await nvim.until("the server is gone", async () => (await served()).every((server) => server.root !== root));
  };

  const untilServed = async (root: string): Promise<Served> =>
    await nvim.until(`${root} is served`, async () => (await served()).find((server) => server.root === root));

  /** Buffers are attached one by one once the server answers. */
  const untilServes = async (root: string, ...buffers: readonly string[]): Promise<unknown> =>
    await nvim.until(`${root} is served with ${buffers.join(", ")}`, async () =>
      (await served()).some((server) => server.root === root && isDeepStrictEqual(server.buffers, buffers)),
    );

  const intoMessage = async (): Promise<void> => {
    await nvim.type(":AgentQ<CR>");
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
  };

  it("asks for no key on a narrow screen when a server dies", async () => {
    nvim = await startNeovim({
      editor,
      file: "src/allocate.ts",
      script: propose,
      columns: 80,
      before: "vim.notify = _G.test_own_notify",
    });
    await kill();
    await nvim.untilScreen("AgentQ: The server was killed by signal 9.");
    // What Neovim itself would say comes two rounds of its event loop after the end.
    await nvim.lua("vim.wait(50)");
    expect(await nvim.lua("return vim.fn.execute('messages')")).not.toContain("quit with exit code");
  });

  it("says what is lost with a server that dies, and goes on with a new one from the same message window", async () => {
    nvim = await startNeovim({ editor, server: "process", script: propose });
    await nvim.open("src/money.ts");
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    await intoMessage();
    await nvim.type("Fix it<C-s>");
    await nvim.untilEvent("Proposal");
    const [pid] = await nvim.lua<number[]>("return vim.api.nvim_get_proc_children(vim.fn.getpid())");
    if (pid === undefined) throw new Error("no process serves the project");
    process.kill(pid, "SIGKILL");
    expect(await nvim.untilEvent("TurnEnded")).toMatchObject({ reason: "error" });
    const shown = await nvim.untilTranscript("The server was killed by signal 9.");
    expect(shown).toContain("1 hunk waits for the next server, not applied. :AgentQ restart starts it again.");
    expect(shown).toMatch(/^✗ propose_file_edit the server ended /m);
    expect((await nvim.notifications()).join("\n")).toContain("1 hunk waits for the next server");

    await nvim.type("<C-u>Hello<C-s>");
    const goesOn = "· The server is a new one, and the conversation goes on; the REPL's values are gone.\n\n❯ Hello\n";
    await nvim.untilTranscript(goesOn);
    await nvim.untilEvent("Proposal", 2);
    const files = [nvim.path("src/allocate.ts"), nvim.path("src/money.ts")];
    await untilServes(nvim.project, ...files, "agentq://message/invoices");
    const told = await nvim.until("the model hears the message", () => {
      const heard = JSON.stringify(nvim.model?.requests.at(-1)?.messages);
      return Promise.resolve(heard.includes("Hello") ? heard : undefined);
    });
    for (const words of ["Fix it", "INTERRUPTED", "Your last turn was cut off."]) expect(told).toContain(words);
  });

  it("says above the transcript that no server runs, and below it when a new one does", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script: hello });
    await intoMessage();
    await nvim.type("Hello<C-s>");
    await nvim.untilEvent("TurnEnded");
    await kill();
    await nvim.untilScreen("no server: :AgentQ restart");
    await nvim.type("<Esc>:AgentQ restart<CR>");
    await nvim.untilTranscript("The server is a new one, and the conversation goes on");
    await nvim.until("that is said", async () => (await nvim.notifications()).includes("AgentQ: the server runs"));
    await nvim.untilScreen("idle");
  });

  itAtLength(
    "keeps the turn of one project whose hunk waits while the server of another dies in mid-stream and in mid-approval",
    async () => {
      const form = call("eval_form", { form: "globalThis.made = 1" });
      const script: Script = {
        name: "each its own",
        description: "one prompt hangs, one asks, one proposes",
        reply: (turn) => {
          if (turn.prompt.includes("Stream")) return { ...reply("I begin"), fault: { kind: "hang", afterEvents: 3 } };
          if (turn.prompt.includes("Ask")) return turn.step === 0 ? reply(form) : reply("Asked.");
          return propose.reply(turn);
        },
      };
      const before = `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
      init_options = { repl = { confinement = "openWithoutAsking" } } })`;
      nvim = await startNeovim({ editor, script, before });
      const other = join(nvim.folder, "orders");
      cpSync(nvim.project, other, { recursive: true });
      await nvim.open("src/allocate.ts");
      const kept = await untilServed(nvim.project);
      await nvim.command("AgentQ prompt Fix it");
      await nvim.untilEvent("Proposal");
      await nvim.open(join(other, "src/money.ts"));
      for (const [round, prompt] of ["Stream it", "Ask me"].entries()) {
        await untilServed(other);
        await nvim.command(`AgentQ prompt ${prompt}`);
        if (round === 0) await nvim.untilEvent("TurnStarted", 2);
        else await nvim.untilEvent("Approval");
        await kill(other);
        expect(await nvim.untilEvent("TurnEnded", round + 1)).toMatchObject({ reason: "error" });
        await nvim.command("AgentQ approve");
        await nvim.until(
          "nothing is sent to the dead",
          async () =>
            (await nvim.notifications()).filter((said) => said.includes("no call waits for approval")).length > round,
        );
        await nvim.command("AgentQ restart");
        await untilServes(other, join(other, "src/money.ts"), "agentq://message/orders");
      }
      expect(await untilServed(nvim.project)).toMatchObject({ id: kept.id });
      await nvim.type(":AgentQ review<CR>:AgentQ accept<CR>");
      expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
      expect(await nvim.untilEvent("TurnEnded", 3)).toMatchObject({ reason: "endTurn" });
    },
  );

  it("restarts the server of the conversation that the cursor is in, with all open files, and no other", async () => {
    nvim = await startNeovim({ editor, script: propose });
    const other = join(nvim.folder, "orders");
    cpSync(nvim.project, other, { recursive: true });
    await nvim.open("src/allocate.ts");
    const before = await untilServed(nvim.project);
    await nvim.open(join(other, "src/allocate.ts"));
    await nvim.open(join(other, "src/money.ts"));
    await untilServed(other);
    await intoMessage();
    await kill(other);
    await nvim.type("<Esc>:AgentQ restart<CR>");
    const files = [join(other, "src/allocate.ts"), join(other, "src/money.ts")];
    await untilServes(other, ...files, "agentq://message/orders");
    expect(await untilServed(nvim.project)).toEqual(before);
  });
});
