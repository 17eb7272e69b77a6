/** The tools of a server at the root of a monorepo, and of one in a package alone: about the package they say the same. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
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
const CALLS: Readonly<Record<string, (at: string) => object>> = {
  read_file: (at) => ({ path: `${at}src/text.ts` }),
  read_symbol: (at) => ({ symbol: `${at}src/text.ts#format` }),
  document_outline: (at) => ({ path: `${at}src/store.ts` }),
  list_package_symbols: (at) => ({ path: `${at}src/store.ts` }),
  list_directory: (at) => ({ path: `${at}src` }),
  class_slots: (at) => ({ symbol: `${at}src/store.ts#Store` }),
  class_hierarchy: (at) => ({ symbol: `${at}src/store.ts#Store` }),
  function_arglist: (at) => ({ function: `${at}src/text.ts#format` }),
  macroexpand_form: (at) => ({ form: `${at}src/text.ts#Job` }),
  get_diagnostics: (at) => ({ path: `${at}src` }),
  apropos_search: (at) => ({ pattern: "limits", path: `${at}src` }),
  search_text: (at) => ({ pattern: "title", path: `${at}src` }),
  search_files: (at) => ({ glob: "*.ts", path: `${at}src` }),
  apply_code_action: (at) => ({ path: `${at}src/text.ts`, line: 4 }),
  who_references: (at) => ({ symbol: `${at}src/text.ts#own` }),
  eval_form: (at) => ({ form: `import { format } from "./${at}src/text.ts"; format({ title: "ours" })` }),
  run_command: (at) => ({ command: "ls src", cwd: at === "" ? "." : at }),
};

it.each(Object.entries(CALLS))("%s", async (name, argumentsAt) => {
  const [there, here] = await Promise.all(
    [
      { client: whole, at: HOME },
      { client: alone, at: "" },
    ].map(async ({ client, at }) => {
      const result = await client.request("agentq/callTool", { name, arguments: { ...argumentsAt(at) } });
      const text = (result.success ? result.content : result.error) ?? "";
      return { success: result.success, text: text.replaceAll(HOME, "").replaceAll(/\d+(?:\.\d+)? m?s\b/g, "soon") };
    }),
  );
  expect(there).toEqual(here);
  expect(there?.success).toBe(true);
});
