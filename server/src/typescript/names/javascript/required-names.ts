/**
 * Uses of a symbol in JavaScript that reaches it through `require`: 7.0.2 knows where such a name leads, but leaves the
 * name out when it is asked for everything that leads there.
 */
import { SCRIPT } from "./assigned-names.ts";
import { fileText } from "../../files/file-text.ts";
import type { Declaration } from "../tree/declaration.ts";
import type { Reference, LspPosition, LspRange } from "../../places.ts";
import type { View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

/** Beyond this a file is more likely made than written. */
const MAX_PLACES = 300;

interface Target {
  readonly uri?: string;
  readonly range?: LspRange;
  readonly targetUri?: string;
  readonly targetSelectionRange?: LspRange;
}

export async function requiredUses(view: View, declaration: Declaration): Promise<Reference[]> {
  if (!/^[\w$]+$/.test(declaration.name)) return [];
  const scripts = view.ownFiles().filter((file) => SCRIPT.test(file) && file !== declaration.file);
  const found = await mapLimited(scripts, (file) => usesIn(view, file, declaration), view.signal);
  return found.flat();
}

async function usesIn(view: View, file: string, declaration: Declaration): Promise<Reference[]> {
  const text = await fileText(view, file);
  if (!text.includes("require(") || !text.includes(declaration.name)) return [];
  const all = placesOf(declaration.name, text);
  const places = all.slice(0, MAX_PLACES);
  if (places.length < all.length) {
    const which = `${MAX_PLACES} of the ${all.length} places`;
    view.doubts.add(
      `Only the first ${which} of ${view.paths.show(file)} that spell ${declaration.name} were looked at.`,
    );
  }
  const leads = await mapLimited(places, (at) => leadsTo(view, file, at, declaration), view.signal);
  return places.filter((_at, index) => leads[index]).map((at) => ({ file, at }));
}

function placesOf(name: string, text: string): LspPosition[] {
  // Not the last part of a module's path either, which leads to the first line of the module.
  const word = new RegExp(`(?<![\\w$/"'\`-])${name.replaceAll("$", () => "\\$")}(?![\\w$])`, "g");
  return text.split("\n").flatMap((content, line) => {
    return [...content.matchAll(word)].map(({ index }) => ({ line, character: index }));
  });
}

async function leadsTo(view: View, file: string, at: LspPosition, declaration: Declaration): Promise<boolean> {
  const answer = await view.requestAt<Target | readonly Target[] | null>("textDocument/definition", file, at);
  const targets = Array.isArray(answer) ? (answer as readonly Target[]) : answer === null ? [] : [answer as Target];
  return targets.some(({ uri, range, targetUri = uri, targetSelectionRange = range }) => {
    if (targetUri === undefined || view.fileOf(targetUri) !== declaration.file) return false;
    // The name is the same, so comparing lines is enough: of `exports.name = function`, the two may name different
    // sides.
    return targetSelectionRange?.start.line === declaration.at.line;
  });
}
