/** Runs a measure inside of Neovim with our client: a Lua script that writes its figures as JSON into a file. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { findEditors, type Editor } from "../../scripts/editors/find.ts";
import type { MeasureReport } from "./report.ts";

const CLIENT = fileURLToPath(new URL("../../client-nvim", import.meta.url));

/** The newest Neovim, or a report that says how to get one. */
export function newestNeovim(measure: string): Editor | MeasureReport {
  const editor = findEditors(["nvim"]).at(-1);
  const skipped = "there is no Neovim; try npm run editors nvim";
  return editor ?? { rows: [{ measure, subject: "Neovim", skipped }], notes: [] };
}

/**
 * The figures that `script`, a file of this folder, wrote for `setup`, which the script finds in `_G.bench` beside the
 * plugin's file, which is not loaded yet, and the file for its result. Throws when the script failed.
 */
export function figuresOf(editor: Editor, folder: string, script: string, setup: object): object {
  const result = path.join(folder, "figures.json");
  const bench = { ...setup, plugin: path.join(CLIENT, "plugin/agentq.lua"), result };
  const set = `lua _G.bench = vim.json.decode([==[${JSON.stringify(bench)}]==])`;
  const file = fileURLToPath(new URL(script, import.meta.url));
  execFileSync(
    editor.path,
    `--headless --clean --noplugin -n -i NONE --cmd`
      .split(" ")
      .concat(`set rtp^=${CLIENT}`, "-c", set, "-c", `luafile ${file}`),
    { cwd: folder, timeout: 120_000, stdio: "ignore", env: { ...process.env, XDG_STATE_HOME: folder } },
  );
  const figures = JSON.parse(readFileSync(result, "utf8")) as { readonly failed?: string };
  if (figures.failed !== undefined) throw new Error(figures.failed);
  return figures;
}
