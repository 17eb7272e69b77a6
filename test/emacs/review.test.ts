/**
 * Reviews as Emacs shows them. Some sixty tests in a terminal share an Emacs and its server, a third of a processor second each: 19 s
 * in all.
 */
import { describe } from "vitest";
import { describeEachConnection, describeEachEmacs } from "./describe-emacs.ts";
import { oneFileTests } from "./review/one-file.ts";
import { pageTests } from "./review/page.ts";
import { proofTests } from "./review/proof.ts";
import { testsTests } from "./review/tests.ts";
import { filesTests } from "./review/files.ts";
import { linesTests } from "./review/lines.ts";
import { takeBackTests } from "./review/take-back.ts";
import { overlaysTests } from "./review/overlays.ts";
import { wholeFilesTests } from "./review/whole-files.ts";
import { keptBytesTests } from "./review/kept-bytes.ts";
import { renameTests } from "./review/rename.ts";
import { nothingDecidedTests } from "./review/nothing-decided.ts";
import { lyingTests } from "./review/lying.ts";
import { laterTests } from "./review/later.ts";

describeEachConnection((editor) => {
  describe("one file", () => oneFileTests(editor));
  describe("page", () => pageTests(editor));
  describe("proof", () => proofTests(editor));
  describe("tests", () => testsTests(editor));
  describe("lines", () => linesTests(editor));
  describe("take back", () => takeBackTests(editor));
  describe("later", () => laterTests(editor));
});

describeEachEmacs((editor) => {
  describe("files", () => filesTests(editor));
  describe("overlays", () => overlaysTests(editor));
  describe("whole files", () => wholeFilesTests(editor));
  describe("kept bytes", () => keptBytesTests(editor));
  describe("rename", () => renameTests(editor));
  describe("nothing decided", () => nothingDecidedTests(editor));
  describe("lying", () => lyingTests(editor));
});
