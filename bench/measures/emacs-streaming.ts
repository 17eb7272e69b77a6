/** An answer that streams into Emacs below a long conversation: what the client and the display take for each piece. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { findEditors } from "../../scripts/editors/find.ts";
import { ratioUpTo, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const ROUNDS = 5;
const LINES = [10, 10_000, 50_000] as const;
const CLIENT = fileURLToPath(new URL("../../client-emacs", import.meta.url));
const SCRIPT = fileURLToPath(new URL("../support/emacs-streaming.el", import.meta.url));

interface Sample {
  readonly chunk: readonly number[];
  readonly call: readonly number[];
}

export async function measureEmacsStreaming({ rounds }: Setting): Promise<MeasureReport> {
  const editor = findEditors(["emacs"]).at(-1);
  if (editor === undefined) {
    return {
      rows: [{ measure: "streaming", subject: "Emacs", skipped: "there is no Emacs; try npm run editors emacs" }],
      notes: [],
    };
  }
  return inTemporaryFolder(async (compiled) => {
    compileClient(editor.path, compiled);
    const samples = await inTurns(
      Object.fromEntries(
        LINES.map((lines) => [
          subject(lines),
          () => inTemporaryFolder(async (folder) => stream(editor.path, { compiled, folder, lines })),
        ]),
      ),
      rounds(ROUNDS),
    );
    const each = (figure: keyof Sample): Record<string, number[]> =>
      Object.fromEntries(
        Object.entries(samples).map(([name, list]) => [name, list.flatMap((sample) => sample[figure])]),
      );
    const goal = Object.fromEntries(LINES.slice(1).map((lines) => [subject(lines), ratioUpTo(1.5)]));
    return {
      rows: [
        ...rowsOf({ measure: "a piece of text is shown in Emacs", unit: "ms" }, each("chunk"), subject(10), goal),
        ...rowsOf({ measure: "a tool call is shown in Emacs", unit: "ms" }, each("call"), subject(10), goal),
      ],
      notes: [`Emacs ${editor.version} on a terminal, the client compiled; each piece is drawn before the next comes.`],
    };
  });
}

function subject(lines: number): string {
  return `${lines.toLocaleString("en")} lines above`;
}

/** The client as a package manager installs it. */
function compileClient(program: string, folder: string): void {
  cpSync(CLIENT, folder, { recursive: true });
  const sources = readdirSync(folder).filter((name) => name.endsWith(".el"));
  execFileSync(program, ["-Q", "--batch", "-L", ".", "-f", "batch-byte-compile", ...sources], {
    cwd: folder,
    stdio: "ignore",
  });
}

function stream(
  program: string,
  { compiled, folder, lines }: { readonly compiled: string; readonly folder: string; readonly lines: number },
): Sample {
  const project = path.join(folder, "project");
  mkdirSync(project);
  const result = path.join(folder, "figures.json");
  const run = `(bench-run ${lines} "${project}/" "${result}")`;
  const emacs = [program, "-Q", "-nw", "-L", compiled, "-l", SCRIPT, "--eval", run]
    .map((word) => `'${word}'`)
    .join(" ");
  // script(1) gives the terminal that `emacs -nw` needs and that this process does not have.
  execFileSync("script", ["-qfec", `stty rows 24 cols 80; exec ${emacs}`, "/dev/null"], {
    cwd: project,
    timeout: 300_000,
    stdio: ["pipe", "ignore", "ignore"],
    env: { ...process.env, HOME: folder, TERM: "xterm-256color" },
  });
  return JSON.parse(readFileSync(result, "utf8")) as Sample;
}
