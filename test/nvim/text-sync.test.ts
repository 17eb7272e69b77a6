/** Which buffers the server knows the text of: those of the project's files, of every kind. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  /** The folders of the servers that run. */
  const roots = async (): Promise<string[]> =>
    await nvim.lua(
      `return vim.tbl_map(function(client) return client.config.root_dir end, vim.lsp.get_clients({ name = "agentq" }))`,
    );

  const tool = async (name: string, input: object): Promise<string> =>
    await nvim.lua(
      `local name, input = ...
       local client = vim.lsp.get_clients({ name = "agentq" })[1]
       for bufnr in pairs(client.attached_buffers) do require("agentq.sync").flush(client, bufnr) end
       local answer = vim.lsp.buf_request_sync(vim.fn.bufnr("allocate.ts"), "agentq/callTool",
         { name = name, arguments = input }, 20000)[client.id]
       return vim.inspect(answer.result or answer.err)`,
      name,
      input,
    );

  const put = async (path: string, text: string | Uint8Array): Promise<string> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  };

  /** Opens a file and types a line at its end. */
  const typeInto = async (path: string, line: string): Promise<void> => {
    await nvim.command(`edit ${path}`);
    await nvim.lua(`vim.api.nvim_buf_set_lines(0, -1, -1, true, { ... })`, line);
  };

  it("sees what is typed into files of every kind, whenever they were opened", async () => {
    nvim = await startNeovim({ editor });
    const texts = ["README.md", "package.json", "styles/site.css", "src/App.vue", "LICENSE", "notes.unknown"];
    await put(nvim.path("styles/site.css"), "a {}\n");
    await put(nvim.path("src/App.vue"), "<template></template>\n");
    await put(nvim.path("LICENSE"), "Do what you like.\n");
    for (const name of texts.slice(0, 3)) await typeInto(name, "UNSAVED");
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    for (const name of texts.slice(3)) await typeInto(name, "UNSAVED");
    await nvim.command("enew");
    await nvim.command("file later.md");
    await nvim.lua(`vim.api.nvim_buf_set_lines(0, 0, -1, true, { "UNSAVED" })`);
    await nvim.open("src/allocate.ts");
    const found = await tool("search_text", { pattern: "UNSAVED" });
    for (const name of [...texts, "later.md"]) expect(found).toContain(`${name} (unsaved):`);
    expect(await tool("read_file", { path: "notes.unknown" })).toMatch(/UNSAVED/);
  });

  it("sees no secrets, nothing of git, no binary or huge file, and nothing that is no file", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts" });
    await put(nvim.path("image.dat"), Buffer.from("UNSEEN\0\0"));
    await put(nvim.path("huge.json"), `"large"\n${" ".repeat(5_000_000)}\n`);
    await put(nvim.path(".env"), "TOKEN=1\n");
    await put(nvim.path(".git/COMMIT_EDITMSG"), "");
    for (const name of ["image.dat", "huge.json", ".env", ".git/COMMIT_EDITMSG"]) await typeInto(name, "UNSEEN");
    await nvim.command("enew | setlocal buftype=nofile | file thoughts.md");
    await nvim.lua(`vim.api.nvim_buf_set_lines(0, 0, -1, true, { "UNSEEN" })`);
    await nvim.command("edit later.md");
    await nvim.lua(`vim.api.nvim_buf_set_lines(0, 0, -1, true, { "UNSEEN" })`);
    await nvim.until("the file is attached", () => nvim.lua<boolean>("return #vim.lsp.get_clients({ bufnr = 0 }) > 0"));
    await nvim.command("setlocal buftype=nofile");
    await nvim.open("README.md");
    const attached = await nvim.lua<string[]>(
      `local names = {}
       for bufnr in pairs(vim.lsp.get_clients({ name = "agentq" })[1].attached_buffers) do
         names[#names + 1] = vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))
       end
       table.sort(names)
       return names`,
    );
    expect(attached).not.toContain("image.dat");
    expect(attached).not.toContain("huge.json");
    expect(attached).not.toContain("thoughts.md");
    expect(attached).not.toContain("later.md");
    expect(await tool("search_text", { pattern: "UNSEEN" })).toContain("No match");
    for (const path of [".env", ".git/COMMIT_EDITMSG"]) {
      expect(await tool("read_file", { path })).not.toContain("UNSEEN");
    }
  });

  it("lets a file of a package, of a repository and by another path join the server that runs for a folder around it", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts" });
    const inside = [
      ["packages/a/package.json", "packages/a/src/x.ts"],
      ["vendor/b/.git/HEAD", "vendor/b/y.ts"],
    ] as const;
    for (const [mark, name] of inside) {
      await put(nvim.path(mark), "{}");
      await put(nvim.path(name), "");
      await typeInto(name, "// UNSAVED");
    }
    await symlink(nvim.project, join(nvim.folder, "link"));
    await typeInto(join(nvim.folder, "link/src/money.ts"), "// UNSAVED");
    expect(await roots()).toEqual([nvim.project]);
    const found = await tool("search_text", { pattern: "UNSAVED" });
    expect(found).toContain("packages/a/src/x.ts");
    expect(found).toContain("vendor/b/y.ts");
    expect(found).toContain("src/money.ts");
    // A project that stands beside is another one, and so is the home folder.
    await put(join(nvim.folder, "invoices-2/package.json"), "{}");
    await put(join(nvim.folder, "invoices-2/z.ts"), "");
    await typeInto(join(nvim.folder, "invoices-2/z.ts"), "// UNSAVED");
    await nvim.until("another server runs", async () => (await roots()).length === 2);
    expect(await roots()).toEqual([nvim.project, join(nvim.folder, "invoices-2")]);
  });

  it.each(["on", "off"])(
    "leaves the options of files that it only listens to as they were, with language features %s",
    async (features) => {
      const before = `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, { init_options = { languageFeatures = "${features}" } })`;
      nvim = await startNeovim({ editor, file: "src/allocate.ts", before });
      await put(nvim.path("a.css"), "a { color: red }\n");
      const options = async (): Promise<unknown> =>
        await nvim.lua(`return { vim.bo.omnifunc, vim.bo.tagfunc, vim.bo.formatexpr, vim.fn.maparg("K", "n") }`);
      const isAttached = (): Promise<boolean> => nvim.lua(`return #vim.lsp.get_clients({ bufnr = 0 }) == 1`);
      const seen: unknown[] = [];
      for (const name of ["a.css", "package.json"]) {
        await nvim.open(name);
        await nvim.until(`${name} is attached`, isAttached);
        seen.push(await options());
      }
      expect(seen).toEqual([
        ["csscomplete#CompleteCSS", "", "", ""],
        ["", "", "", ""],
      ]);
      if (features === "off") return;
      const answers = await nvim.lua<{ diagnostics: unknown; error: unknown }>(
        `local client = vim.lsp.get_clients({ name = "agentq" })[1]
       local params = vim.lsp.util.make_position_params(0, "utf-16")
       local function ask(method)
         return vim.lsp.buf_request_sync(0, method, params, 20000)
       end
       local hover, diagnostics = ask("textDocument/hover"), ask("textDocument/diagnostic")
       local answer = diagnostics and diagnostics[client.id] or {}
       return { error = hover and hover[client.id].err, diagnostics = answer.result and answer.result.items }`,
      );
      expect(answers).toEqual({ diagnostics: [] });
    },
  );
});
