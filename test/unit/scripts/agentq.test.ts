import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let checkout: string;

beforeEach(() => {
  checkout = realpathSync(mkdtempSync(join(tmpdir(), "agentq-bin-")));
  mkdirSync(join(checkout, "bin"));
  copyFileSync(join(import.meta.dirname, "../../../bin/agentq.js"), join(checkout, "bin/agentq.js"));
  writeFileSync(join(checkout, "package.json"), JSON.stringify({ type: "module" }));
});

afterEach(() => {
  rmSync(checkout, { recursive: true });
});

function makeDist(): void {
  mkdirSync(join(checkout, "dist"));
  copyFileSync(join(import.meta.dirname, "../../../dist/own-place.js"), join(checkout, "dist/own-place.js"));
}

function start(nodeOptions: readonly string[] = [], command = "--stdio") {
  return spawnSync(process.execPath, [...nodeOptions, join(checkout, "bin/agentq.js"), command], {
    encoding: "utf8",
  });
}

describe("the agentq program", () => {
  it.each(["--stdio", "run"])("asks for a build when there is none, for %s", (command) => {
    const { status, stdout, stderr } = start([], command);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^agentq is not built yet: run "npm run build" in [^\n]*\n$/);
  });

  it("says in one sentence what it needs when an older Node starts it", () => {
    const older = join(checkout, "older.cjs");
    writeFileSync(older, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");
    mkdirSync(join(checkout, "node_modules/node/bin"), { recursive: true });
    const newer = join(checkout, "node_modules/node/bin/node");
    writeFileSync(newer, "");
    const { status, stdout, stderr } = start(["--require", older]);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^agentq needs Node 22\.15 or newer, but this is Node 20\.20\.2 [^\n]*\n$/);
    expect(stderr).toContain(newer);
  });

  it("runs the built server with the arguments it was given", () => {
    makeDist();
    writeFileSync(join(checkout, "dist/main.js"), "process.stdout.write(process.argv.slice(2).join());");
    expect(start()).toMatchObject({ status: 0, stdout: "--stdio" });
  });
});

const NOBODY = 65_534;

interface Places {
  readonly home: string;
  readonly cache: string;
}

/** A folder into which another user could have put something, or in whose place another user could put another one. */
const NOT_THE_PERSONS: Readonly<Record<string, (places: Places) => void>> = {
  "others may write into": ({ cache }) => makeOpen(cache, 0o702),
  "a group may write into": ({ cache }) => makeOpen(cache, 0o720),
  "a project may have brought along": ({ cache }) => makeOpen(cache, 0o755),
  "is a link": ({ cache, home }) => symlinkSync(home, join(cache, "agentq")),
  "is a file": ({ cache }) => writeFileSync(join(cache, "agentq"), "", { mode: 0o700 }),
  "others may rename": ({ cache }) => chmodSync(cache, 0o777),
  "lies in a folder that others may rename": ({ home }) => chmodSync(home, 0o777),
  ...(process.getuid?.() === 0 && {
    "is another user's": ({ cache }) => {
      makeOpen(cache, 0o700);
      chownSync(join(cache, "agentq"), NOBODY, NOBODY);
    },
    "lies in another user's": ({ cache }) => chownSync(cache, NOBODY, NOBODY),
    "lies in another user's, who lets nobody take anything away": ({ cache }) => {
      chmodSync(cache, 0o1777);
      chownSync(cache, NOBODY, NOBODY);
    },
  }),
};

function makeOpen(cache: string, mode: number): void {
  mkdirSync(join(cache, "agentq"));
  chmodSync(join(cache, "agentq"), mode);
}

describe.skipIf(process.getuid === undefined)("compiled code, which Node runs without a look at its source,", () => {
  let places: Places & { readonly shared: string };

  beforeEach(() => {
    const [shared, home] = [join(checkout, "shared"), join(checkout, "person/home")];
    places = { shared, home, cache: join(home, "cache") };
    for (const folder of [shared, places.cache, join(checkout, "project")]) mkdirSync(folder, { recursive: true });
    makeDist();
    const tell = "process.stdout.write(String(process.getBuiltinModule('module').getCompileCacheDir()));";
    writeFileSync(join(checkout, "dist/main.js"), tell);
  });

  function cacheWith(variables: Record<string, string> = {}): string {
    const { shared, home, cache } = places;
    const env = { PATH: process.env["PATH"], TMPDIR: shared, HOME: home, XDG_CACHE_HOME: cache, ...variables };
    const program = join(checkout, "bin/agentq.js");
    const { stdout } = spawnSync(process.execPath, [program], {
      env,
      encoding: "utf8",
      cwd: join(checkout, "project"),
    });
    expect(readdirSync(shared)).toEqual([]);
    return stdout;
  }

  it("is kept in a folder of the person's, and not in the temporary folder of all users", () => {
    const { cache } = places;
    expect(cacheWith()).toContain(join(cache, "agentq/"));
    expect(statSync(join(cache, "agentq")).mode & 0o777).toBe(0o700);
  });

  it.each(["", ".cache", "PROJECT/.cache", "PROJECT/..cache", "LINK/cache", "REPOSITORY/.cache"])(
    "is kept below the home folder with XDG_CACHE_HOME=%s",
    (named) => {
      mkdirSync(join(checkout, "repository/.git"), { recursive: true });
      symlinkSync(join(checkout, "project"), join(checkout, "link"));
      const variable = named.replace(/^[A-Z]+/, (place) => join(checkout, place.toLowerCase()));
      expect(cacheWith({ XDG_CACHE_HOME: variable })).toContain(join(places.home, ".cache/agentq/"));
    },
  );

  it.each(Object.entries(NOT_THE_PERSONS))("is not kept in a folder that %s", (_what, prepare) => {
    prepare(places);
    expect(cacheWith()).toBe("undefined");
  });

  it("is not kept where there is no home folder, which is not made", () => {
    const home = join(checkout, "person/nobody");
    expect(cacheWith({ HOME: home, XDG_CACHE_HOME: "" })).toBe("undefined");
    expect(existsSync(home)).toBe(false);
  });
});

describe("the words of a command line", () => {
  const agentq = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, "../../../bin/agentq.js"), ...args], { encoding: "utf8" });

  it.each([
    [["chta"], 'Unknown command "chta". Is "chat" meant?'],
    [["verison"], 'Is "version" meant?'],
    [["tool", "--aply"], 'There is no option --aply. Is "--apply" meant? See agentq tool --help.'],
    [["mcp", "--setings=x"], 'There is no option --setings. Is "--settings" meant?'],
    [["ask", "--yes-to"], "argument missing"],
    [["doctor", "now"], 'doctor takes no "now".'],
  ])("%j ends with 2 and says what may be meant", (args, words) => {
    const { status, stdout, stderr } = agentq(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("positional");
  });

  it("help and version may be asked for as commands", () => {
    expect(agentq("version").stdout).toBe(agentq("--version").stdout);
    expect(agentq("help").stdout).toBe(agentq("--help").stdout);
    expect(agentq("help", "chat").stdout).toBe(agentq("chat", "--help").stdout);
    expect(agentq("help", "doctor").stdout).toMatch(/^usage: agentq doctor/);
  });
});
