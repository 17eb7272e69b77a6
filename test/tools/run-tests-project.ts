/** The tool over real runs, and small projects to run it on. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { runTests } from "../../server/src/repl/testing/run-tests.ts";
import { SeenTexts } from "../../server/src/tools/seen-texts.ts";
import { createTypeScript } from "../../server/src/typescript/typescript-service.ts";
import { editedTexts } from "../../server/src/tools/edit/edited-texts.ts";
import { createRunTests } from "../../server/src/tools/execution/run-tests.ts";
import { Documents } from "../../server/src/workspace/documents.ts";
import { WorkspacePaths } from "../../server/src/workspace/workspace-paths.ts";
import { placeOfTests, type Level } from "../support/test-rooms.ts";
import { answerOf, type Said } from "../support/answer-of.ts";

export const fixture: string = fileURLToPath(new URL("../fixtures/tests-project", import.meta.url));

interface Setting {
  /** Unsaved text by path below the project. */
  readonly unsaved?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly root?: string;
  readonly level?: Level;
}

/** What the tool answers, without how long a test took: that stands there where it took 100 ms, as any may on a busy machine. */
export async function run(
  args: Record<string, unknown>,
  { unsaved = {}, signal, root = fixture, level = "unwalled" }: Setting = {},
): Promise<Said> {
  const texts = Object.fromEntries(Object.entries(unsaved).map(([path, text]) => [join(root, path), text]));
  const paths = new WorkspacePaths([root]);
  const documents = new Documents();
  const tool = createRunTests({
    run: (request, runSignal) =>
      runTests(
        {
          projectRoot: root,
          readSource: (path) => texts[path],
          openTexts: () => texts,
          log: () => {},
        },
        placeOfTests(level, root, texts),
        request,
        runSignal,
      ),
    findFile: (name) => (name.startsWith("/") ? { reason: `${name} is outside.` } : { path: join(root, name) }),
    showPath: (path) => path.replace(`${root}/`, ""),
    lineOf: async (path, line) => (texts[path] ?? readFileSync(path, "utf8")).split("\n")[line - 1],
    unsaved: () => Promise.resolve(Object.keys(texts)),
    editedTexts: (edits, context) =>
      editedTexts(
        {
          seen: new SeenTexts(),
          // Starts with the first question, and edits of texts ask none.
          typescript: createTypeScript({ workspaceFolders: [root], onState: () => undefined, log: () => undefined }),
          resolvePath: (name) => paths.resolve(name),
          whyNotChanged: () => undefined,
          readDocument: async (uri) => {
            const text = texts[fileURLToPath(uri)];
            return text === undefined ? documents.read(uri) : { uri, text, version: 1, sha256: "" };
          },
        },
        edits,
        context,
      ),
  });
  const said = await answerOf(tool, args, signal);
  return { ...said, content: said.content.replaceAll(/ \((\d+ ms|[\d.]+ s)\)$/gm, "") };
}

/**
 * A run that its time limit ends. A busy machine takes a while until the tests have begun of which the answer is to tell: while it
 * does not, the limit is doubled.
 */
export async function runOutOfTime(
  args: Record<string, unknown> & { readonly timeout_ms: number },
  setting: Setting,
  begun: RegExp,
): Promise<Said & { readonly stopped: string }> {
  for (let timeout = args.timeout_ms; ; timeout *= 2) {
    const said = await run({ ...args, timeout_ms: timeout }, setting);
    if (begun.test(said.content) || timeout > 20_000) return { ...said, stopped: `stopped after ${timeout / 1000} s` };
  }
}

/** What never ends and, unlike a loop, takes no processor meanwhile: the thread is as stuck. */
export const FOREVER = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";

/** A project of these files, for as long as the test runs. It finds the packages of the one beside which it lies. */
export function projectOf(files: Readonly<Record<string, string>>, above: string = dirname(fixture)): string {
  const root = mkdtempSync(join(above, "project-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ "package.json": VITEST_PACKAGE, ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

const VITEST_PACKAGE = '{ "private": true, "type": "module", "devDependencies": { "vitest": "*" } }';
