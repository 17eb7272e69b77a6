/** How each contender is started. */
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { repository } from "./install.ts";
import type { ServerCommand } from "./lsp-client.ts";

export function agentqServer(env: Readonly<Record<string, string>> = {}): ServerCommand {
  return { command: [process.execPath, path.join(repository, "bin/agentq.js"), "--stdio"], env };
}

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
      tsserver: { path: path.join(modules, "typescript/lib/tsserver.js") },
      disableAutomaticTypingAcquisition: true,
    },
  };
}

export function uriOf(file: string): string {
  return pathToFileURL(file).href;
}
