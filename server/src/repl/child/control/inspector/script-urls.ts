/** The URLs of the main thread's scripts, by id. Only an enabled debugger tells them. */
import type { Debugger, Session } from "node:inspector";
import { nudged } from "./inspector-call.ts";
import type { Post } from "./inspector-post.ts";

type Parsed = { readonly params: Debugger.ScriptParsedEventDataType };

export function createScriptUrls(
  session: Session,
  post: Post,
  isStopping: () => boolean,
): () => Promise<ReadonlyMap<string, string>> {
  return async () => {
    const urls = new Map<string, string>();
    if (isStopping()) return urls;
    const onParsed = ({ params }: Parsed): void => void urls.set(params.scriptId, params.url);
    session.on("Debugger.scriptParsed", onParsed);
    await nudged(post, isStopping, post("Debugger.enable"));
    session.off("Debugger.scriptParsed", onParsed);
    // An interrupt that began meanwhile needs the debugger to find the place of a loop, and disables it itself.
    if (!isStopping()) void post("Debugger.disable");
    return urls;
  };
}
