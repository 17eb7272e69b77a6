/** Where a person keeps what they write for Agent-Q themselves: beside their other programs' configuration. */
import path from "node:path";
import type { Machine } from "./state-folder.ts";

/**
 * `$XDG_CONFIG_HOME/agentq`, else `~/.config/agentq`, on macOS too, as programs have it whose users live in a
 * terminal; on Windows `%APPDATA%\agentq`. A relative variable is ignored.
 */
export function configFolder({ platform, home, variables }: Omit<Machine, "realPath">): string {
  const own = variables["XDG_CONFIG_HOME"];
  if (own !== undefined && path.isAbsolute(own)) return path.join(own, "agentq");
  if (platform !== "win32") return path.join(home, ".config", "agentq");
  return path.join(variables["APPDATA"] ?? path.join(home, "AppData", "Roaming"), "agentq");
}
