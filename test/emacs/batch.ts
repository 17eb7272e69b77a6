/** Runs Emacs without a terminal. */
import { execFile } from "node:child_process";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Editor } from "../support/editors.ts";

export const clientFolder = fileURLToPath(new URL("../../client-emacs", import.meta.url));

/** Arguments with which the client's sources are read, also where its folder holds what an Emacs of somebody compiled of them. */
export const SOURCES = ["-L", clientFolder, "--eval", `(setq load-prefer-newer t)`];

export interface BatchResult {
  readonly code: number;
  readonly output: string;
}

/** Runs Emacs without a terminal, in `home`, and answers what it printed. To look for garbage would be most of the work. */
export function runBatch(editor: Editor, home: string, args: readonly string[]): Promise<BatchResult> {
  return new Promise((resolve) => {
    execFile(
      editor.path,
      ["-Q", "--batch", "--eval", "(setq gc-cons-threshold (* 64 1024 1024))", ...args],
      { cwd: home, env: { ...process.env, HOME: home }, timeout: 230_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ code, output: `${stdout}${stderr}` });
      },
    );
  });
}

/** A folder of its own for one test; the caller removes it. */
export async function temporaryFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), "agentq-emacs-")));
}

/** A string as Lisp reads it. */
export function lispString(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** The blocks of Emacs Lisp in a page of documentation. */
export function elispBlocks(page: string): string[] {
  return [...page.matchAll(/^```elisp\n([^]*?)^```/gm)].map(([, code]) => code ?? "");
}
