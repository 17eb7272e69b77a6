/**
 * The proxy between this machine and the network: what HTTPS_PROXY, HTTP_PROXY and NO_PROXY say holds for everything that
 * the server itself asks by HTTP, which are models and MCP servers. Node takes them up only where it is told to.
 */
import type { Variables } from "./variables.ts";

/** What runs on this machine is not asked for through a proxy, which could not reach it. */
const LOOPBACK = ["localhost", "127.0.0.1", "::1", "[::1]"];

/** Why the proxies are not used, as a sentence for the person; undefined where they are, or where none is named. */
export function useWebProxy(variables: Variables): string | undefined {
  const [http, https] = [named(variables, "http"), named(variables, "https")];
  if (http === undefined && https === undefined) return undefined;
  const unusable = [http, https].find((url) => url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ""));
  if (unusable !== undefined) {
    return "HTTPS_PROXY or HTTP_PROXY in the editor's environment names no proxy, and is not used: an address such as http://proxy.example:3128 is needed.";
  }
  const { setGlobalProxyFromEnv: use } = process.getBuiltinModule("node:http") as Partial<typeof import("node:http")>;
  if (use === undefined) {
    return variables["NODE_USE_ENV_PROXY"] === "1"
      ? undefined
      : `HTTPS_PROXY or HTTP_PROXY is set, and Node ${process.versions.node} takes it up only with NODE_USE_ENV_PROXY=1 in the editor's environment, or from Node 24.14 on.`;
  }
  use({
    ...(http === undefined ? {} : { http_proxy: http }),
    ...(https === undefined ? {} : { https_proxy: https }),
    no_proxy: exceptions(variables).join(","),
  });
  return undefined;
}

/** The proxy on the way to that address, without a name and password in it; undefined for none. */
export function proxyOnTheWay(variables: Variables, address: string): string | undefined {
  const url = URL.parse(address);
  const proxy = url === null ? undefined : named(variables, url.protocol === "https:" ? "https" : "http");
  const shown = proxy === undefined ? null : URL.parse(proxy);
  if (url === null || shown === null || exceptions(variables).some((each) => covers(each, url))) return undefined;
  return shown.origin;
}

function named(variables: Variables, scheme: "http" | "https"): string | undefined {
  const name = `${scheme}_proxy`;
  return [variables[name], variables[name.toUpperCase()]].find((value) => value !== undefined && value !== "");
}

function exceptions(variables: Variables): string[] {
  const own = variables["no_proxy"] ?? variables["NO_PROXY"] ?? "";
  return [...own.split(/[\s,]+/).filter((each) => each !== ""), ...LOOPBACK];
}

/** As Node reads an entry of NO_PROXY: a host with what lies below it, with or without a port, or `*`. */
function covers(entry: string, { hostname, host }: URL): boolean {
  if (entry === "*" || entry === host || entry === hostname) return true;
  const domain = entry.replace(/^\*?\.?/, "").toLowerCase();
  return domain !== "" && (hostname === domain || hostname.endsWith(`.${domain}`));
}
