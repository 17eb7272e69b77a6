/** The tools of a server at the root of a monorepo, and of one in a package alone: about the package they say the same. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { makeOrdinaryMonorepo, type OrdinaryMonorepo } from "../support/ordinary-monorepo.ts";
import { ServerClient } from "../support/server-client.ts";
import { walledPath } from "../support/wall.ts";

const HOME = "packages/fresh/";
let monorepo: OrdinaryMonorepo;
let whole: ServerClient;
let alone: ServerClient;

beforeAll(async () => {
  monorepo = makeOrdinaryMonorepo();
  const started = async (folder: string): Promise<ServerClient> => {
    const client = new ServerClient({ env: { PATH: walledPath() } });
    await client.initialize([folder]);
    return client;
  };
  [whole, alone] = await Promise.all([started(monorepo.root), started(join(monorepo.root, HOME))]);
});
afterAll(async () => {
  await Promise.all([whole.close(), alone.close()]);
  monorepo.remove();
});

/** `at` is the package's folder as the server names it. */
const CALLS: Readonly<Record<string, (at: string) => Readonly<Record<string, unknown>>>> = {
  read_file: (at) => ({ path: `${at}src/text.ts` }),
  read_symbol: (at) => ({ symbol: `${at}src/text.ts#format` }),
  document_outline: (at) => ({ path: `${at}src/store.ts` }),
  list_package_symbols: (at) => ({ path: `${at}src/store.ts` }),
  list_directory: (at) => ({ path: `${at}src` }),
  class_slots: (at) => ({ symbol: `${at}src/store.ts#Store` }),
  class_hierarchy: (at) => ({ symbol: `${at}src/store.ts#Store` }),
  macroexpand_form: (at) => ({ form: `${at}src/text.ts#Job` }),
  get_diagnostics: (at) => ({ path: `${at}src` }),
  apropos_search: (at) => ({ pattern: "limits", path: `${at}src` }),
  search_text: (at) => ({ pattern: "title", path: `${at}src` }),
  search_files: (at) => ({ glob: "*.ts", path: `${at}src` }),
  apply_code_action: (at) => ({ path: `${at}src/text.ts`, line: 4 }),
  who_references: (at) => ({ symbol: `${at}src/text.ts#own` }),
  eval_form: (at) => ({ form: `import { format } from "./${at}src/text.ts"; format({ title: "ours" })` }),
  run_command: (at) => ({ command: "ls src", cwd: at === "" ? "." : at }),
  try_edit: (at) => ({
    edits: [{ path: `${at}src/text.ts`, original: "return job.title", modified: 'return job.title + "!"' }],
    form: `import { format } from "./${at}src/text.ts"; format({ title: "tried" })`,
  }),
  compile_form: (at) => ({ path: `${at}src/text.ts`, form: "function format(job: Job): string { return job.title; }" }),
  trace_function: (at) => ({ function: `${at}src/text.ts#format` }),
};

/** Tools whose edits a person reviews. */
const EDITS: Readonly<Record<string, (at: string) => Readonly<Record<string, unknown>>>> = {
  propose_edits: (at) => ({
    description: "Each kind of edit.",
    edits: [
      { op: "replace", path: `${at}src/text.ts`, original: "const own = 1", modified: "const own: string = 1" },
      { op: "replace_symbol", symbol: `${at}src/store.ts#limits`, modified: "export const limits = { most: 4 };" },
      { op: "create", path: `${at}src/more.ts`, modified: 'export { format } from "./text.js";\n' },
    ],
  }),
  rename_symbol: (at) => ({ symbol: `${at}src/text.ts#own`, new_name: "mine" }),
  move_file: (at) => ({ path: `${at}src/text.ts`, to: `${at}src/words/text.ts` }),
  delete_file: (at) => ({ path: `${at}src/text.ts` }),
  write_file: (at) => ({ path: `${at}src/store.ts`, content: "export {};\n" }),
};

/** What the model reads, but for the package's folder and for times. */
function wordsOf({ success, content, error }: ToolResult): object {
  const text = (success ? content : error) ?? "";
  return { success, text: text.replaceAll(HOME, "").replaceAll(/\d+(?:\.\d+)? m?s\b/g, "soon") };
}

const places = (): readonly { readonly client: ServerClient; readonly at: string }[] => [
  { client: whole, at: HOME },
  { client: alone, at: "" },
];

it.each(Object.entries(CALLS))("%s", async (name, argumentsAt) => {
  const [there, here] = await Promise.all(
    places().map(async ({ client, at }) =>
      wordsOf(await client.request("agentq/callTool", { name, arguments: argumentsAt(at) })),
    ),
  );
  expect(there).toEqual(here);
  expect(there).toMatchObject({ success: true });
});

it.each(Object.entries(EDITS))("%s, whose hunks are the same too", async (name, argumentsAt) => {
  const [there, here] = await Promise.all(
    places().map(async ({ client, at }) => {
      client.forget();
      const running = client.request("agentq/callTool", { name, arguments: argumentsAt(at) });
      const { proposalId, hunks } = await client.nextProposal();
      const decisions = hunks.map(({ id }) => ({ id, decision: "reject" as const, reason: "not now" }));
      await client.request("agentq/decide", { proposalId, hunks: decisions });
      const shown = hunks.map(({ title, kind, oldText, newText }) => ({
        title: title.replaceAll(HOME, ""),
        kind,
        oldText,
        newText,
      }));
      return { shown, words: wordsOf(await running) };
    }),
  );
  expect(there).toEqual(here);
  expect(there?.words).toMatchObject({ success: true });
});
