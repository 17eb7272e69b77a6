/** The REPL as Emacs shows it. */
import { describe } from "vitest";
import { describeEachConnection, describeEachEmacs } from "./describe-emacs.ts";
import { programsTests } from "./repl/programs.ts";
import { runningTests } from "./repl/running.ts";
import { seeingTests } from "./repl/seeing.ts";
import { promptTests } from "./repl/prompt.ts";
import { changesTests } from "./repl/changes.ts";
import { testsTests } from "./repl/tests.ts";

describeEachConnection((editor) => {
  describe("running", () => runningTests(editor));
  describe("seeing", () => seeingTests(editor));
  describe("programs", () => programsTests(editor));
  describe("changes", () => changesTests(editor));
});

describeEachEmacs((editor) => {
  describe("prompt", () => promptTests(editor));
  describe("tests", () => testsTests(editor));
});
