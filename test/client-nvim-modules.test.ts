/** The modules of the Neovim client know each other one way: what a module requires, at once or later, never leads back. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../client-nvim/lua/agentq", import.meta.url));

/** Ways back that are meant, each with its reason. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  // A server's first words come through the door to every feature, and a feature starts the server when there is none.
  start: ["handlers"],
};

const modules = new Map(
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".lua"))
    .map((file) => {
      const name = file.slice(0, -".lua".length).replaceAll(path.sep, ".");
      const code = readFileSync(path.join(root, file), "utf8").replaceAll(/--.*/g, "");
      const required = [...code.matchAll(/require\s*\(?["']agentq\.([\w.]+)["']/g)].map((match) => match[1] ?? "");
      return [
        name,
        [...new Set(required)].filter((other) => other !== name && MEANT[name]?.includes(other) !== true),
      ] as const;
    }),
);

/** A way from a module back to itself, as names; undefined where there is none. */
function wayBack(from: string): string[] | undefined {
  const seen = new Set<string>();
  const ways = [[from]];
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    for (const next of modules.get(way.at(-1) ?? "") ?? []) {
      if (next === from) return [...way, next];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}

it("finds the modules, and what they require inside of functions too", () => {
  expect(modules.size).toBeGreaterThan(100);
  expect(modules.get("handlers")).toContain("chat.turn_events");
});

it("requires no module that leads back", () => {
  const ways = [...modules.keys()].flatMap((name) => wayBack(name)?.join(" → ") ?? []);
  expect(ways, "hand what the lower module needs to it, or let it call who listens").toEqual([]);
});
