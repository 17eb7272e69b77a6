/** Lets every Node process that the project's code forks load modules as its threads do. */
import type { ForkOptions } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { replaceFunction } from "../shared/replace-function.ts";

/**
 * The environment variable that names the socket. Only the program of `hooksUrl` reads it, and removes it from the
 * environment.
 */
export const SOCKET_VARIABLE = "AGENTQ_MODULES";

export function hookForks(hooksUrl: string, socket: () => string | undefined): void {
  replaceFunction(process.getBuiltinModule("node:child_process"), "fork", (original) => (self, [file, ...rest]) => {
    const [given, options] = (Array.isArray(rest[0]) ? rest : [[], rest[0] ?? rest[1]]) as [string[], ForkOptions?];
    const { execPath = process.execPath, execArgv = process.execArgv, env = process.env } = options ?? {};
    const path = execPath === process.execPath ? socket() : undefined;
    if (path === undefined) return original(self, [file, ...rest]);
    const hooked = { execArgv: [...execArgv, "--import", hooksUrl], env: { ...env, [SOCKET_VARIABLE]: path } };
    return original(self, [file, given, { ...options, ...hooked }]);
  });
  syncBuiltinESMExports();
}
