/** Lets the person change a text in the editor that their environment names. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** The changed text, or undefined when the editor failed or nothing was changed. */
export function editText(text: string, path: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "agentq-hunk-"));
  const file = join(folder, basename(path));
  try {
    writeFileSync(file, text);
    const editor = process.env["VISUAL"] ?? process.env["EDITOR"] ?? "vi";
    // As git does: the variable may hold a command with arguments, so a shell reads it.
    const { status } = spawnSync("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    const changed = readFileSync(file, "utf8");
    return status === 0 && changed !== text ? changed : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
