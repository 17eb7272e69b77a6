/** Files whose bytes a careless editor changes, one edit in each, and what must be in them before and after. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";

interface KeptFile {
  readonly name: string;
  /** With one line "two". */
  readonly text: string;
  readonly mode?: number;
  /** UTF-8 where absent. Only an editor that has the file open can tell its text. */
  readonly encoding?: "latin1";
}

const FILES: readonly KeptFile[] = [
  { name: "line-feeds.txt", text: "one\ntwo\nthree\n" },
  { name: "carriage-returns.txt", text: "one\r\ntwo\r\nthree\r\n" },
  { name: "mixed-endings.txt", text: "one\r\ntwo\nthree\r\nfour\n" },
  { name: "mark.txt", text: "\uFEFFone\ntwo\nthree\n" },
  { name: "mark-and-carriage-returns.txt", text: "\uFEFFone\r\ntwo\r\nthree\r\n" },
  { name: "no-last-newline.txt", text: "one\ntwo\nthree" },
  { name: "no-last-newline-after-carriage-returns.txt", text: "one\r\ntwo\r\nthree" },
  { name: "changed-last-line.txt", text: "one\ntwo" },
  { name: "program.txt", text: "#!/bin/sh\ntwo\n", mode: 0o755 },
  { name: "private.txt", text: "one\ntwo\n", mode: 0o600 },
  { name: "many-scripts.txt", text: "déjà vu 😀\u2028\ntwo\nدو\n" },
  { name: "latin.txt", text: "d\xE9j\xE0\ntwo\n", encoding: "latin1" },
];

const folderOf = (project: string): string => path.join(project, "kept");

/** The files of the test: without those that nobody can read from disk where no editor has them open. */
export function keptFiles(areOpen: boolean): readonly string[] {
  return FILES.filter(({ encoding }) => areOpen || encoding === undefined).map(({ name }) => `kept/${name}`);
}

export function writeKept(project: string): void {
  mkdirSync(folderOf(project));
  for (const { name, text, mode = 0o644, encoding = "utf8" } of FILES) {
    const file = path.join(folderOf(project), name);
    writeFileSync(file, text, encoding);
    chmodSync(file, mode);
  }
}

/** Bytes and modes by name, readable in a failure. */
export function readKept(project: string): Record<string, string> {
  return Object.fromEntries(
    FILES.map(({ name }) => {
      const file = path.join(folderOf(project), name);
      const mode = (statSync(file).mode & 0o777).toString(8);
      return [name, `${mode} ${JSON.stringify(readFileSync(file, "latin1"))}`];
    }),
  );
}

/** What `readKept` must answer once the edits of these files are applied. */
export function afterEdits(before: Readonly<Record<string, string>>, files: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(before).map(([name, kept]) => [
      name,
      files.includes(`kept/${name}`) ? kept.replace("two", "zwei") : kept,
    ]),
  );
}

/** A model that changes one line in each of the files. */
export const editKept = (areOpen: boolean): ReturnType<typeof scriptOf> =>
  scriptOf("edit-kept", "change a line in files of all kinds", [
    reply(
      call("propose_edits", {
        description: "Translate.",
        edits: keptFiles(areOpen).map((file) => ({ op: "replace", path: file, original: "two", modified: "zwei" })),
      }),
    ),
    reply("Done."),
  ]);
