/** Names of hosts as people write them, and what a program may reach by them. */
import { BlockList, isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

export interface HostAndPort {
  /** In small letters, without brackets and without a dot at the end. */
  readonly host: string;
  readonly port: number | undefined;
}

/** Undefined for what names no host. */
export function hostAndPort(text: string): HostAndPort | undefined {
  const [, name, port] = /^(\[[\d a-f:.]+\]|[^:[\]/@\s]+?)\.?(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (name === undefined || Number(port ?? 1) > 65_535) return undefined;
  return { host: name.replaceAll(/[[\]]/g, "").toLowerCase(), port: port === undefined ? undefined : Number(port) };
}

/** Without a port of its own, an entry (`example.com`, `example.com:8080`, `10.0.0.7`, in settings `*.example.com`) means the web's: 80 and 443. */
const WEB_PORTS = [80, 443];

/** Whether one of the entries means the place. */
export function isNamed(entries: readonly string[], { host, port }: HostAndPort): boolean {
  return entries.some((entry) => {
    const isBelow = entry.startsWith("*.");
    const named = hostAndPort(isBelow ? entry.slice(2) : entry);
    if (named === undefined) return false;
    const isHost = isBelow ? host.endsWith(`.${named.host}`) : host === named.host;
    if (!isHost) return false;
    if (port === undefined) return named.port === undefined;
    return named.port === undefined ? WEB_PORTS.includes(port) : named.port === port;
  });
}

/** Whether the entries, which are the person's, mean what an entry of somebody else's means. */
export function isListed(entries: readonly string[], entry: string): boolean {
  const place = hostAndPort(entry);
  return place !== undefined && isNamed(entries, place);
}

const LOCAL = new BlockList();
for (const [net, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  LOCAL.addSubnet(net, prefix, "ipv4");
}
for (const [net, prefix] of [
  ["::", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 9],
  ["ff00::", 8],
] as const) {
  LOCAL.addSubnet(net, prefix, "ipv6");
}
// What a cloud answers its own machines outside of the ranges above.
LOCAL.addAddress("168.63.129.16", "ipv4");

/**
 * This machine, its network at home or at work, and what is no host at all. IPv4 that is written as IPv6 is judged as
 * IPv4.
 */
export function isPrivate(address: string): boolean {
  const own = Object.values(networkInterfaces()).flat();
  if (isIP(address) === 0 || own.some((each) => each?.address === address)) return true;
  return LOCAL.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
