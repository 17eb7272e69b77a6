/**
 * `accessor name` is a private field with a getter and a setter. swc counts these fields over the whole file:
 * `#___private_name_3`. Here they are called by their accessor alone, `#accessor_name` or `#static_name`, so that the
 * class knows them again when it is redefined and a person when they are shown. No column moves.
 */
import MagicString from "magic-string";
import { heldClass } from "./decorated-classes.ts";
import { isNode, parseProgram, walk, type SyntaxNode } from "./syntax.ts";

const COUNTED = /^___private_(?!_computedKey)(.+)_\d+$/;

export function nameAccessorFields(code: string, text: string, format: "module" | "commonjs"): string {
  if (!code.includes("#___private_") || /#(?:___private|accessor|static)_/.test(text)) return code;
  const classes: SyntaxNode[] = [];
  const mentions: SyntaxNode[] = [];
  for (const statement of parseProgram(code, format)) {
    walk(statement, (node) => {
      if (/^Class(?:Declaration|Expression)$/.test(node.type)) classes.push(node);
      if (node.type === "PrivateIdentifier") mentions.push(node);
    });
  }
  const names = stableNames(classes);
  const edited = new MagicString(code);
  for (const { name, start, end } of mentions) {
    const stable = names.get(name as string);
    if (stable !== undefined) edited.overwrite(start, end, `#${stable}`.padEnd(end - start));
  }
  return edited.toString();
}

/** A name that would stand for two fields of one class, or for two kinds of fields, stays as it is. */
function stableNames(classes: readonly SyntaxNode[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const doubtful = new Set<string>();
  for (const node of classes) {
    const own = new Map<string, string>();
    for (const [counted, stable] of fieldsOf(node)) {
      const other = own.get(stable);
      if (other !== undefined) doubtful.add(other).add(counted);
      own.set(stable, counted);
      if ((names.get(counted) ?? stable) !== stable) doubtful.add(counted);
      names.set(counted, stable);
    }
  }
  for (const name of doubtful) names.delete(name);
  return names;
}

function fieldsOf(node: SyntaxNode): [string, string][] {
  const isHolder = heldClass(node) !== undefined;
  const members = (node["body"] as SyntaxNode)["body"] as readonly SyntaxNode[];
  return members.flatMap((member): [string, string][] => {
    const key = member["key"];
    if (member.type !== "PropertyDefinition" || !isNode(key) || key.type !== "PrivateIdentifier") return [];
    const counted = key["name"] as string;
    const name = COUNTED.exec(counted)?.[1];
    if (name === undefined) return [];
    return [[counted, `${isHolder || member["static"] === true ? "static" : "accessor"}_${name}`]];
  });
}
