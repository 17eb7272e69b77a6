/** Opens a copy of the example in a real editor, with the client loaded and a model to talk to. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chooseModel } from "../client/model-choice.ts";
import { copyProject } from "../client/project-copy.ts";
import type { Screen } from "../../../server/src/terminal/screen.ts";
import { emacsSetup, NVIM_CLIENT, nvimSetup, showSetup } from "./next-steps.ts";

export type EditorName = "nvim" | "emacs";

type Environment = Readonly<Record<string, string | undefined>>;

const PREPARED = fileURLToPath(new URL("../../../.cache/editors/bin", import.meta.url));
const OLDEST = { nvim: [0, 10], emacs: [30, 0] } as const;
const FILE = "src/allocate.ts";

const HOW = {
  nvim: "Type :AgentQ and ask: Refunds lose a cent, find the bug and fix it.",
  emacs: "Type M-x agentq, RET, and ask: Refunds lose a cent, find the bug and fix it.",
} as const;

/** Answers the exit code. The copy is removed when the editor closes. */
export async function openEditor(name: EditorName, screen: Screen, environment: Environment): Promise<number> {
  const program = findEditor(name, environment);
  if (program === undefined) {
    const [major, minor] = OLDEST[name];
    const title = name === "nvim" ? "Neovim" : "Emacs";
    screen.line(
      `There is no ${title} ${major}.${minor} or newer on PATH. Install one, or type: npm run editors ${name}`,
    );
    return 1;
  }
  await using resources = new AsyncDisposableStack();
  const project = resources.adopt(await copyProject(), (value) => value.dispose());
  const choice = { script: "demo", project: project.folder, paceMs: 15 };
  const model = resources.adopt(await chooseModel(environment, choice), (value) => value.dispose());
  screen.line(`Model: ${model.sentence}`);
  const child = spawn(program, editorArguments(name), {
    cwd: project.folder,
    env: { ...model.environment },
    stdio: "inherit",
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once("error", reject);
  child.once("exit", (code, signal) => resolve(code ?? (signal === null ? 0 : 1)));
  const code = await promise;
  showSetup(screen, name);
  return code;
}

function editorArguments(name: EditorName): string[] {
  if (name === "nvim") {
    // The line above the windows stays, and no message has to be confirmed.
    const hint = `vim.o.showtabline, vim.o.tabline = 2, ${JSON.stringify(` ${HOW.nvim}`)}`;
    const runtimePath = `lua vim.opt.runtimepath:prepend(${JSON.stringify(NVIM_CLIENT)})`;
    return ["--clean", "--cmd", runtimePath, "--cmd", `lua ${nvimSetup()}`, "-c", `lua ${hint}`, FILE];
  }
  const hint = `(run-with-timer 0.5 nil #'message "%s" ${JSON.stringify(HOW.emacs)})`;
  return ["-Q", ...[...emacsSetup(), hint].flatMap((form) => ["--eval", form]), FILE];
}

/** The person's own editor when it is new enough, else the newest one that this checkout has prepared. */
function findEditor(name: EditorName, environment: Environment): string | undefined {
  const onPath = (environment["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
  if (onPath !== undefined && isNewEnough(name, onPath)) return onPath;
  if (!existsSync(PREPARED)) return undefined;
  return readdirSync(PREPARED)
    .filter((file) => file.startsWith(`${name}-`))
    .toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }))
    .map((file) => join(PREPARED, file))
    .find((path) => isNewEnough(name, path));
}

function isNewEnough(name: EditorName, program: string): boolean {
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout ?? "") ?? [];
  const [oldestMajor, oldestMinor] = OLDEST[name];
  return Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor);
}
