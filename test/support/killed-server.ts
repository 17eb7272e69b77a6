/** What a server does that is killed at any moment. usage: killed-server.ts run FOLDER COMMAND [WALL] | evaluate FOLDER FORM [WALL] | put FOLDER */
import { join } from "node:path";
import { contentOf, type Entry } from "../../server/src/proposals/entries/entry.ts";
import { putEntry } from "../../server/src/proposals/entries/put-entry.ts";
import { childEnvironment } from "../../server/src/process/child-environment.ts";
import { runCommand } from "../../server/src/sandbox/runs/command-run.ts";
import { knownWall } from "./known-wall.ts";
import type { ImageWall } from "../../server/src/repl/confinement/image-wall.ts";
import { createImage } from "../../server/src/repl/process/image-process.ts";
import { Sandbox } from "../../server/src/sandbox/sandbox.ts";
import { isSecretName } from "../../server/src/workspace/secret-names.ts";

const [mode, root = "", command = "", only = ""] = process.argv.slice(2);

async function wall(): Promise<Sandbox> {
  const sandbox = new Sandbox({
    folders: () => [root],
    env: childEnvironment(),
    listFiles: async () => ({ files: [], unread: [] }),
    ...(only === "namespaces" && { only }),
  });
  await sandbox.wall();
  return sandbox;
}

/** A form behind the wall. */
async function evaluate(): Promise<void> {
  const sandbox = await wall();
  const nobody = (): void => undefined;
  const raise: Extract<ImageWall, { kind: "walled" }>["raise"] = (program, signal) => sandbox.live(program, signal);
  const own = { projectRoot: root, isSecretName, onOutput: nobody, onState: nobody, log: nobody };
  const image = createImage({ ...own, wall: knownWall({ kind: "walled", raise }) });
  process.stdout.write("begins\n");
  const { outcome } = await image.evaluate({ code: command, by: "agent" }, new AbortController().signal);
  process.stdout.write(`${outcome}\n`);
  await image.dispose();
  await sandbox.dispose();
}

async function run(): Promise<void> {
  const sandbox = await wall();
  process.stdout.write("begins\n");
  const unsaved = new Map([[join(root, "typed.txt"), "typed\n"]]);
  const request = { command, folder: root, timeoutMs: 60_000, hosts: [], unsaved };
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

const modes = { put, evaluate, run };
await modes[mode as keyof typeof modes]();
