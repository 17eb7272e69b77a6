/** The real image as the judge sees a REPL, on a project of its own. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createImage, type Evaluated } from "../../server/src/repl/process/image-process.ts";
import type { StrangersCase } from "./case.ts";
import type { Answer, Repl } from "./judge.ts";

export interface ImageRepl extends Repl {
  readonly dispose: () => Promise<void>;
}

const ANSWER_MS = 40_000;
const INTERRUPT_AFTER_MS = 200;

/** By default in the project's own Node; 22 has the open mode only. */
export function startImageRepl(node?: { readonly major: number; readonly path: string }): ImageRepl {
  const root = makeProject();
  let said = "";
  const image = createImage({
    projectRoot: root,
    ...(node === undefined ? {} : { nodePath: node.path, ...(node.major < 24 ? { confinement: "open" } : {}) }),
    onOutput: ({ text }) => (said += text),
    onState: () => {},
    log: () => {},
  });
  const run = (code: string, timeoutMs: number): Promise<Evaluated> =>
    image.evaluate({ code, by: "person", timeoutMs }, new AbortController().signal);
  const hear = (result: Evaluated): Evaluated => {
    said += `${textOf(result)}\n`;
    return result;
  };
  return {
    evaluate: async (form) => {
      const result = hear(await run(form, ANSWER_MS));
      if (!result.stateKept) return result.outcome === "crashed" ? "dies" : "hangs";
      if (result.outcome === "timeout") return "hangs";
      return answerOf(result);
    },
    interrupt: async (form) => {
      const running = run(form, ANSWER_MS);
      // What is to be interrupted must have begun; that it loops cannot be seen from outside.
      await new Promise((resolve) => setTimeout(resolve, INTERRUPT_AFTER_MS));
      await image.interrupt();
      const result = hear(await running);
      if (!result.stateKept) return "dies";
      return result.outcome === "interrupted" ? "interrupted" : "hangs";
    },
    said: async (text) => {
      const end = Date.now() + ANSWER_MS / 4;
      while (Date.now() < end) {
        if (said.includes(text) || image.lastError()?.error.message.includes(text) === true) return true;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return false;
    },
    write: (file, text) => writeInto(root, file, text),
    dispose: async () => {
      await image.dispose();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function makeProject(): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-strangers-")));
  writeInto(root, "package.json", '{ "private": true, "type": "module" }\n');
  writeInto(root, "tsconfig.json", `${JSON.stringify({ compilerOptions: OPTIONS }, undefined, 2)}\n`);
  return root;
}

const OPTIONS = { target: "es2024", module: "esnext", moduleResolution: "bundler", jsx: "react", strict: true };

export function writeInto(root: string, file: string, text: string): void {
  const full = path.join(root, file);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text);
}

export function writeFiles(each: StrangersCase, write: Repl["write"]): void {
  for (const [file, text] of Object.entries(each.files ?? {})) write(file, text);
}

function answerOf(result: Evaluated): Answer {
  const value = result.outcome === "value" ? { value: result.preview ?? "" } : {};
  return { failed: result.outcome !== "value", ...value, text: textOf(result) };
}

function textOf({ error, stdout, stderr, notes, preview }: Evaluated): string {
  const parts = [stdout, stderr, ...notes.map(({ message }) => message)];
  if (error === undefined) parts.push(preview ?? "");
  else parts.push(...wordsOf(error));
  return parts.filter((part) => part !== "").join("\n");
}

function wordsOf(error: NonNullable<Evaluated["error"]>): string[] {
  const frames = error.frames.map(
    (frame) => `at ${frame.function} ${frame.uri}:${frame.line + 1}:${frame.character + 1}`,
  );
  const inner = [error.cause, ...(error.errors ?? [])].filter((each) => each !== undefined).flatMap(wordsOf);
  return [`${error.name}: ${error.message}`, error.details ?? "", ...frames, ...inner];
}
