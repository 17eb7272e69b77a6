/** How each contender is started. */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { repository } from "./install.ts";
import type { ServerCommand } from "./lsp-client.ts";

/** `program` is another build of `bin/agentq.js`, to measure a change beside what was there before it. */
export function agentqServer(program: string, env: Readonly<Record<string, string>> = {}): ServerCommand {
  return { command: [process.execPath, program, "--stdio"], env };
}

export const ownProgram: string = path.join(repository, "bin/agentq.js");

/** The native compiler's own server, without the JavaScript launcher in front of it: the fastest way to have it. */
export function nativeServer(): ServerCommand {
  const packageFile = createRequire(import.meta.url).resolve("typescript/package.json");
  const platformPackage = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
  const home = path.dirname(createRequire(packageFile).resolve(platformPackage));
  const binary = path.join(home, "lib", process.platform === "win32" ? "tsc.exe" : "tsc");
  return { command: [binary, "--lsp", "--stdio"] };
}

export function typescriptLanguageServer(peers: string): ServerCommand {
  const modules = path.join(peers, "node_modules");
  return {
    command: [process.execPath, path.join(modules, "typescript-language-server/lib/cli.mjs"), "--stdio"],
    initializationOptions: {
      tsserver: {
        path: path.join(modules, "typescript/lib/tsserver.js"),
        // By default a second, syntax-only tsserver answers while the project loads: references of one file, as if
        // that were all. The question here is for the complete answer.
        useSyntaxServer: "never",
      },
      disableAutomaticTypingAcquisition: true,
    },
  };
}

export function vtsls(peers: string): ServerCommand {
  const modules = path.join(peers, "node_modules");
  const typescript = { tsserver: { useSyntaxServer: "never" }, disableAutomaticTypeAcquisition: true };
  return {
    command: [process.execPath, path.join(modules, "@vtsls/language-server/bin/vtsls.js"), "--stdio"],
    configuration: { typescript, javascript: typescript },
  };
}

/** The MCP server, with the language server that it is to drive in `configFile`, which is written here. */
export function cclsp(peers: string, configFile: string): ServerCommand {
  const { command, initializationOptions } = typescriptLanguageServer(peers);
  const extensions = ["ts", "tsx", "mts", "cts", "js", "jsx"];
  writeFileSync(
    configFile,
    JSON.stringify({ servers: [{ extensions, command, initializationOptions, rootDir: "." }] }),
  );
  const program = path.join(peers, "node_modules/cclsp/dist/index.js");
  return { command: [process.execPath, program], env: { CCLSP_CONFIG_PATH: configFile } };
}

export function uriOf(file: string): string {
  return pathToFileURL(file).href;
}
