// Checks the LuaCATS annotations of the Neovim client with lua-language-server and Neovim's own annotations. No package
// registry has that checker: without one on PATH the script says so and passes.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findOnPath } from "./editors/find.ts";
import { provideEditors } from "./editors/provide-editors.ts";
import { root } from "./paths.mjs";

interface Finding {
  readonly code: string;
  readonly message: string;
  readonly range: { readonly start: { readonly line: number } };
}

const checker = findOnPath("lua-language-server");
const neovim = provideEditors(["nvim"]).editors.at(-1);

if (checker === undefined || neovim === undefined) {
  const missing = checker === undefined ? "lua-language-server is not on PATH" : "there is no Neovim";
  process.stderr.write(`Not checking LuaCATS annotations: ${missing}.\n`);
} else {
  const { stderr: runtime } = spawnSync(neovim.path, ["--headless", "--clean", "-c", "echo $VIMRUNTIME", "-c", "qa"], {
    encoding: "utf8",
  });
  const folder = mkdtempSync(join(tmpdir(), "agentq-luacats-"));
  try {
    const config = join(folder, "luarc.json");
    const own = readFileSync(join(root, "client-nvim/.luarc.json"), "utf8");
    writeFileSync(config, own.replaceAll("$VIMRUNTIME", runtime.trim()));
    const args = ["--check", join(root, "client-nvim"), "--checklevel=Information", "--check_format=json"];
    spawnSync(checker, [...args, `--configpath=${config}`, `--logpath=${folder}`], { stdio: "ignore" });
    const found = JSON.parse(readFileSync(join(folder, "check.json"), "utf8")) as Record<string, readonly Finding[]>;
    for (const [uri, findings] of Object.entries(found)) {
      for (const { code, message, range } of findings) {
        process.stdout.write(`${fileURLToPath(uri)}:${range.start.line + 1} ${code}: ${message}\n`);
        process.exitCode = 1;
      }
    }
    process.stdout.write(`LuaCATS: ${Object.values(found).flat().length} findings\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
