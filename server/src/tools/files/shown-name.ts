/** Names of files as a listing shows them: whoever made the file chose its name, and a name may hold anything. */
import { hiddenInPath, showHidden } from "../../workspace/hidden-characters.ts";

/** Quoted where the name could be read as more than one, or has characters that readers do not see. */
export function shownName(name: string): string {
  const isPlain = !/[,"→]|^\s|\s$|\s\(/u.test(name) && hiddenInPath(name) === undefined;
  return isPlain ? name : showHidden(JSON.stringify(name));
}
