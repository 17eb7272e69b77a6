/** What is made from the protocol's types: the published schema and what both clients know of the wire. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { schemaProblem } from "../../server/src/schema/json-schema.ts";
import { elispTypes } from "./elisp-types.ts";
import { checkFields, type LuaFile } from "./lua-fields.ts";
import { missingFunctions } from "./lua-modules.ts";
import { luaTypes } from "./lua-types.ts";
import { wireSchema } from "./wire-schema.ts";

const root = "../..";

function luaFiles(): LuaFile[] {
  const folder = path.join(import.meta.dirname, root, "client-nvim/lua/agentq");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".lua"));
  return names.map((name) => ({ name, text: readFileSync(path.join(folder, name), "utf8") }));
}

/** The members of a schema that are URIs of files, by their names or by what is said of them. */
function namesOfFiles(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const properties = "properties" in schema ? Object.entries((schema.properties ?? {}) as Record<string, unknown>) : [];
  const own = properties.filter(
    ([name, value]) => /uris?$/i.test(name) || /\bURIs?\b/.test(JSON.stringify(value)) || name === "module",
  );
  const leaves = own.filter(([, value]) => !JSON.stringify(value).includes('"properties"')).map(([name]) => name);
  return [...leaves, ...Object.values(schema).flatMap(namesOfFiles)];
}

describe("the wire", () => {
  it("is published as a schema of every message (docs/protocol.schema.json; update with vitest -u)", async () => {
    const schema = wireSchema();
    expect(schemaProblem({ ...schema })).toBeUndefined();
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`${root}/docs/protocol.schema.json`);
  });

  it("has its shapes in the Neovim client (client-nvim/lua/agentq/types.lua; update with vitest -u)", async () => {
    await expect(luaTypes()).toMatchFileSnapshot(`${root}/client-nvim/lua/agentq/types.lua`);
  });

  it("has its keys in the Emacs client (client-emacs/agentq-types.el; update with vitest -u)", async () => {
    await expect(elispTypes()).toMatchFileSnapshot(`${root}/client-emacs/agentq-types.el`);
  });

  it("has every member that names a file in what the Emacs client translates for other machines", () => {
    const known =
      /agentq-remote-keys '\(([^)]*)\)/
        .exec(readFileSync(path.join(import.meta.dirname, root, "client-emacs/agentq-remote.el"), "utf8"))?.[1]
        ?.split(/\s+/) ?? [];
    const named = new Set(namesOfFiles(wireSchema()).map((name) => `:${name}`));
    expect(named.size).toBeGreaterThan(3);
    expect([...named].filter((name) => !known.includes(name))).toEqual([]);
  });

  it("has every field that the Neovim client reads or writes", () => {
    const { checked, unknown } = checkFields(luaFiles());
    expect(unknown).toEqual([]);
    expect(checked).toBeGreaterThan(500);
  });

  it("has no field that is misspelt, wherever a name stands for a shape", () => {
    const lines = [
      "---@param result agentq.EvalResult",
      "local function show(result)",
      "  for _, note in ipairs(result.notes) do",
      "    print(note.mesage, note.range.start.lnie)",
      "  end",
      "  local failure = result.error",
      "  return result.outcom or failure.frames[1].col or result.notes",
      "end",
      'client.request(connection, "agentq/evaluate", { cod = text, module = uri }, function(err, answer)',
      "  print(err.message, answer.evalID)",
      "end)",
    ];
    const { unknown } = checkFields([{ name: "a.lua", text: lines.join("\n") }]);
    expect(unknown).toEqual([
      "a.lua:4: agentq.DiagnosticLine has no mesage",
      "a.lua:4: lsp.Position has no lnie",
      "a.lua:7: agentq.EvalResult has no outcom",
      "a.lua:7: agentq.ErrorFrame has no col",
      "a.lua:9: agentq.EvaluateParams has no cod",
      "a.lua:10: agentq.EvalResult has no evalID",
    ]);
  });
});

describe("the modules of the Neovim client", () => {
  it("call only functions that the other module has", () => {
    expect(missingFunctions(luaFiles())).toEqual([]);
    const files = [
      { name: "a.lua", text: 'local b = require("agentq.b.c")\nb.go()\nrequire("agentq.b.c").gone()' },
      { name: "b/c.lua", text: "local M = {}\nfunction M.go() end\nreturn M\n" },
    ];
    expect(missingFunctions(files)).toEqual(["a.lua: agentq.b.c has no gone"]);
  });
});
