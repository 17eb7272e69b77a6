/** The part of the composition that completes prompts. */
import { symbolNames, type ContextParts } from "./context.ts";
import type { CompletionPorts } from "../conversation/completion/complete-prompt.ts";
import type { ClientPort } from "../services.ts";
import type { Lazy } from "../base/lazy.ts";
import type { Repl } from "../repl/repl.ts";
import { plainLine } from "../workspace/plain-text.ts";

type CompletionParts = Pick<ContextParts, "documents" | "paths" | "typescript"> & {
  readonly client: Pick<ClientPort, "announced" | "buffers">;
  readonly repl: Pick<Lazy<Repl>, "peek">;
};

const SYMBOLS = 40;
const HANDLES = 20;
const SHOWN = 60;
/** While somebody types, the files are listed once. */
const FILES_FRESH_MS = 5_000;

export function completionPorts(parts: CompletionParts): Omit<CompletionPorts, "commands"> {
  let listed: { readonly at: number; readonly files: Promise<readonly string[]> } | undefined;
  return {
    files: async (signal) => {
      if (listed === undefined || Date.now() - listed.at > FILES_FRESH_MS) {
        // What one keystroke has cancelled must not be missing at the next one.
        listed = { at: Date.now(), files: filesOf(parts) };
      }
      const files = await listed.files.catch(() => []);
      return signal.aborted ? [] : files;
    },
    symbols: async (part, signal) => {
      const names = await symbolNames(parts);
      return names.matching(part, SYMBOLS, signal).catch(() => []);
    },
    values: (part) => valuesOf(parts.repl.peek(), part),
    buffers: async (signal) => {
      if (!parts.client.announced().buffers) return [];
      const { buffers } = await parts.client.buffers.list(signal).catch(() => ({ buffers: [] }));
      return buffers.filter(({ uri }) => uri === undefined).map(({ name }) => name);
    },
  };
}

async function filesOf({ documents, paths }: CompletionParts): Promise<readonly string[]> {
  const [{ listFiles }, { outermost }, { installedRipgrep }] = await Promise.all([
    import("../search/list-files.ts"),
    import("../search/place.ts"),
    import("../search/ripgrep.ts"),
  ]);
  const folders = outermost(paths.folders());
  const reach = { folders, within: undefined, glob: undefined, ignored: false };
  const { places } = await listFiles(installedRipgrep, reach, AbortSignal.timeout(FILES_FRESH_MS));
  const onDisk = places.map(({ relative }) => relative);
  const open = documents.all().flatMap(({ uri }) => {
    const resolution = paths.resolve(uri);
    return resolution.ok ? resolution.path.relative : [];
  });
  return [...new Set([...open, ...onDisk])].filter((path) => folders.length < 2 || paths.resolve(path).ok);
}

/** Names that the REPL has, and the handles of its last forms. Starts no process. */
async function valuesOf(repl: Repl | undefined, part: string) {
  if (repl === undefined) return [];
  const handles = repl
    .history({ limit: HANDLES })
    .items.flatMap(({ valueId, code }) =>
      valueId?.startsWith(`$${part}`) === true ? [{ name: valueId, detail: plainLine(code, SHOWN) }] : [],
    );
  if (/^\d/.test(part)) return handles;
  const { items } = await repl.complete({ code: part, offset: part.length });
  const names = items.map(({ label, detail }) => ({ name: label, detail }));
  return [...handles, ...(part === "" ? names.slice(0, SYMBOLS) : names)];
}
