/** Uses of a member in JavaScript through values whose type nobody knows: the compiler relates them to no member at all. */
import {
  isBindingElement,
  isObjectBindingPattern,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  SyntaxKind,
  type Node,
} from "typescript/unstable/ast";
import { TypeFlags, type Project } from "typescript/unstable/async";
import { SCRIPT } from "../../names/javascript/assigned-names.ts";
import { accessed, isAssignment } from "../../names/javascript/assignments.ts";
import type { Declaration } from "../../names/tree/declaration.ts";
import { nodesNamed, referenceOf } from "../../names/tree/named-nodes.ts";
import { fileTextNow } from "../../files/file-text.ts";
import type { Reference } from "../../places.ts";
import type { View } from "../../view.ts";
import { forEachYielding, mapLimited } from "../../yielding.ts";

const MAX_SHOWN = 5;
/** A tree of each of them is read; a name that more files spell says little. */
const MAX_FILES = 100;

/** Adds a doubt for the reader of the answer; none where every such name follows a value that the compiler knows. */
export async function doubtUntyped(view: View, { file, path, name }: Declaration): Promise<void> {
  if (!path.includes(".") || !/^[\w$]+$/.test(name) || name === "constructor") return;
  const spelling = await scriptsSpelling(view, name);
  const perFile = await mapLimited(spelling.slice(0, MAX_FILES), (each) => untypedIn(view, each, name), view.signal);
  const found = perFile.flat();
  const unread = spelling.length - MAX_FILES;
  if (found.length === 0 && unread <= 0) return;
  const shown = found.slice(0, MAX_SHOWN).map((each) => `${view.paths.show(each.file)}:${each.at.line + 1}`);
  const more = found.length > MAX_SHOWN ? ` and ${found.length - MAX_SHOWN} more` : "";
  const places = found.length === 0 ? [] : [`.${name} at ${shown.join(", ")}${more}`];
  const files = unread <= 0 ? [] : [`what ${unread} more files that spell .${name} have`];
  const member = `${view.paths.show(file)}#${path}`;
  view.doubts.add(
    `May be ${member} too, but the value's type is unknown in JavaScript: ${[...places, ...files].join(", and ")}.`,
  );
}

async function scriptsSpelling(view: View, name: string): Promise<string[]> {
  const scripts = view.ownFiles().filter((file) => SCRIPT.test(file) && !view.state.shown.hides(file));
  const found: string[] = [];
  const taken = takenBy(name);
  await forEachYielding(
    scripts,
    (file) => {
      if (taken.test(fileTextNow(view, file))) found.push(file);
    },
    view.signal,
  );
  return found;
}

/** `.name`, `["name"]`, and braces with the name in them that may be a pattern. */
function takenBy(name: string): RegExp {
  const word = String.raw`(?<![\w$])${name.replaceAll("$", String.raw`\$`)}(?![\w$])`;
  return new RegExp(
    String.raw`\.\s*${word}|\[\s*["'\x60]${word}|[{,]\s*["']?${word}["']?(?=\s*[:,}=])(?=[^;]{0,500}\}\s*(?:=|\)|,|\bof\b))`,
  );
}

async function untypedIn(view: View, file: string, name: string): Promise<Reference[]> {
  const found = await view.source(file);
  if (found === undefined) return [];
  const nodes = nodesNamed(view, found.source, [name]);
  const { project } = found.program;
  const isUntyped = await Promise.all(nodes.map((node) => isOfUnknown(project, node, name)));
  return nodes.filter((_node, index) => isUntyped[index]).map((node) => referenceOf(node, view));
}

/** Whether the node takes a member out of a value whose type nobody knows. */
async function isOfUnknown({ checker }: Project, node: Node, name: string): Promise<boolean> {
  if (accessed(node.parent)?.nameNode === node) return (await checker.getSymbolAtLocation(node)) === undefined;
  const value = valueTakenFrom(node);
  const type = value === undefined ? undefined : await checker.getTypeAtLocation(value);
  if (type === undefined) return false;
  if ((type.flags & TypeFlags.Any) !== 0) return true;
  // Where nothing else tells the type, the pattern itself does: `({ save }) => save()`.
  const property = await checker.getPropertyOfType(type, name);
  const declared = property?.declarations ?? [];
  return property !== undefined && declared.every(({ kind }) => kind === SyntaxKind.BindingElement);
}

/** What tells the type of the value out of which the node takes a member: the pattern, or the value assigned to the pattern. */
function valueTakenFrom(node: Node): Node | undefined {
  const { parent } = node;
  if (isBindingElement(parent) && isObjectBindingPattern(parent.parent)) {
    return (parent.propertyName ?? parent.name) === node ? parent.parent : undefined;
  }
  const isPlain = isShorthandPropertyAssignment(parent) || isPropertyAssignment(parent);
  if (!isPlain || parent.name !== node) return undefined;
  const assignment = parent.parent.parent;
  return isAssignment(assignment) && assignment.left === parent.parent ? assignment.right : undefined;
}
