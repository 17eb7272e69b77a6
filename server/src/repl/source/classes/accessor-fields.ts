/**
 * `accessor name` is a private field with a getter and a setter. swc counts these fields over the whole file:
 * `#___private_name_3`. Here they get names from their accessor alone, `#accessor_name` or `#static_name`: a
 * redefinition of the class then finds the same names, and people can read them. No column moves.
 */
import MagicString from "magic-string";
import { heldClass } from "./decorated-classes.ts";
import type { Class, PrivateIdentifier } from "oxc-parser";
import { isClass, parseProgram } from "../syntax.ts";
import { walk } from "../../../base/syntax-walk.ts";

const COUNTED = /^___private_(?!_computedKey)(.+)_\d+$/;

export function nameAccessorFields(code: string, text: string, format: "module" | "commonjs"): string {
  if (!code.includes("#___private_") || /#(?:___private|accessor|static)_/.test(text)) return code;
  const classes: Class[] = [];
  const mentions: PrivateIdentifier[] = [];
  for (const statement of parseProgram(code, format)) {
    walk(statement, (node) => {
      if (isClass(node)) classes.push(node);
      if (node.type === "PrivateIdentifier") mentions.push(node);
    });
  }
  const names = stableNames(classes);
  const edited = new MagicString(code);
  for (const { name, start, end } of mentions) {
    const stable = names.get(name);
    if (stable !== undefined) edited.overwrite(start, end, `#${stable}`.padEnd(end - start));
  }
  return edited.toString();
}

/** A name that would be used for two fields of one class, or for two kinds of fields, is not changed. */
function stableNames(classes: readonly Class[]): ReadonlyMap<string, string> {
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

function fieldsOf(node: Class): [string, string][] {
  const isHolder = heldClass(node) !== undefined;
  return node.body.body.flatMap((member): [string, string][] => {
    if (member.type !== "PropertyDefinition" || member.key.type !== "PrivateIdentifier") return [];
    const counted = member.key.name;
    const name = COUNTED.exec(counted)?.[1];
    if (name === undefined) return [];
    return [[counted, `${isHolder || member.static ? "static" : "accessor"}_${name}`]];
  });
}
