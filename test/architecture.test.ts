/** The import table of ARCHITECTURE.md as data: a file may import from its own folder and from the folders below it. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../server/src", import.meta.url));

const engines = ["typescript", "repl", "model"];
const base = ["protocol", "process", "lazy.ts"];
const levels: readonly (readonly string[])[] = [
  base,
  ["workspace"],
  engines,
  ["proposals"],
  ["tools"],
  ["agent"],
  ["conversation"],
  ["handlers"],
  ["compose-repl.ts"],
  ["compose-conversation.ts"],
  ["compose.ts", "doctor.ts"],
  ["main.ts"],
];

/** Packages with exactly one folder or file that may import their code; types are free. */
const onlyImporters: Readonly<Record<string, string>> = {
  typescript: "typescript/",
  "@anthropic-ai/sdk": "model/",
  "vscode-languageserver": "handlers/connection.ts",
  "node:child_process": "process/spawn.ts",
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const imports = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(root, file), "utf8");
  const pattern =
    /(?:import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)/g;
  return [...text.matchAll(pattern)].map((match) => ({
    from: file,
    to: match[2] ?? match[3] ?? "",
    typeOnly: match[1] !== undefined,
  }));
}

function folderOf(file: string): string {
  return file.split(path.sep)[0] ?? file;
}

function levelOf(folder: string): number {
  return levels.findIndex((level) => level.includes(folder));
}

describe("the house", () => {
  it("has a level for every folder", () => {
    const unknown = [...new Set(files.map(folderOf))].filter((folder) => levelOf(folder) === -1);
    expect(unknown, "add the folder to ARCHITECTURE.md and to the table in this test, with the reason").toEqual([]);
  });

  it("imports one way only, and no engine imports another", () => {
    const wrong = imports
      .filter(({ to }) => to.startsWith("."))
      .map(({ from, to }) => ({ from, target: path.join(path.dirname(from), to) }))
      .filter(({ from, target }) => {
        const [own, other] = [folderOf(from), folderOf(target)];
        if (own === other) return false;
        const isEngine = engines.includes(own) && engines.includes(other);
        return isEngine || levelOf(other) >= levelOf(own);
      })
      .map(({ from, target }) => `${from} must not import ${target}: pass what it needs in from compose.ts`);
    expect(wrong).toEqual([]);
  });

  it("imports each outside engine in one place", () => {
    const wrong = imports
      .filter(({ to, typeOnly }) => !typeOnly && !to.startsWith("."))
      .filter(({ from, to }) => {
        const name = Object.keys(onlyImporters).find((known) => to === known || to.startsWith(`${known}/`));
        return name !== undefined && !from.startsWith(onlyImporters[name] ?? "");
      })
      .map(({ from, to }) => `${from} must not import ${to}`);
    expect(wrong).toEqual([]);
  });

  it("reads files in one place, which knows what a regular file is", () => {
    const wrong = files.filter((file) => {
      const text = readFileSync(path.join(root, file), "utf8");
      const reads = /\b(readFile|readFileSync|createReadStream)\b/.test(text);
      // The image is another process, whose reading stops nobody else.
      return reads && !file.startsWith(path.join("repl", "child"));
    });
    expect(wrong, "use workspace/regular-file.ts").toEqual([]);
  });

  it("writes to standard output only in the transport and the command line", () => {
    const wrong = files.filter((file) => {
      const text = readFileSync(path.join(root, file), "utf8");
      const writes = /process\.stdout|console\.(log|info|debug|warn|error)/.test(text);
      // The image is another process: its standard output is the user's program's.
      return writes && !file.startsWith(path.join("repl", "child")) && !["main.ts", "doctor.ts"].includes(file);
    });
    expect(wrong).toEqual([]);
  });
});
