/** A project may hold programs of any name: where the search path leads into it, they are not the server's. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { runKeyCommand } from "../../../server/src/model/key-command.ts";
import { childEnvironment, passedEnvironment } from "../../../server/src/process/child-environment.ts";
import { askGitForNames } from "../../../server/src/process/git-names.ts";
import { askGit } from "../../../server/src/process/git.ts";
import { safeSearchPath, startNothingOf } from "../../../server/src/process/search-path.ts";
import { spawn } from "../../../server/src/process/spawn.ts";
import { specialFiles } from "../../../server/src/sandbox/places/special-files.ts";
import { editText } from "../../../server/src/terminal/edit-text.ts";

let top: string;
let project: string;
let ran: string;
const SYSTEM = process.env["PATH"] ?? "";
const BIN = "node_modules/.bin";

beforeEach(() => {
  top = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-search-")));
  project = path.join(top, "repository/packages/a");
  ran = path.join(top, "ran");
  for (const folder of [path.join(project, BIN), path.join(project, "bin")]) mkdirSync(folder, { recursive: true });
  execFileSync("git", ["init", "-q"], { cwd: path.join(top, "repository") });
  for (const name of ["git", "find", "sh", "vi", "key"])
    for (const at of [`${BIN}/${name}`, `bin/${name}`, name, `../../tools/${name}`]) {
      mkdirSync(path.dirname(path.join(project, at)), { recursive: true });
      writeFileSync(path.join(project, at), `#!/bin/sh\ntouch ${ran}\n`);
      chmodSync(path.join(project, at), 0o755);
    }
  symlinkSync(path.join(project, "bin"), path.join(top, "link"));
  symlinkSync("/usr/bin", path.join(project, "leads-out"));
  mkdirSync(path.join(top, "elsewhere/node_modules/.bin"), { recursive: true });
  symlinkSync(path.join(top, "elsewhere/node_modules/.bin"), path.join(top, "installed"));
  // As an editor names a folder that was opened by way of a link.
  symlinkSync(project, path.join(top, "opened"));
  startNothingOf([path.join(top, "opened")]);
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

/** Spellings by which a person's search path, or a tool that sets it, leads into a project. */
const ENTRIES: Readonly<Record<string, () => string>> = {
  "a relative entry": () => `./${BIN}`,
  "a relative entry without a dot": () => "bin",
  "the current folder": () => ".",
  "an empty entry": () => "",
  "the current folder in the kernel's words": () => "/proc/self/cwd/bin",
  "the current folder in the kernel's words for a thread": () => "/usr/../proc//thread-self/cwd",
  "a home folder that no shell has spelled out": () => "~/bin",
  "an absolute entry": () => path.join(project, "bin"),
  "an absolute entry with dots": () => `${top}/../${path.basename(top)}/repository/packages/a/./bin/`,
  "a link that leads into the project": () => path.join(top, "link"),
  "a folder of the repository around": () => path.join(top, "repository/tools"),
  "installed packages, wherever they are": () => path.join(top, "elsewhere/node_modules/.bin/"),
  "installed packages, in other words": () => path.join(top, "elsewhere") + "/node_modules//./.bin/.",
  "a link to installed packages": () => path.join(top, "installed"),
  "the project in other letters": () => path.join(project.toUpperCase(), "bin"),
  "installed packages in other letters": () => path.join(top, "elsewhere/Node_Modules/.BIN"),
  "a link of the project that leads out": () => path.join(project, "leads-out"),
};

describe("a search path that leads into a project", () => {
  it.each(Object.entries(ENTRIES))("is used without %s", (_what, entry) => {
    const rest = "/usr/bin:/bin";
    for (const whole of [`${entry()}:${rest}`, `${rest}:${entry()}`, `/usr/bin:${entry()}:/bin`])
      expect(childEnvironment({ PATH: whole, Path: whole })).toEqual({ PATH: rest, Path: rest });
    expect(passedEnvironment({ PATH: `${entry()}:${rest}` })).toEqual({ PATH: `${entry()}:${rest}` });
  });

  it("is cut for whoever is started, whatever environment the caller gives", async () => {
    const env = { PATH: `${project}/bin::/usr/bin:/bin` };
    const child = spawn("sh", ["-c", "echo $PATH"], { env, cwd: project, stdio: ["ignore", "pipe", "inherit"] });
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => void chunks.push(chunk));
    await once(child, "close");
    expect(Buffer.concat(chunks).toString()).toBe("/usr/bin:/bin\n");
    expect(existsSync(ran)).toBe(false);
  });

  it("is never empty, which would mean the current folder", () => {
    expect(safeSearchPath("").split(":")).toContain("/usr/bin");
    expect(safeSearchPath(`./bin:${project}/bin`).split(":")).toContain("/usr/bin");
  });

  it.each([".hg", ".jj", ".sl", ".svn"])("is used without what else is in a repository of %s", (name) => {
    const around = path.join(top, `other${name}`);
    for (const folder of [name, "tools", "packages/b"]) mkdirSync(path.join(around, folder), { recursive: true });
    startNothingOf([path.join(around, "packages/b")]);
    expect(safeSearchPath(`${around}/tools:/usr/bin`)).toBe("/usr/bin");
  });

  it("keeps a person's own folders, also where the home folder is the workspace", () => {
    const own = `${homedir()}/.local/bin:/opt/tools/bin:${top}/bin`;
    startNothingOf([homedir()]);
    expect(safeSearchPath(own)).toBe(own);
  });

  it.each(["./node_modules/.bin", "", "bin", "PROJECT/bin", "LINK"])(
    "runs no program of the project, with %s",
    async (entry) => {
      const before = process.env["PATH"];
      onTestFinished(() => void (process.env["PATH"] = before));
      const named = entry.replace("PROJECT", project).replace("LINK", path.join(top, "link"));
      process.env["PATH"] = `${named}:${SYSTEM}`;
      const signal = new AbortController().signal;
      expect(await askGit(project, ["rev-parse", "--is-inside-work-tree"])).toBe("true\n");
      expect(await askGitForNames({ folder: project, args: ["ls-files", "-z"], limitMs: 20_000 }, () => true)).toBe(
        true,
      );
      expect(await specialFiles([project], signal)).toEqual([]);
      await editText("text", "a.ts", { ...process.env, VISUAL: "", EDITOR: "true" });
      await expect(runKeyCommand(["key"])).rejects.toThrow("cannot be started");
      expect(existsSync(ran)).toBe(false);
    },
  );
});
