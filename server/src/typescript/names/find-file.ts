/** A file of the project by the path a model writes. */
import { nearestNames } from "../../base/spelling.ts";
import type { View } from "../view.ts";

const NEAREST = 3;

/** The absolute path of an own file that a loaded program contains, or why there is none. */
export function findOwnFile(view: View, shown: string): string | { readonly reason: string } {
  const candidates = view.paths.candidates(shown.trim());
  const found = candidates.find((file) => view.programOf(file) !== undefined);
  if (found !== undefined && view.paths.isOwn(found)) return found;
  if (found !== undefined) return { reason: `${shown} is not the project's own file.` };
  const own = view.ownFiles().map((file) => view.paths.show(file));
  const sameName = own.filter((file) => file.split("/").at(-1) === shown.split("/").at(-1));
  const nearest = sameName.length > 0 ? sameName.slice(0, NEAREST) : nearestNames(shown, own, NEAREST);
  const hint = nearest.length === 0 ? "" : ` Nearest: ${nearest.join(", ")}`;
  return { reason: `${shown} is no TypeScript or JavaScript file of the loaded projects.${hint}` };
}
