/** Tells the person's editor how the compiler is. */
import type { TypeScriptStatus } from "../protocol/status.ts";
import type { ClientPort } from "../services.ts";

/** With `showsLoading`, loading the projects is shown as progress: else the compiler tells the editor of that itself. */
export function compilerTeller(
  client: Pick<ClientPort, "log" | "progress">,
  { showsLoading }: { readonly showsLoading: boolean },
): (status: TypeScriptStatus) => void {
  let loading: ReturnType<ClientPort["progress"]> | undefined;
  return ({ version, state, reason }) => {
    client.log("info", `TypeScript ${version}: ${state}${reason === undefined ? "" : ` (${reason})`}`);
    if (!showsLoading) return;
    if (state === "starting" || state === "restarting") {
      loading ??= client.progress("Loading TypeScript projects");
      return;
    }
    loading?.end();
    loading = undefined;
  };
}
