/** The REPLs that the cases are put to beside the image: exact versions, brought once into `.cache/peers`. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Host } from "../../test/strangers/case.ts";

export type PeerName = Host;

export interface Peer {
  readonly name: PeerName;
  readonly version: string;
  /** Program and arguments; the program is a path. */
  readonly command: readonly string[];
  /** The command as a person writes it. */
  readonly shown: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** A prompt stands after each answer, also over a pipe. */
  readonly prompts: boolean;
  /** How a form is written to the REPL; by default the form as it is. */
  readonly encode?: (form: string) => string;
  /** For a REPL whose start takes seconds: it keeps its process from case to case until it answers a case wrong. */
  readonly stays?: true;
  /** More arguments, by what the forms are written in. */
  readonly languages?: { readonly typescript: string; readonly javascript: string };
  /** A string is printed without quotes. */
  readonly bareStrings?: true;
  /** Node's types for a REPL that checks them, to be linked into the project. */
  readonly types?: string;
}

export interface MissingPeer {
  readonly name: PeerName;
  readonly version: string;
  readonly why: string;
}

const repository = fileURLToPath(new URL("../..", import.meta.url));
const store = path.join(repository, ".cache/peers");

/** Newer ones are taken on purpose, by changing these lines. */
const packages = {
  tsx: { tsx: "4.23.15" },
  "deno repl": { deno: "2.9.6" },
  "bun repl": { bun: "1.4.5" },
  "ts-node": { "ts-node": "10.9.2", typescript: "5.9.3", "@types/node": "24.19.2" },
  tslab: { tslab: "1.0.22" },
} as const satisfies Partial<Record<PeerName, Record<string, string>>>;

/** Every peer, or the sentence that says why it is not here. */
export function providePeers(): readonly (Peer | MissingPeer)[] {
  const node: Peer = {
    name: "node -i",
    version: process.versions.node,
    command: [process.execPath, "-i"],
    shown: "node -i",
    prompts: true,
  };
  return [node, ...Object.keys(packages).map((name) => provide(name as keyof typeof packages))];
}

function provide(name: keyof typeof packages): Peer | MissingPeer {
  const wanted: Readonly<Record<string, string>> = packages[name];
  const [main = "", version = ""] = Object.entries(wanted)[0] ?? [];
  const folder = path.join(store, `${main}-${version}`);
  const why = existsSync(folder) ? undefined : install(folder, wanted);
  if (why !== undefined) return { name, version, why };
  const inside = (file: string): string => path.join(folder, "node_modules", file);
  const command = commandOf(name, inside);
  if (!existsSync(command[command.length > 1 && command[0] === process.execPath ? 1 : 0] ?? "")) {
    return { name, version, why: "its package has no program for this system" };
  }
  const prompts = name !== "deno repl" && name !== "tslab";
  const kernel = {
    encode: (form: string) => JSON.stringify(form),
    bareStrings: true,
    types: inside("@types/node"),
    stays: true,
    languages: { typescript: "ts", javascript: "js" },
  } as const;
  return {
    name,
    version,
    command,
    shown: SHOWN[name],
    environment: ENVIRONMENT,
    prompts,
    ...(name === "tslab" ? kernel : {}),
  };
}

/** Its own defaults ask for settings that TypeScript refuses together with the project's. */
const TS_NODE = '{"module":"CommonJS","moduleResolution":"Node","jsx":"react"}';

const SHOWN: Readonly<Record<keyof typeof packages, string>> = {
  tsx: "tsx -i",
  "deno repl": "deno repl --allow-all",
  "bun repl": "bun repl",
  "ts-node": `ts-node -i --transpile-only --skip-project -O '${TS_NODE}'`,
  tslab: "tslab's executor, as its Jupyter kernel calls it (bench/repl-cases/tslab-kernel.mjs)",
};

/** No colours, no update notices. */
const ENVIRONMENT = { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", DENO_NO_PROMPT: "1", DO_NOT_TRACK: "1" };

function commandOf(name: keyof typeof packages, inside: (file: string) => string): readonly string[] {
  const { platform, arch } = process;
  switch (name) {
    case "tsx":
      return [process.execPath, inside("tsx/dist/cli.mjs"), "-i"];
    case "deno repl":
      return [inside(`@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}/deno`), "repl", "--allow-all"];
    case "bun repl":
      return [inside(`@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}/bin/bun`), "repl"];
    case "ts-node":
      return [
        process.execPath,
        inside("ts-node/dist/bin.js"),
        "-i",
        "--transpile-only",
        "--skip-project",
        "-O",
        TS_NODE,
      ];
    case "tslab":
      return [process.execPath, path.join(import.meta.dirname, "tslab-kernel.mjs"), inside("tslab")];
  }
}

/** Made in another folder and renamed when it is whole, so that an install that was cut off is done again. */
function install(folder: string, wanted: Readonly<Record<string, string>>): string | undefined {
  const specs = Object.entries(wanted).map(([name, version]) => `${name}@${version}`);
  console.error(`Installing ${specs.join(", ")} …`);
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(path.join(partial, "package.json"), '{ "private": true }\n');
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { status, stderr, error } = spawnSync(
    npm,
    ["install", "--prefix", partial, "--save-exact", ...quiet, ...specs],
    {
      cwd: partial,
      encoding: "utf8",
    },
  );
  if (error !== undefined || status !== 0) {
    rmSync(partial, { recursive: true, force: true });
    return `npm could not install it: ${error?.message ?? stderr.trim().split("\n").at(-1) ?? ""}`;
  }
  renameSync(partial, folder);
  return undefined;
}
