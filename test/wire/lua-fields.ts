/**
 * Looks up every field of the wire that Lua code names, as far as LuaCATS annotations tell what a name stands for. Lua
 * is not parsed: the formatter ends a function at the indentation where it begins, and keeps a chain of fields on a line.
 */
import { luaType } from "./lua-types.ts";
import { wireTypes } from "./wire-types.ts";

export interface LuaFile {
  readonly name: string;
  readonly text: string;
}

export interface FieldReport {
  /** How many fields were looked up in shapes of the wire. */
  readonly checked: number;
  readonly unknown: readonly string[];
}

/** Types, as LuaCATS writes them, by the names of variables or fields. */
type Types = ReadonlyMap<string, string>;
type Shapes = ReadonlyMap<string, Types>;

interface OwnClass {
  readonly base: string;
  readonly fields: Types;
}

interface Known {
  readonly shapes: Shapes;
  /** The shapes that must have every field that is named. */
  readonly wire: ReadonlySet<string>;
}

const CHAIN = String.raw`[a-z_]\w*(?:\.[a-zA-Z_]\w*|\["\w+"\]|\[[#\w]+\])+`;
const CHAINS = new RegExp(String.raw`(?<![\w.:"])${CHAIN}`, "g");
const LOOP = new RegExp(String.raw`^for \w+, (\w+) in ipairs\((${CHAIN})`);
const LOCALS = new RegExp(String.raw`^local (\w+(?:, \w+)*) = (?:not \w+ and )?(${CHAIN}(?:, ${CHAIN})*)(?: or .*)?$`);
const FUNCTION = /\bfunction\b[^(]*\(([^)]*)\)$/;
/** How far above a callback the name of its method stands at most, and above a request its parameters. */
const NEAR = 12;

const wire = wireTypes();
const wireShapes: Shapes = new Map(
  wire.classes.map(({ name, fields }) => [
    luaType({ kind: "class", name }),
    new Map(fields.map((field) => [field.name, luaType(field.type)])),
  ]),
);

export function checkFields(files: readonly LuaFile[]): FieldReport {
  const own = files.flatMap(({ text }) => [...classesOf(text)]);
  const shapes = new Map([...own.map(([name, { fields }]) => [name, fields] as const), ...wireShapes]);
  const extended = own.filter(([, { base }]) => wireShapes.has(base)).map(([name]) => name);
  const known = { shapes, wire: new Set([...wireShapes.keys(), ...extended]) };
  const reports = files.map((file) => new FileCheck(file, known));
  return {
    checked: reports.reduce((sum, { checked }) => sum + checked, 0),
    unknown: reports.flatMap(({ unknown }) => unknown),
  };
}

/** The classes that a file declares itself. One that extends a shape of the wire has the fields of that too. */
function classesOf(text: string): Map<string, OwnClass> {
  const found = new Map<string, OwnClass>();
  let fields = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, name, base = ""] = /^---@class (\S+?)(?:: (\S+))?$/.exec(line) ?? [];
    if (name !== undefined) {
      fields = new Map(wireShapes.get(base));
      found.set(name, { base, fields });
    }
    const [, field, type] = /^---@field (\w+)\?? (.+)$/.exec(line) ?? [];
    if (field !== undefined && type !== undefined) fields.set(field, type);
  }
  return found;
}

class FileCheck implements FieldReport {
  checked = 0;
  readonly unknown: string[] = [];
  readonly #known: Known;
  readonly #lines: readonly string[];
  readonly #scopes: { readonly indentation: number; readonly types: Map<string, string> }[] = [];

  constructor({ name, text }: LuaFile, known: Known) {
    this.#known = known;
    this.#lines = text.split("\n");
    this.#scopes.push({ indentation: -1, types: new Map() });
    let annotated = new Map<string, string>();
    for (const [index, raw] of this.#lines.entries()) {
      const [, param = "", type] = /^\s*---@(?:param (\w+)\??|type) (.+)$/.exec(raw) ?? [];
      if (type !== undefined) annotated.set(param, type);
      if (raw.trimStart().startsWith("--")) continue;
      this.#line(index, annotated, `${name}:${index + 1}`);
      annotated = new Map();
    }
  }

  #line(index: number, annotated: Types, where: string): void {
    const raw = this.#lines[index] ?? "";
    const line = raw.trim();
    const indentation = raw.length - raw.trimStart().length;
    if (/^end\b/.test(line) && this.#scopes.at(-1)?.indentation === indentation) this.#scopes.pop();
    for (const [chain] of line.matchAll(CHAINS)) this.#typeOf(chain, where);
    this.#written(index, where);
    const types = new Map([...this.#bound(line), ...this.#parameters(index, indentation, annotated)]);
    const local = /^local (\w+)\b/.exec(line)?.[1];
    if (local !== undefined && annotated.has("")) types.set(local, annotated.get("") ?? "");
    if (FUNCTION.test(line) || LOOP.test(line)) this.#scopes.push({ indentation, types });
    else for (const [variable, type] of types) this.#scopes.at(-1)?.types.set(variable, type);
  }

  /** The type at the end of a chain, "" where nobody says. A place reports what the wire's shapes lack. */
  #typeOf(chain: string, where?: string): string {
    const [variable = "", ...steps] = chain.match(/\w+|#\w+/g) ?? [];
    const isIndex = [...chain.matchAll(/\.\w+|\["?[#\w]+"?\]/g)].map(([step]) => /^\[[^"]/.test(step));
    let type = this.#scopes.findLast(({ types }) => types.has(variable))?.types.get(variable) ?? "";
    for (const [at, step] of steps.entries()) {
      const shape = plain(type);
      const fields = this.#known.shapes.get(shape);
      const inner = isIndex[at] === true ? memberOf(type) : fields?.get(step);
      if (where !== undefined && this.#known.wire.has(shape) && isIndex[at] !== true) {
        this.checked++;
        if (inner === undefined) this.unknown.push(`${where}: ${shape} has no ${step}`);
      }
      if (inner === undefined) return "";
      type = inner;
    }
    return type;
  }

  /** The variables of a loop or of an assignment. */
  #bound(line: string): [string, string][] {
    const [, member = "", list] = LOOP.exec(line) ?? [];
    if (list !== undefined) return [[member, memberOf(this.#typeOf(list)) ?? ""]];
    const [, names = "", chains] = LOCALS.exec(line) ?? [];
    const types = chains?.split(", ").map((chain) => this.#typeOf(chain)) ?? [];
    return types.map((type, at) => [names.split(", ")[at] ?? "", type]);
  }

  /** The parameters of a function: as annotated, as the method gives them, or the members of a list that is looped. */
  #parameters(index: number, indentation: number, annotated: Types): [string, string][] {
    const line = this.#lines[index]?.trim() ?? "";
    const names = FUNCTION.exec(line)?.[1]?.split(", ") ?? [];
    const above = this.#lines.slice(Math.max(0, index - NEAR), index + 1).join("\n");
    const method = [...above.matchAll(/"(agentq\/\w+)"/g)].at(-1)?.[1] ?? "";
    const over = /vim\.tbl_(?:map|filter)\(function/.test(line) ? this.#loopedOver(index, indentation) : undefined;
    const declared = this.#declared(line);
    return names.map((name, at) => {
      if (annotated.has(name)) return [name, annotated.get(name) ?? ""];
      if (names[0] === "err" && at === 1) return [name, typeFor(wire.results, method)];
      if (names[0] === "client_id" && at === 1 && line.includes(method)) return [name, typeFor(wire.params, method)];
      return [name, over ?? declared.get(name) ?? ""];
    });
  }

  /** The parameters of `function reducers.text(…)`, as the type of that table's functions names them. */
  #declared(line: string): Types {
    const [, table = ""] = /^function (\w+)\./.exec(line) ?? [];
    const signature = /\bfun\((.*)\)/.exec(this.#scopes[0]?.types.get(table) ?? "")?.[1] ?? "";
    return new Map([...signature.matchAll(/(\w+): ([^,]+)/g)].map(([, name = "", type = ""]) => [name, type]));
  }

  #loopedOver(index: number, indentation: number): string | undefined {
    const end = this.#lines.slice(index).find((line) => line.startsWith(`${" ".repeat(indentation)}end`));
    const [, list] = new RegExp(String.raw`end, (${CHAIN})`).exec(end ?? "") ?? [];
    return list === undefined ? undefined : memberOf(this.#typeOf(list));
  }

  /** The parameters of a request that are written out, where it is sent or just above. */
  #written(index: number, where: string): void {
    const [, method = "", variable] = /"(agentq\/\w+)", (?:\{|(\w+),)/.exec(this.#lines[index] ?? "") ?? [];
    const shape = typeFor(wire.params, method);
    if (shape === "") return;
    const begin = variable === undefined ? `"${method}", {` : `local ${variable} = {`;
    const first = variable === undefined ? index : Math.max(0, index - NEAR);
    const text = this.#lines.slice(first).join("\n");
    const from = text.indexOf(begin);
    if (from < 0) return;
    for (const key of keysOf(text.slice(from + begin.length))) {
      this.checked++;
      if (this.#known.shapes.get(shape)?.has(key) !== true) this.unknown.push(`${where}: ${shape} has no ${key}`);
    }
  }
}

/** The keys of the table whose inside a text begins with. */
function keysOf(text: string): string[] {
  let depth = 1;
  let own = "";
  for (const character of text) {
    if ("{(".includes(character)) depth++;
    if ("})".includes(character)) depth--;
    if (depth === 0) break;
    if (depth === 1) own += character;
  }
  return [...own.matchAll(/(?:^|[,{]|\n)\s*(?:\["(\w+)"\]|(\w+)) = /g)].map(([, quoted, name]) => quoted ?? name ?? "");
}

function typeFor(types: typeof wire.params, method: string): string {
  const type = types.get(method);
  return type === undefined ? "" : luaType(type);
}

/** Without what says that a value may be missing, or what it is for. */
function plain(type: string): string {
  return type.replace(/\s.*$/, "").replace(/\|nil$|\?$/, "");
}

function memberOf(type: string): string | undefined {
  const list = plain(type);
  return list.endsWith("[]") ? list.slice(0, -2) : /^table<\w+, (.*)>$/.exec(type)?.[1];
}
