/** The client in Python: a turn and a review by a program that knows the protocol from its document alone. */
import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call, reply } from "../../examples/demo/model/script.ts";
import { bareEnvironment, serverProgram } from "../support/server-client.ts";
import { SessionStage } from "../support/session-stage.ts";

const program = fileURLToPath(new URL("../../examples/clients/client.py", import.meta.url));

function hasPython(): boolean {
  try {
    return execFileSync("python3", ["-c", "import sys; print(sys.version_info >= (3, 8))"], {
      encoding: "utf8",
    }).startsWith("True");
  } catch {
    return false;
  }
}

let stage: SessionStage;
beforeEach(async () => {
  stage = new SessionStage();
  await stage.open();
});
afterEach(() => stage.dispose());

/** What the client prints, with these lines on its standard input. */
function run(question: string, answers: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const args = [program, stage.folder, question, "--", process.execPath, serverProgram, "--stdio"];
    const env = bareEnvironment(stage.environment());
    const child = execFile("python3", args, { env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
    child.stdin?.end(answers.map((answer) => `${answer}\n`).join(""));
  });
}

it.skipIf(!hasPython())("runs a turn, and applies what is accepted of a proposal", { timeout: 90_000 }, async () => {
  const insert = (name: string, modified: string): object => ({ op: "insert_at_start", path: name, modified });
  const edits = [insert("src/tax.ts", "// Taxes 🟢.\n"), insert("src/money.ts", "// Money.\n")];
  stage.steps.push(reply("I look. ", call("propose_edits", { description: "Says it.", edits })), reply("It is said."));
  const { code, stdout, stderr } = await run("Say it.", ["y", "n"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("+ // Taxes 🟢.") });
  expect(stdout).toContain("It is said.");
  expect(readFileSync(path.join(stage.folder, "src/tax.ts"), "utf8")).toMatch(/^\/\/ Taxes 🟢\.\n/);
  expect(readFileSync(path.join(stage.folder, "src/money.ts"), "utf8")).not.toContain("// Money.");
  expect(JSON.stringify(stage.model.requests.at(-1))).toContain("1 of 2 hunks");
});

it.skipIf(!hasPython())("tells its usage where the command line makes no sense", async () => {
  const wrong = execFile("python3", [program, "x"]);
  let said = "";
  wrong.stderr?.on("data", (text: string) => (said += text));
  const code = await new Promise((resolve) => wrong.once("close", resolve));
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining("usage: client.py FOLDER") });
});
