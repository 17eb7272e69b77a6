/** The wire's shapes as LuaCATS annotations, for `client-nvim/lua/agentq/types.lua`. */
import { isOfLsp, wireTypes, type WireClass, type WireType } from "./wire-types.ts";

const HEAD = `---@meta
-- What agentq/* messages carry. Made from docs/protocol.schema.json: change server/src/protocol and run
-- \`npx vitest run test/wire -u\`, not this file. Nothing runs here.
`;

export function luaTypes(): string {
  const { classes, aliases } = wireTypes();
  // Neovim brings the shapes of LSP.
  const ours = classes.filter(({ name }) => !isOfLsp(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const named = aliases.filter(({ name }) => !isOfLsp(name));
  const lines = named.map(({ name, type }) => `---@alias agentq.${name} ${luaType(type)}`);
  return [HEAD, ...lines, "", ours.map(luaClass).join("\n\n"), ""].join("\n");
}

function luaClass({ name, description, fields }: WireClass): string {
  const lines = fields.map((field) => {
    const about = field.description === undefined ? "" : ` ${field.description}`;
    return `---@field ${field.name}${field.isOptional ? "?" : ""} ${luaType(field.type)}${about}`;
  });
  const about = description === undefined ? [] : [`--- ${description}`];
  return [...about, `---@class agentq.${name}`, ...lines].join("\n");
}

export function luaType(type: WireType): string {
  switch (type.kind) {
    case "plain":
      return type.name === "null" ? "nil" : type.name;
    case "literal":
      return JSON.stringify(type.value);
    case "class":
      return isOfLsp(type.name) ? type.name : `agentq.${type.name}`;
    case "list":
      return type.of.kind === "union" ? `(${luaType(type.of)})[]` : `${luaType(type.of)}[]`;
    case "map":
      return `table<string, ${luaType(type.of)}>`;
    case "union":
      return type.members.map(luaType).join("|");
  }
}
