/** `agentq` typed into a terminal. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bareEnvironment, serverProgram } from "../support/server-client.ts";
import { describeWalled, walledPath } from "../support/wall.ts";

function agentq(
  args: string[],
  env: Record<string, string> = {},
  cwd = tmpdir(),
): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [serverProgram, ...args], {
    encoding: "utf8",
    cwd,
    env: bareEnvironment(env),
  });
}

describe("the command line", () => {
  it("prints its version and its help", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(agentq(["--version"])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" });
    expect(agentq(["--help"]).stdout).toMatch(/agentq --stdio[^]*agentq doctor[^]*ANTHROPIC_API_KEY/);
  });

  it.each([[[]], [["dance"]], [["help", "dance"]], [["--jump"]]])(
    "answers %j with one sentence on standard error and exit code 2",
    (args) => {
      const { status, stdout, stderr } = agentq(args);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toMatch(/^agentq: .*\n$/);
    },
  );

  it("lets the doctor say what is there, what is missing and what to type, and never show a key", () => {
    const without = agentq(["doctor"]);
    expect(without.status).toBe(0);
    expect(without.stdout).toMatch(
      /ok +TypeScript: 7\.\d[^]*ok +REPL transpiler: oxc[^]*ok +Text search: ripgrep at [^]*→ export ANTHROPIC_API_KEY/,
    );
    const empty = agentq(["doctor"], { PATH: "/nowhere" });
    expect(empty.stdout).toMatch(
      /warning +Wall: limited\. Neither bubblewrap \(bwrap\) nor util-linux \(unshare\) is on PATH\. Evaluations have Node's permissions alone, a seat belt; each run of tests and each command needs a yes and runs in the project itself, with all rights\.\n +→ Install bubblewrap, for example: sudo apt install bubblewrap/,
    );
    const withKey = agentq(["doctor"], { ANTHROPIC_API_KEY: "sk-test-not-a-key" });
    expect(withKey.stdout).toMatch(/ok +Model: /);
    expect(withKey.stdout).not.toContain("sk-test-not-a-key");
    expect(agentq(["doctor"], { PATH: "/usr/bin" }).stdout).not.toContain("Search path");
  });

  it("lets the doctor start nothing of a project, and say which programs only run behind the wall", () => {
    const project = mkdtempSync(join(tmpdir(), "agentq-doctor-"));
    onTestFinished(() => rmSync(project, { recursive: true }));
    mkdirSync(join(project, "bin"));
    for (const name of ["bwrap", "unshare", "sh", "find", "mount", "git"])
      writeFileSync(join(project, "bin", name), `#!/bin/sh\ntouch ${project}/ran\n`, { mode: 0o755 });
    const { stdout } = agentq(["doctor"], { PATH: `${project}/bin::/usr/bin:/bin` }, project);
    expect(stdout).toContain(`Search path: programs of ${project}/bin, the current folder run behind the wall alone`);
    expect(existsSync(join(project, "ran"))).toBe(false);
  });
});

describeWalled("the doctor", () => {
  it("tries out whether programs can be walled in", () => {
    expect(agentq(["doctor"], { PATH: walledPath() }).stdout).toMatch(
      /ok +Wall: walled, by \/.*bwrap\. Evaluations, tests and commands run behind the operating system's wall\.\n/,
    );
  });

  it("says what to type where user namespaces are switched off", () => {
    const script = `echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"`;
    const line = ["--user", "--map-root-user", "sh", "-c", script, "sh", process.execPath, serverProgram, "doctor"];
    const { stdout } = spawnSync("unshare", line, {
      encoding: "utf8",
      cwd: tmpdir(),
      env: bareEnvironment({ PATH: walledPath() }),
    });
    expect(stdout).toMatch(
      /warning +Wall: limited\. This system lets no program be walled in: .*\n +→ User namespaces are switched off: sudo sysctl user\.max_user_namespaces=15000\.\n/,
    );
  });
});
