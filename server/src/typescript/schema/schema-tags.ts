/** What documentation adds to a schema: the description, the default, and constraints written as tags. */
import { isJSDoc, type Node } from "typescript/unstable/ast";
import type { JSDocTagInfo, Project, Symbol } from "typescript/unstable/async";
import type { JsonSchema } from "../../protocol/shapes.ts";
import { commentText } from "../shapes/doc-comments.ts";

const NUMERIC = new Map([
  ["minimum", "minimum"],
  ["min", "minimum"],
  ["maximum", "maximum"],
  ["max", "maximum"],
  ["exclusiveMinimum", "exclusiveMinimum"],
  ["exclusiveMaximum", "exclusiveMaximum"],
  ["multipleOf", "multipleOf"],
]);
const LENGTHS: Readonly<Record<string, "string" | "array">> = {
  minLength: "string",
  maxLength: "string",
  minItems: "array",
  maxItems: "array",
};

export interface Documentation {
  readonly text: string;
  readonly tags: readonly JSDocTagInfo[];
}

/** The schema with what its documentation says; a tag that does not fit is written to `problems`. */
export function documented(
  schema: JsonSchema,
  { text, tags }: Documentation,
  path: string,
  problems: string[],
): JsonSchema {
  const result: Record<string, unknown> = described(schema, text);
  for (const tag of tags) {
    const problem = applyTag(result, tag.name, (tag.text ?? "").trim());
    if (problem !== undefined) problems.push(`${path}: ${problem}`);
  }
  return result;
}

/** The schema with this description; what the type itself says stays behind it. */
export function described(schema: JsonSchema, text: string): JsonSchema {
  if (text === "") return { ...schema };
  const { description } = schema;
  return { ...schema, description: typeof description === "string" ? `${text} (${description})` : text };
}

export async function documentationOf(project: Project, symbol: Symbol): Promise<Documentation> {
  const { checker } = project;
  const [text, tags] = await Promise.all([
    checker.getDocumentationCommentOfSymbol(symbol),
    checker.getJsDocTagsOfSymbol(symbol),
  ]);
  if (text !== "" || tags.length > 0) return { text: oneParagraph(text), tags };
  // 7.0.2 overlooks comments inside a parameter's own type.
  return documentationAt(await symbol.valueDeclaration?.resolve(project));
}

/** The comment at the declaration itself; for a symbol the checker gives the comments of all its declarations. */
export function documentationAt(node: Node | undefined): Documentation {
  const comment = node?.jsDoc?.findLast(isJSDoc);
  if (comment === undefined) return { text: "", tags: [] };
  const tags = (comment.tags ?? []).map(({ tagName, comment: text }) => {
    return { name: tagName.text, text: commentText(text) };
  });
  return { text: oneParagraph(commentText(comment.comment)), tags };
}

/** Line breaks inside a paragraph are the source's, not the reader's. A leading dash belongs to `@param name - text`. */
export function oneParagraph(text: string): string {
  const paragraphs = text
    .trim()
    .replace(/^-\s+/, "")
    .split(/\r?\n[ \t]*\r?\n/);
  return paragraphs.map((paragraph) => paragraph.replaceAll(/\s*\r?\n\s*/g, " ").trim()).join("\n");
}

/** Why the tag cannot be applied, or undefined. Tags that are no constraint are left alone. */
function applyTag(schema: Record<string, unknown>, name: string, text: string): string | undefined {
  const numeric = NUMERIC.get(name);
  if (numeric !== undefined) {
    if (!allows(schema, ["number", "integer"])) return `@${name} is for numbers; use it on a number, or remove it.`;
    return setNumber(schema, numeric, name, text);
  }
  const holder = LENGTHS[name];
  if (holder !== undefined) {
    if (!allows(schema, [holder])) return `@${name} is for a ${holder}; use it on one, or remove it.`;
    return setNumber(schema, name, name, text);
  }
  switch (name) {
    case "pattern":
      return setPattern(schema, text);
    case "format":
      schema["format"] = text;
      return undefined;
    case "integer":
    case "int":
      return setInteger(schema);
    case "asType":
      return text === "integer" ? setInteger(schema) : undefined;
    case "uniqueItems":
      schema["uniqueItems"] = text !== "false";
      return undefined;
    case "deprecated":
      schema["deprecated"] = true;
      return undefined;
    case "default":
    case "defaultValue":
      schema["default"] = jsonOrText(text);
      return undefined;
    case "example":
      schema["examples"] = [...((schema["examples"] as unknown[] | undefined) ?? []), jsonOrText(text)];
      return undefined;
    default:
      return undefined;
  }
}

function setNumber(schema: Record<string, unknown>, keyword: string, name: string, text: string): string | undefined {
  const value = Number(text.split(/\s/)[0]);
  if (text === "" || Number.isNaN(value)) return `@${name} needs a number, not "${text}"; use @${name} 1, for example.`;
  schema[keyword] = value;
  return undefined;
}

function setPattern(schema: Record<string, unknown>, text: string): string | undefined {
  const pattern = /^\/(.*)\/$/.exec(text)?.[1] ?? text;
  try {
    new RegExp(pattern, "u").test("");
  } catch {
    return `@pattern "${pattern}" is no regular expression; use one that JavaScript reads with the flag u.`;
  }
  if (!allows(schema, ["string"])) return "@pattern is for a string; use it on one, or remove it.";
  schema["pattern"] = pattern;
  return undefined;
}

function setInteger(schema: Record<string, unknown>): string | undefined {
  const { type } = schema;
  if (!allows(schema, ["number", "integer"])) return "@integer is for numbers; use it on a number, or remove it.";
  schema["type"] = Array.isArray(type)
    ? type.map((each) => (each === "number" ? "integer" : (each as string)))
    : "integer";
  return undefined;
}

function allows({ type }: Record<string, unknown>, wanted: readonly string[]): boolean {
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.some((each) => wanted.includes(String(each)));
}

function jsonOrText(text: string): unknown {
  const bare = text.replace(/^`(.*)`$/s, "$1").replace(/^'(.*)'$/s, '"$1"');
  try {
    return JSON.parse(bare);
  } catch {
    return bare;
  }
}
