/** Uses of a member in JavaScript through values whose type nobody knows: the compiler relates them to no member at all. */
import { SCRIPT } from "../names/assigned-names.ts";
import { accessed } from "../names/assignments.ts";
import type { Declaration } from "../names/declaration.ts";
import { nodesNamed, referenceOf } from "../names/named-nodes.ts";
import { fileTextNow } from "../files/file-text.ts";
import type { Reference } from "../places.ts";
import type { View } from "../view.ts";
import { forEachYielding, mapLimited } from "../yielding.ts";

const MAX_SHOWN = 5;
/** A tree of each of them is read; a name that more files spell says little. */
const MAX_FILES = 100;

/** Adds a doubt for the reader of the answer; none where every such name stands behind a value that the compiler knows. */
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
  await forEachYielding(
    scripts,
    (file) => {
      if (fileTextNow(view, file).includes(`.${name}`)) found.push(file);
    },
    view.signal,
  );
  return found;
}

async function untypedIn(view: View, file: string, name: string): Promise<Reference[]> {
  const found = await view.source(file);
  if (found === undefined) return [];
  const nodes = nodesNamed(view, found.source, [name]).filter((node) => accessed(node.parent)?.nameNode === node);
  const { checker } = found.program.project;
  const symbols = await Promise.all(nodes.map((node) => checker.getSymbolAtLocation(node)));
  return nodes.filter((_node, index) => symbols[index] === undefined).map((node) => referenceOf(node, view));
}
