/** What the server reads from disk to know its tools: not what only some calls need. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { spawn } from "../../../server/src/process/spawn.ts";

const server = fileURLToPath(new URL("../../../server/src/", import.meta.url));

/** Loads a module in a process of its own and answers the packages that came with it, and Node's HTTP. */
async function packagesOf(module: string): Promise<string[]> {
  const script = `
    import { registerHooks } from "node:module";
    const found = new Set();
    const load = (url, context, next) => {
      const name = /\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? /^node:https?$/.exec(url)?.[0];
      if (name !== undefined) found.add(name);
      return next(url, context);
    };
    registerHooks({ load });
    await import(${JSON.stringify(pathToFileURL(server + module).href)});
    process.stdout.write(JSON.stringify([...found].sort()));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (more: string) => (text += more));
  await new Promise((resolve) => child.once("close", resolve));
  return JSON.parse(text) as string[];
}

it("knows all tools without the parser, the transformers and the difference of texts, which few calls need", async () => {
  expect(await packagesOf("tools/all-tools.ts")).toEqual([
    // Reads every tsconfig, and is part of the bundle.
    "json5",
    "typescript",
    "vscode-jsonrpc",
    "vscode-languageserver-textdocument",
  ]);
});

it("knows the wall without Node's HTTP, which loads the clients of fetch and of web sockets with it", async () => {
  expect(await packagesOf("sandbox/sandbox.ts")).toEqual([]);
});

it("notices a module that needs one of them", async () => {
  expect(await packagesOf("repl/source/instrument.ts")).toContain("magic-string");
  expect(await packagesOf("sandbox/network/host-proxy.ts")).toEqual(["node:http"]);
});
