/**
 * Emacs with the client loaded, dumped to a file. An Emacs that starts from the file is as fresh as any other, and does
 * not read and load forty Lisp files first: every test has one of its own, and no test has to clean up for the next.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Editor } from "../support/editors.ts";
import { clientFolder, lispString, runBatch } from "./batch.ts";

const store = fileURLToPath(new URL("../../.cache/emacs-dumps", import.meta.url));
const driverFolder = fileURLToPath(new URL(".", import.meta.url));
const driver = join(driverFolder, "agentq-test-driver.el");

/** The dump of that Emacs with the client as it stands in this checkout, made when it is not here yet. */
export async function dumpOf(editor: Editor): Promise<string> {
  const name = `${editor.version}-${await digest(editor)}.pdmp`;
  const path = join(store, name);
  if (existsSync(path)) return path;
  await mkdir(store, { recursive: true });
  const temporary = `${path}.${process.pid}`;
  const load = ["-L", clientFolder, "-l", "agentq", "-l", "agentq-eglot", "-l", driver];
  const result = await runBatch(editor, store, [...load, "--eval", `(dump-emacs-portable ${lispString(temporary)})`]);
  if (!existsSync(temporary)) throw new Error(`Emacs ${editor.version} made no dump: ${result.output}`);
  await rename(temporary, path);
  await removeOthers(editor.version, name);
  return path;
}

async function digest(editor: Editor): Promise<string> {
  const sources = (await readdir(clientFolder))
    .filter((name) => name.endsWith(".el"))
    .map((name) => join(clientFolder, name));
  const hash = createHash("sha256").update(editor.path);
  for (const path of [...sources.toSorted(), driver]) hash.update(path).update(await readFile(path));
  return hash.digest("hex").slice(0, 16);
}

/** An older dump is of no use: its client is not that of the checkout any more. */
async function removeOthers(version: string, kept: string): Promise<void> {
  const others = (await readdir(store)).filter(
    (name) => name.startsWith(`${version}-`) && name.endsWith(".pdmp") && name !== kept,
  );
  await Promise.all(others.map((name) => rm(join(store, name), { force: true })));
}
