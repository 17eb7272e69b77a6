/** What a server does that is killed at any moment: `run` a command in a layer, or `put` entries. usage: killed-server.ts run|put FOLDER COMMAND */
import { join } from "node:path";
import { contentOf, type Entry } from "../../server/src/proposals/entries/entry.ts";
import { putEntry } from "../../server/src/proposals/entries/put-entry.ts";
import { childEnvironment } from "../../server/src/process/child-environment.ts";
import { runCommand } from "../../server/src/sandbox/command-run.ts";
import { Sandbox } from "../../server/src/sandbox/sandbox.ts";

const [mode, root = "", command = ""] = process.argv.slice(2);

async function run(): Promise<void> {
  const sandbox = new Sandbox({
    folders: () => [root],
    env: childEnvironment(),
    listFiles: async () => ({ files: [], unread: [] }),
  });
  await sandbox.wall();
  process.stdout.write("begins\n");
  const unsaved = new Map([[join(root, "typed.txt"), "typed\n"]]);
  const request = { command, folder: root, timeoutMs: 60_000, unsaved };
  await runCommand(sandbox, request, new AbortController().signal, async ({ end }) => {
    process.stdout.write(`${JSON.stringify(end)}\n`);
  });
  await sandbox.dispose();
}

/** One text, then the other, and again. */
async function put(): Promise<void> {
  const entries = ["a", "b"].map((letter): Entry => {
    return { kind: "file", mode: 0o644, content: contentOf(Buffer.alloc(2 ** 20, letter)) };
  });
  process.stdout.write("begins\n");
  for (let round = 0; ; round += 1) {
    const [before = null, after = null] = round % 2 === 0 ? entries : entries.toReversed();
    const why = await putEntry({ root, names: ["deep", "file"] }, { before, after });
    if (why !== undefined) throw new Error(why);
  }
}

await (mode === "put" ? put() : run());
