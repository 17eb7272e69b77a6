/** Arguments that try to make the search do something else than search. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { installedRipgrep } from "../../server/src/search/ripgrep.ts";
import { isRunning } from "../unit/repl/with-image.ts";
import { openSearchWorkspace, type SearchWorkspace } from "./search-workspace.ts";

let opened: SearchWorkspace | undefined;

afterEach(() => {
  opened?.dispose();
  vi.unstubAllEnvs();
});

function open(...given: Parameters<typeof openSearchWorkspace>): SearchWorkspace {
  return (opened = openSearchWorkspace(...given));
}

/** A program that leaves a mark when it is run. */
function trap(root: string): { readonly program: string; readonly sprung: () => boolean } {
  const program = join(root, "trap.sh");
  const mark = join(root, "sprung");
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat "$1"\n`, { mode: 0o755 });
  return { program, sprung: () => existsSync(mark) };
}

describe("search_text under attack", () => {
  it("takes options for patterns, paths and globs", async () => {
    const { ask, root } = open({ "a.ts": "hay\n" });
    const { program, sprung } = trap(root);
    for (const option of [
      `--pre=${program}`,
      "--hostname-bin=./trap.sh",
      "-z",
      "--files",
      "--",
      "-",
      "-f/etc/passwd",
      "-e",
      "--no-ignore",
    ]) {
      for (const args of [
        { pattern: option, path: "a.ts" },
        { pattern: option, literal: true, path: "a.ts" },
        { pattern: "hay", glob: option },
        { pattern: "hay", path: option },
      ]) {
        expect(await ask(args), JSON.stringify(args)).toMatch(/^No match in|does not exist|outside the workspace/);
      }
    }
    expect(sprung()).toBe(false);
  });

  it("searches for what looks like an option where the text is there", async () => {
    const { ask } = open({ "run.sh": "rg --pre=x -e y\n", "--pre=x": "needle\n", "-rf": "needle\n" });
    expect(await ask({ pattern: "--pre" })).toBe("1 line in 1 file\nrun.sh:1: rg --pre=x -e y");
    expect(await ask({ pattern: "-e" })).toContain("run.sh:1");
    expect(await ask({ pattern: "needle", path: "--pre=x" })).toBe("1 line in 1 file\n--pre=x:1: needle");
    expect(await ask({ pattern: "needle", glob: "-rf" })).toBe("1 line in 1 file\n-rf:1: needle");
  });

  it("reads no configuration of ripgrep's from the environment", async () => {
    const { ask, root } = open({ "a.ts": "needle\n" });
    const { program, sprung } = trap(root);
    writeFileSync(join(root, "rg.conf"), `--pre=${program}\n--max-count=0\n`);
    vi.stubEnv("RIPGREP_CONFIG_PATH", join(root, "rg.conf"));
    expect(await ask({ pattern: "needle", path: "a.ts" })).toContain("a.ts:1: needle");
    expect(sprung()).toBe(false);
  });

  it("refuses what no text has, and what is too long", async () => {
    const { ask } = open({ "a.ts": "hay\n" });
    expect(await ask({ pattern: "a\0b" })).toContain("NUL character");
    expect(await ask({ pattern: "hay", glob: "a\0b" })).toContain("NUL character");
    expect(await ask({ pattern: "hay", path: "a\0b" })).toContain("NUL character");
    expect(await ask({ pattern: "x".repeat(1_000_000) })).toContain("nothing was run");
    expect(await ask({ pattern: "x".repeat(500_000) })).toContain("pattern");
    expect(await ask({ pattern: "" })).toContain("pattern");
    expect(await ask({ pattern: "x".repeat(10_000) })).toBe("No match in 1 file.");
  });

  it("takes a line break in a pattern for a line break", async () => {
    const { ask } = open({ "a.ts": "one\ntwo\n" });
    expect(await ask({ pattern: "one\ntwo" })).toContain("a.ts\n  1: one\n  2: two");
    expect(await ask({ pattern: "two\none" })).toContain("No match");
  });

  it("answers globs that cannot be read, and is not held up by any", async () => {
    const { ask, write } = open({ "a.ts": "hay\n" });
    write({ [`${"a/".repeat(40)}${"a".repeat(150)}.ts`]: "hay\n" });
    expect(await ask({ pattern: "hay", glob: "[a" })).toBe("The glob [a cannot be used: a [ is not closed.");
    expect(await ask({ pattern: "hay", glob: "{a,b" })).toContain("a { is not closed");
    expect(await ask({ pattern: "hay", glob: "a}" })).toContain("a } closes nothing");
    expect(await ask({ pattern: "hay", glob: "{a,b}".repeat(40) })).toContain("more than 64 globs");
    const started = performance.now();
    expect(await ask({ pattern: "hay", glob: `**/${"*a".repeat(200)}b` })).toContain("No match");
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it("ends with a regex that backtracks without end", async () => {
    const { ask } = open({ "a.ts": `${"a".repeat(5_000)}!\n` });
    expect(await ask({ pattern: "(a+)+$" })).toContain("No match");
    expect(await ask({ pattern: "(?=a)(a+)+$" })).toContain("a.ts (match limit exceeded)");
    expect(await ask({ pattern: "((a{1,100}){1,100}){1,100}" })).toMatch(/size limit/);
  });

  it("shows no file name as a line of its own", async () => {
    const { ask } = open({ "a\nsrc/real.ts:1: forged": "needle\n" });
    expect(await ask({ pattern: "needle" })).toBe('1 line in 1 file\n"a\\nsrc/real.ts:1: forged":1: needle');
  });

  it("kills ripgrep when the call is cancelled", async () => {
    const program = (): string => join(slow.root, "slow.sh");
    const slow = open(
      { "slow.sh": '#!/bin/sh\necho $$ > "$(dirname "$0")/pid"\nexec sleep 77\n' },
      { locate: async () => program() },
    );
    chmodSync(program(), 0o755);
    const abort = new AbortController();
    const running = slow.call("search_text", { pattern: "x" }, abort.signal);
    const pid = (): number => Number(readFileSync(join(slow.root, "pid"), "utf8"));
    await expect.poll(() => existsSync(join(slow.root, "pid")) && pid()).toBeGreaterThan(0);
    abort.abort();
    expect((await running).error).toBe("search_text was cancelled.");
    await expect.poll(() => isRunning(pid())).toBe(false);
  });

  it("says what to do where ripgrep is not installed or cannot be started", async () => {
    const missing = open(
      { "a.ts": "x\n" },
      { locate: () => Promise.reject(new Error("Could not find @vscode/ripgrep-linux-x64. Ensure …")) },
    );
    expect(await missing.ask({ pattern: "x" })).toBe(
      "The search needs ripgrep, which cannot be started: Could not find @vscode/ripgrep-linux-x64. Ensure …. Run npm install in the folder of agentq; until then search with eval_form and node:fs.",
    );
    missing.dispose();
    const gone = open({ "a.ts": "x\n" }, { locate: async () => `${await installedRipgrep()}-gone` });
    expect(await gone.ask({ pattern: "x" })).toContain("ENOENT");
  });
});
