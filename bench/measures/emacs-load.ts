/** What the Emacs client costs whoever has it installed: its autoloads at the start of Emacs, the rest at the first command. */
import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findEditors } from "../../scripts/editors/find.ts";
import { below, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const ROUNDS = 20;
const GOAL_MS = 2;
const CLIENT = fileURLToPath(new URL("../../client-emacs", import.meta.url));
const BASELINE = "Eglot, of Emacs itself";

const PREPARE = `(progn
  (require 'loaddefs-gen)
  (loaddefs-generate default-directory (expand-file-name "agentq-autoloads.el"))
  (add-to-list 'load-path default-directory)
  (byte-recompile-directory default-directory 0 t))`;

/** Each form is timed in an Emacs of its own, which has loaded nothing of the client. */
const FORMS: Readonly<Record<string, string>> = {
  autoloads: '(load (expand-file-name "agentq-autoloads") nil t)',
  "agentq, at the first command": "(require 'agentq)",
  [BASELINE]: "(require 'eglot)",
};

export function measureEmacsLoad({ rounds }: Setting): Promise<MeasureReport> {
  const editor = findEditors(["emacs"]).at(-1);
  if (editor === undefined) {
    const skipped = "there is no Emacs; try npm run editors emacs";
    return Promise.resolve({ rows: [{ measure: "loading", subject: "Emacs", skipped }], notes: [] });
  }
  return inTemporaryFolder(async (folder) => {
    cpSync(CLIENT, folder, { recursive: true });
    batch(editor.path, folder, PREPARE);
    writeFileSync(join(folder, "empty.el"), ";;; -*- lexical-binding: t -*-\n");
    const contenders = Object.fromEntries(
      Object.entries(FORMS).map(([name, form]) => [name, () => Promise.resolve(timeOf(editor.path, folder, form))]),
    );
    const samples = await inTurns<string, number>(contenders, rounds(ROUNDS));
    return {
      rows: rowsOf({ measure: "loading the Emacs client", unit: "ms" }, samples, BASELINE, {
        autoloads: below(GOAL_MS, "ms"),
      }),
      notes: [`Emacs ${editor.version}; byte-compiled, as packages are; the time is that of the processor.`],
    };
  });
}

/** The first file of source that an Emacs loads takes some milliseconds whatever it holds, so an empty one is loaded before. */
function timeOf(program: string, folder: string, form: string): number {
  const timing = `(let ((load-path (cons default-directory load-path)) (gc-cons-threshold most-positive-fixnum)
        (start (float-time (get-internal-run-time))))
    ${form}
    (princ (* 1000 (- (float-time (get-internal-run-time)) start))))`;
  return Number(batch(program, folder, `(progn (load (expand-file-name "empty") nil t) ${timing})`));
}

function batch(program: string, folder: string, form: string): string {
  return execFileSync(program, ["-Q", "--batch", "--eval", form], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}
