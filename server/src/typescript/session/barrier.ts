/** How an answer is known to come after everything that the compiler was told. */
import { uriOf } from "../../workspace/file-uri.ts";
import { BARRIER, type NativeProcess } from "./native-process.ts";

/** JSON-RPC's "invalid request", which 7.0.2 answers to an unknown method, and "method not found". */
const REFUSALS = new Set<unknown>([-32600, -32601]);

/**
 * LSP and checker are separate channels: an answer on the first proves that it has read what was sent on it. A method
 * that nobody serves is refused in its turn like any other, without any work for the compiler. But the project of the
 * files without a tsconfig 7.0.2 brings up to date only for a request about one of them, not for a snapshot.
 *
 * @param inferred a file without a tsconfig, where one is open
 */
export async function passBarrier(native: NativeProcess, inferred: string | undefined): Promise<void> {
  try {
    if (inferred !== undefined) {
      await native.request("textDocument/foldingRange", { textDocument: { uri: uriOf(inferred) } });
    } else await native.request(BARRIER, {});
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: string };
    // A file may have gone since; that it was looked for is enough.
    if (!REFUSALS.has(code) && !/no project found/i.test(message ?? "")) throw error;
  }
}
