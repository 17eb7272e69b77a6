import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { clientFolder } from "./batch.ts";

const seam = /^agentq-(?:connection|eglot|lsp-mode.*)\.el$/;
const names = (await readdir(clientFolder)).filter((name) => name.endsWith(".el") && !seam.test(name));

it.each(names)("%s calls nothing of Eglot, lsp-mode and jsonrpc", async (name) => {
  const text = await readFile(join(clientFolder, name), "utf8");
  expect(text.match(/\((?:eglot|lsp|jsonrpc)-\S*|\(require '(?:eglot|lsp-mode|jsonrpc)\)/g)).toBeNull();
});
