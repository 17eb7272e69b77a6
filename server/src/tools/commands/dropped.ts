/** Why something that a command wrote is not offered, in words: a line for each reason. */
import { inOneLine } from "../answers/quoted-text.ts";
import { plural } from "../../base/plural.ts";

/** The words about one path, and about several. */
export type Reason = readonly [string, string];

export const IGNORED: Reason = ["git ignores", "git ignores"];
export const CLOSED: Reason = ["no edit may touch", "no edit may touch"];
export const WHOLE: Reason = ["is never reviewed", "are never reviewed"];
export const NO_FILE: Reason = ["is a pipe, socket, device or mount", "are pipes, sockets, devices or mounts"];
export const NO_UTF8: Reason = ["has a name that is no UTF-8", "have names that are no UTF-8"];
export const LARGE: Reason = ["is too large for a review", "are too large for a review"];
export const LINKED_OUT: Reason = [
  "leads out of the workspace, to a secret, or nobody can say where",
  "lead out of the workspace, to secrets, or nobody can say where",
];
export const UNSAVED: Reason = ["has unsaved text in the editor", "have unsaved text in the editor"];
export const CHANGED: Reason = [
  "changed in the project or the editor while the command ran",
  "changed in the project or the editor while the command ran",
];

const SHOWN = 5;

export class DroppedPaths {
  readonly #paths = new Map<Reason, string[]>();

  add(reason: Reason, path: string): void {
    const paths = this.#paths.get(reason);
    if (paths === undefined) this.#paths.set(reason, [path]);
    else paths.push(path);
  }

  addAll(paths: ReadonlyMap<string, Reason>, show: (absolute: string) => string): void {
    for (const [path, reason] of paths) this.add(reason, show(path));
  }

  lines(): string[] {
    return [...this.#paths].map(([[one, many], paths]) => {
      const shown = paths.slice(0, SHOWN).map(inOneLine).join(", ");
      const more = paths.length > SHOWN ? ", …" : "";
      return `${plural(paths.length, "path")} that ${paths.length === 1 ? one : many}: ${shown}${more}`;
    });
  }
}
