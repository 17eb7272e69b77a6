import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findEditors } from "../../../scripts/editors/find.ts";
import { describeContract } from "../../support/editors.ts";

const root = join(import.meta.dirname, "../../..");
const home = mkdtempSync(join(tmpdir(), "agentq-home-"));
const env = { HOME: home, PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) };

afterAll(() => {
  rmSync(home, { recursive: true });
});

describe("the editors at hand", () => {
  it("are the same in a test and in a plain Node", () => {
    const program = `
      import { findEditors } from "./scripts/editors/find.ts";
      process.stdout.write(JSON.stringify(findEditors()));`;
    const inPlainNode = execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd: root });
    expect(findEditors()).toEqual(JSON.parse(inPlainNode.toString()));
  });

  describeContract("nvim", ({ version, path }) => {
    it("starts, says its version and can start the Node on PATH", () => {
      const show = 'lua io.stdout:write(tostring(vim.version()), " ", vim.fn.system({ "node", "--version" }))';
      const args = ["--headless", "--clean", "-n", "-i", "NONE", "-c", show, "-c", "qa!"];
      const output = execFileSync(path, args, { env });
      expect(output.toString().trim()).toBe(`${version} ${process.version}`);
    });
  });

  describeContract("emacs", ({ version, path }) => {
    it("starts, loads eglot and can start the Node on PATH", () => {
      const show =
        '(progn (require \'eglot) (princ (concat emacs-version " " (shell-command-to-string "node --version"))))';
      const output = execFileSync(path, ["-Q", "--batch", "--eval", show], { env });
      expect(output.toString().trim()).toBe(`${version} ${process.version}`);
    });
  });
});
