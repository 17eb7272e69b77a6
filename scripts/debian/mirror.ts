import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const releases = /^(stable|testing|unstable|sid|bullseye|bookworm|trixie|forky|duke)$/;

/** The name and the text of a `.sources` or `.list` file. */
export interface AptSource {
  readonly name: string;
  readonly text: string;
}

/**
 * The machine's own source of Debian packages, rewritten for another suite. Mirror, keys and options stay as the
 * machine has them; `etc` is apt's configuration folder. Undefined where apt knows no Debian mirror.
 */
export function sourceForSuite(suite: string, etc = "/etc/apt"): AptSource | undefined {
  for (const file of sourceFiles(etc)) {
    const text = readFileSync(file, "utf8");
    const found = file.endsWith(".sources") ? fromStanzas(text, suite) : fromLines(text, suite);
    if (found !== undefined) return { name: file.endsWith(".sources") ? "debian.sources" : "debian.list", text: found };
  }
  return undefined;
}

function sourceFiles(etc: string): string[] {
  const parts = join(etc, "sources.list.d");
  const names = existsSync(parts) ? readdirSync(parts).sort() : [];
  return [
    join(etc, "sources.list"),
    ...names.filter((name) => /\.(sources|list)$/.test(name)).map((name) => join(parts, name)),
  ].filter((file) => existsSync(file));
}

function fromStanzas(text: string, suite: string): string | undefined {
  const withoutComments = text.replace(/^#.*\n/gm, "");
  for (const stanza of withoutComments.split(/\n\s*\n/)) {
    if (/^Enabled:\s*no\s*$/im.test(stanza) || !/^Types:.*\bdeb\b/im.test(stanza)) continue;
    const suites = /^Suites:\s*(.*)$/im.exec(stanza)?.[1] ?? "";
    if (!suites.split(/\s+/).some((name) => releases.test(name))) continue;
    return stanza
      .trim()
      .replace(/^Types:.*$/im, "Types: deb")
      .replace(/^Suites:.*$/im, `Suites: ${suite}`)
      .replace(/^Components:.*$/im, "Components: main")
      .concat("\n");
  }
  return undefined;
}

function fromLines(text: string, suite: string): string | undefined {
  for (const line of text.split("\n")) {
    const match = /^\s*deb\s+(\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+\S/.exec(line);
    if (match === null || !releases.test(match[3] ?? "")) continue;
    return `deb ${match[1] ?? ""}${match[2]} ${suite} main\n`;
  }
  return undefined;
}
