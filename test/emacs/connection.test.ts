import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { clientFolder } from "./batch.ts";

const names = (await readdir(clientFolder)).filter((name) => name.endsWith(".el"));
const seam = /^agentq-(?:connection|eglot|lsp-mode.*)\.el$/;

it.each(names.filter((name) => !seam.test(name)))("%s calls nothing of Eglot, lsp-mode and jsonrpc", async (name) => {
  const text = await readFile(join(clientFolder, name), "utf8");
  expect(text.match(/\((?:eglot|lsp|jsonrpc)-\S*|\(require '(?:eglot|lsp-mode|jsonrpc)\)/g)).toBeNull();
});

/** Who makes timers that run while TRAMP waits for another machine, and why such a timer asks no machine. */
const OWN_TIMERS: Readonly<Record<string, string>> = {
  "agentq-heading.el": "draws a line with the time in it",
  "agentq-lsp-mode.el": "ends a request to a server on this machine",
  "agentq-tramp.el": "is where the other timers are made",
  "agentq-writer.el": "inserts text that has come",
};

it.each(names.filter((name) => !(name in OWN_TIMERS)))("%s has its timers wait for TRAMP", async (name) => {
  const text = await readFile(join(clientFolder, name), "utf8");
  expect(text.match(/\((?:run-at-time|run-with-(?:idle-)?timer)\b/g)).toBeNull();
});
