/** The network of a program whose hosts a person approved: a socket in its wall, and a bridge to the socket for its proxies. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mount } from "../wall/view.ts";
import { npmRegistry, trustedCertificates } from "./certificates.ts";
import { hostAndPort } from "./hosts.ts";
import type { Variables } from "../../base/variables.ts";

export interface NetworkOptions {
  readonly hosts: readonly string[];
  /** Holds the socket: a folder that nobody else may look into. */
  readonly folder: string;
  /** The server's own variables. Only certificates and the address of a registry are used. */
  readonly variables: Variables;
  /** The folders that may have an `.npmrc`, the nearest first. */
  readonly npmrcFolders: readonly string[];
}

export interface Network {
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
  /** Stands before the command. */
  readonly command: readonly string[];
  readonly denials: () => string[];
  readonly dispose: () => void;
}

const SHOWN = "/run/agentq";

/** Rejects where the disk refuses. */
export async function openNetwork({ hosts, folder, variables, npmrcFolders }: NetworkOptions): Promise<Network> {
  const named = new Set(hosts.map((each) => hostAndPort(each)?.host));
  const own = ["localhost", "127.0.0.1", "::1"].filter((each) => !named.has(each)).join();
  const env: Record<string, string> = { no_proxy: own, NO_PROXY: own };
  const mounts: Mount[] = [{ kind: "read", path: join(SHOWN, "proxy"), from: join(folder, "proxy") }];
  for (const [name, text] of await trustedCertificates(variables)) {
    const file = `${name}.pem`;
    await writeFile(join(folder, file), text);
    mounts.push({ kind: "read", path: join(SHOWN, file), from: join(folder, file) });
    env[name] = join(SHOWN, file);
  }
  const registry = await npmRegistry(variables, npmrcFolders);
  if (registry !== undefined) env["npm_config_registry"] = registry;
  // Loaded for a program that has hosts: with Node's HTTP come the clients of fetch and of web sockets.
  const { HostProxy } = await import("./host-proxy.ts");
  const proxy = new HostProxy({ hosts });
  await proxy.listen(join(folder, "proxy"));
  return {
    mounts,
    env,
    command: [process.execPath, "-e", BRIDGE, join(SHOWN, "proxy")],
    denials: () => proxy.denials(),
    dispose: () => proxy.dispose(),
  };
}

/**
 * Runs in the wall: gives the program a port of its own loopback, since no program asks a proxy on a socket of the file system.
 * The bridge decides nothing, so that it does not matter what the program does to it.
 */
const BRIDGE = `
const { createServer, connect } = require("node:net");
const { constants } = require("node:os");
const [path, program, ...args] = process.argv.slice(1);
const bridge = createServer((near) => {
  const far = connect(path);
  for (const [one, other] of [[near, far], [far, near]]) one.on("error", () => other.destroy()).on("close", () => other.destroy()).pipe(other);
});
bridge.listen(0, "127.0.0.1", () => {
  const url = "http://127.0.0.1:" + bridge.address().port;
  const env = { ...process.env, NODE_USE_ENV_PROXY: "1", npm_config_proxy: url, npm_config_https_proxy: url };
  for (const name of ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"]) env[name] = url;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  const child = require("node:child_process").spawn(program, args, { env, stdio: "inherit" });
  child.on("error", (error) => { process.stderr.write(error.message + "\\n"); process.exit(127); });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});
`;
