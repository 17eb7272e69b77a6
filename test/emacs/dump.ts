/**
 * Emacs with the client loaded, dumped to a file. An Emacs that starts from the file is as fresh as any other, and does
 * not read and load forty Lisp files first: a test that cannot share one has one of its own for a tenth of a second.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clientFolder, lispString, runBatch, SOURCES } from "./batch.ts";
import type { ConnectionKind, Emacs } from "./connections.ts";

const store = fileURLToPath(new URL("../../.cache/emacs-dumps", import.meta.url));
const driverFolder = fileURLToPath(new URL(".", import.meta.url));
const driver = join(driverFolder, "agentq-test-driver.el");

/**
 * What holds the connection, and not the other one: neither is needed for the other. Of lsp-mode only what it requires:
 * it has a mutex, which cannot be dumped, and is loaded by each Emacs.
 */
const SHIMS: Readonly<Record<ConnectionKind, readonly string[]>> = {
  eglot: ["-l", "agentq-eglot"],
  "lsp-mode": ["-l", "lsp-protocol", "-l", "markdown-mode", "-l", "xref", "-l", "tree-widget", "-l", "spinner"],
};

/** The dump of that Emacs with the client as it stands in this checkout, made when it is not here yet. */
export async function dumpOf(emacs: Emacs): Promise<string> {
  const { version, connection = "eglot" } = emacs;
  const name = `${version}-${connection}-${await digest(emacs)}.pdmp`;
  const path = join(store, name);
  if (existsSync(path)) return path;
  await mkdir(store, { recursive: true });
  const temporary = `${path}.${process.pid}`;
  const load = [...SOURCES, "-l", "agentq", ...SHIMS[connection], "-l", driver];
  const result = await runBatch(emacs, store, [...load, "--eval", `(dump-emacs-portable ${lispString(temporary)})`]);
  if (result.code !== 0) {
    await rm(temporary, { force: true });
    throw new Error(`Emacs ${version} made no dump: ${result.output}`);
  }
  await rename(temporary, path);
  await removeOthers(`${version}-${connection}-`, name);
  return path;
}

async function digest(emacs: Emacs): Promise<string> {
  const sources = (await readdir(clientFolder))
    .filter((name) => name.endsWith(".el"))
    .map((name) => join(clientFolder, name));
  const hash = createHash("sha256").update(emacs.path);
  for (const path of [...sources.toSorted(), driver]) hash.update(path).update(await readFile(path));
  return hash.digest("hex").slice(0, 16);
}

/** An older dump is of no use: its client is not that of the checkout any more. */
async function removeOthers(beginning: string, kept: string): Promise<void> {
  const others = (await readdir(store)).filter(
    (name) => name.startsWith(beginning) && name.endsWith(".pdmp") && name !== kept,
  );
  await Promise.all(others.map((name) => rm(join(store, name), { force: true })));
}
