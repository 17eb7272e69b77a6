/** A small project of its own, and the real image on it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  createImage,
  type Evaluated,
  type EvaluateRequest,
  type Image,
  type ImageOptions,
} from "../../server/src/repl/process/image-process.ts";
import type { NameReport } from "../../server/src/repl/redefine/installation.ts";

export interface Program {
  readonly root: string;
  readonly image: Image;
  readonly evaluate: (code: string, more?: Partial<EvaluateRequest>) => Promise<Evaluated>;
  /** The preview of a form that must have a value, in a module's own scope where one is named. */
  readonly value: (code: string, module?: string) => Promise<string>;
  /** What `compile_form` does: declarations, put into the running module. */
  readonly install: (code: string, module: string) => Promise<readonly NameReport[]>;
  readonly dispose: () => Promise<void>;
}

export interface ProgramFiles {
  readonly files: Readonly<Record<string, string>>;
  /** From the place of a link to what it leads to, both below the project. */
  readonly links?: Readonly<Record<string, string>>;
}

export function startProgram({ files, links = {} }: ProgramFiles, options: Partial<ImageOptions> = {}): Program {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-program-")));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  for (const [from, to] of Object.entries(links)) {
    mkdirSync(path.dirname(path.join(root, from)), { recursive: true });
    symlinkSync(path.join(root, to), path.join(root, from), "dir");
  }
  const program = startImageOn(root, options);
  return {
    ...program,
    dispose: async () => {
      await program.dispose();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function startImageOn(root: string, options: Partial<ImageOptions> = {}): Program {
  const image = createImage({ projectRoot: root, onOutput: () => {}, onState: () => {}, log: () => {}, ...options });
  const evaluate: Program["evaluate"] = (code, more = {}) =>
    image.evaluate({ code, by: "agent", ...more }, new AbortController().signal);
  const inside = (module: string | undefined): Partial<EvaluateRequest> =>
    module === undefined ? {} : { module: path.join(root, module) };
  return {
    root,
    image,
    evaluate,
    value: async (code, module) => {
      const result = await evaluate(code, inside(module));
      if (result.outcome !== "value") throw new Error(`${result.outcome}: ${JSON.stringify(result.error)}`);
      return result.preview ?? "";
    },
    install: async (code, module) => {
      const { installation, error } = await evaluate(code, { install: {}, ...inside(module) });
      if (installation === undefined) throw new Error(`not installed: ${JSON.stringify(error)}`);
      return installation.names;
    },
    dispose: () => image.dispose(),
  };
}
