import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../run.ts";
import { sourceForSuite, type AptSource } from "./mirror.ts";

interface Closure {
  readonly suite: string;
  readonly packages: readonly string[];
  readonly into: string;
  readonly work: string;
}

/**
 * Unpacks Debian packages of one suite, with everything they depend on, into a folder. apt works on a private state
 * inside `work`: the machine's own package lists, database and cache are neither used nor changed, and no package
 * script runs. The machine's settings for reaching its mirror stay in force.
 */
export function unpackClosure({ suite, packages, into, work }: Closure): void {
  const source = sourceForSuite(suite);
  if (source === undefined) throw new Error("apt on this machine knows no Debian mirror");
  const config = writePrivateState(work, source);
  const apt = (...args: string[]) =>
    run("apt-get", ["-c", config, "-q", "-y", ...args], { env: { ...process.env, LC_ALL: "C" } });
  apt("update");
  apt("--no-install-recommends", "--download-only", "install", ...packages);

  const archives = join(work, "cache", "archives");
  mkdirSync(into, { recursive: true });
  for (const name of readdirSync(archives)) {
    if (!name.endsWith(".deb")) continue;
    run("dpkg-deb", ["-x", join(archives, name), into]);
    rmSync(join(archives, name));
  }
}

function writePrivateState(work: string, source: AptSource): string {
  for (const folder of ["state/lists/partial", "cache/archives/partial", "sources.d"]) {
    mkdirSync(join(work, folder), { recursive: true });
  }
  writeFileSync(join(work, "status"), "");
  writeFileSync(join(work, "sources.d", source.name), source.text);
  const config = join(work, "apt.conf");
  writeFileSync(config, privateConfiguration(work));
  return config;
}

// Given with `-c`, this is read after the machine's own configuration, which therefore still supplies proxies, keys
// and access data. Its hooks are cleared because they tidy the machine's real cache.
function privateConfiguration(work: string): string {
  return [
    `Dir::State ${JSON.stringify(join(work, "state"))};`,
    `Dir::State::status ${JSON.stringify(join(work, "status"))};`,
    `Dir::Cache ${JSON.stringify(join(work, "cache"))};`,
    `Dir::Etc::sourcelist "/dev/null";`,
    `Dir::Etc::sourceparts ${JSON.stringify(join(work, "sources.d"))};`,
    `Dir::Etc::preferences "/dev/null";`,
    `Dir::Etc::preferencesparts "/dev/null";`,
    `Dir::Log "/dev/null";`,
    `APT::Default-Release "";`,
    `APT::Sandbox::User "";`,
    `APT::Update::Error-Mode "any";`,
    `Acquire::Languages "none";`,
    `Acquire::Retries "3";`,
    "#clear APT::Update::Pre-Invoke;",
    "#clear APT::Update::Post-Invoke;",
    "#clear APT::Update::Post-Invoke-Success;",
    "#clear DPkg::Pre-Invoke;",
    "#clear DPkg::Post-Invoke;",
    "#clear DPkg::Pre-Install-Pkgs;",
    "",
  ].join("\n");
}
