/** Lets the person change a text in the editor that their environment names. */
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { makeOwnFolder } from "../process/own-folder.ts";
import { spawn } from "../process/spawn.ts";
import { readRegularTextSync } from "../workspace/regular-file.ts";
import type { Variables } from "../base/variables.ts";

/** The changed text, or undefined when the editor failed or nothing was changed. */
export async function editText(text: string, path: string, env: Variables = process.env): Promise<string | undefined> {
  const folder = makeOwnFolder("agentq-hunk-");
  const file = join(folder, basename(path));
  try {
    writeFileSync(file, text);
    const editor = env["VISUAL"] || env["EDITOR"] || "vi";
    // As git does: the variable may hold a command with arguments, so a shell reads it.
    const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit", env: { ...env } });
    const [status] = (await once(child, "exit")) as [number | null];
    const changed = readRegularTextSync(file);
    return status === 0 && changed !== text ? changed : undefined;
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
