/**
 * A method without its class: `async Invoice.total(rate: number) { … }` installs or replaces one member of a class or
 * object. `static`, `async`, `get`, `set` and `*` come before the name; types are written as in a class. `super` and
 * `#private` work.
 */
import type { EmitOptions } from "./compiler-options.ts";
import { chain, mapperOf, type Position, type PositionMapper } from "./source-position.ts";
import type { Node } from "oxc-parser";
import { parseProgram, type Body } from "./syntax.ts";
import { walk } from "../../base/syntax-walk.ts";
import MagicString from "magic-string";
import { followOthers } from "./classes/private-crossing.ts";
import { isProblem, transpile } from "./transpile.ts";

export interface MethodForm {
  /** The expression that names the class or object, for instance `Invoice` or `shapes.Square`. */
  readonly owner: string;
  readonly member: string;
  readonly isStatic: boolean;
  /** The member as it was written, which can be put into a class. */
  readonly written: string;
  /** The member as JavaScript, which can be put into an object literal. */
  readonly code: string;
  /** The `#names` in the member. */
  readonly uses: readonly string[];
  /** Code that has to run before the member is compiled. */
  readonly before: string;
  /** The code, in which private names of other objects are read by the given family and not by one definition. */
  readonly following: (family: string) => string;
  /** From positions in `code` to positions in the form. */
  readonly mapper: PositionMapper;
}

const MODIFIERS = "(?:public|private|protected|override|static|async|get|set)";
const NAME = "[\\p{ID_Start}$_][\\p{ID_Continue}$]*";
const HEAD = new RegExp(
  `^(\\s*(?:${MODIFIERS}\\s+)*\\*?\\s*)(${NAME}(?:\\.${NAME})*?)(?:\\.prototype)?(?:\\.|(?=\\[))(#?${NAME}|\\[[^\\]]+\\])(?=\\s*[<(])`,
  "u",
);
const PRIVATE_NAME = /#([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;
const OPEN = "class M{";
/** Part of the answer for a constructor, which can be named but not installed: its text is not used. */
const FIXED = {
  isStatic: false,
  written: "",
  code: "",
  uses: [],
  before: "",
  following: (): string => "",
  mapper: (position: Position): Position => position,
} as const;

/**
 * Gives names in a form's code the meaning that they have in its module; answers the code that has to run before the
 * form.
 */
export type NameGiver = (edited: MagicString, body: Body) => string;

/** Undefined when the text is not a method without its class. */
export function parseMethodForm(text: string, emit: EmitOptions, giveNames?: NameGiver): MethodForm | undefined {
  const head = HEAD.exec(text);
  if (head === null) return undefined;
  const [whole, before = "", owner = "", member = ""] = head;
  if (member === "constructor" && /\}\s*$/.test(text)) return { ...FIXED, owner, member };
  // The modifiers keep their place. The owner's name is removed, and the private names that only the real class
  // declares are added.
  const privates = new Set([...text.matchAll(PRIVATE_NAME)].map(([, name = ""]) => name));
  if (member.startsWith("#")) privates.delete(member.slice(1));
  const declared = [...privates].map((name) => `#${name};`).join("");
  const written = `${before}${member}${text.slice(whole.length)}`;
  const source = `${OPEN}${written}\n${declared}}`;
  const emitted = transpile({ path: "repl.ts", text: source, format: "module", emit, keepImports: true });
  if (isProblem(emitted)) return undefined;
  const output = named(emitted.code, giveNames);
  const [statement, more] = output.body;
  if (statement?.type !== "ClassDeclaration" || more !== undefined) return undefined;
  const [node, ...rest] = statement.body.body;
  const isMethod = node?.type === "MethodDefinition" && rest.every(({ type }) => type === "PropertyDefinition");
  if (!isMethod || rest.length !== privates.size) return undefined;
  const isStatic = node.static;
  const code = output.code.slice(node.start, node.end).replace(/^static\s+/, "");
  const start = node.end - code.length;
  const shift = positionShift(output.code, start);
  const removed = whole.length - before.length - member.length;
  const toForm: PositionMapper = ({ line, column }) => ({
    line,
    column: line > 0 ? column : columnInForm(column - OPEN.length, before.length, removed),
  });
  return {
    owner,
    member,
    isStatic,
    written,
    code,
    uses: usesOf(node),
    before: output.before,
    following: (family) => {
      const edited = new MagicString(output.code);
      followOthers(edited, node, { family, isOwn: () => true });
      return edited.slice(start, node.end);
    },
    mapper: chain(chain(chain(shift, output.mapper), mapperOf(emitted.map)), toForm),
  };
}

interface Named {
  readonly code: string;
  readonly body: Body;
  readonly before: string;
  readonly mapper: PositionMapper;
}

function named(code: string, giveNames: NameGiver | undefined): Named {
  const body = parseProgram(code, "module");
  const edited = new MagicString(code);
  const before = giveNames?.(edited, body) ?? "";
  if (!edited.hasChanged()) return { code, body, before, mapper: (position) => position };
  const mapper = mapperOf(edited.generateMap({ hires: "boundary" }), true);
  return { code: edited.toString(), body: parseProgram(edited.toString(), "module"), before, mapper };
}

function columnInForm(column: number, before: number, removed: number): number {
  return Math.max(0, column < before ? column : column + removed);
}

function positionShift(code: string, start: number): PositionMapper {
  const lines = code.slice(0, start).split("\n");
  const line = lines.length - 1;
  const column = (lines.at(-1) ?? "").length;
  return (position) => ({
    line: position.line + line,
    column: position.line === 0 ? position.column + column : position.column,
  });
}

function usesOf(node: Node): string[] {
  const names = new Set<string>();
  walk(node, (each) => {
    if (each.type === "PrivateIdentifier") names.add(each.name);
    return true;
  });
  return [...names];
}
