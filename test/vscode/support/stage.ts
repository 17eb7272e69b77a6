/** VS Code with the extension of this checkout, which is packed once for a run. */
import { join } from "node:path";
import { provideVsCode, type ProvidedVsCode } from "../../../scripts/vscode/provide-vscode.ts";
import { VsCode, type VsCodeOptions } from "./vscode.ts";

const root = join(import.meta.dirname, "../../..");
let provided: ProvidedVsCode | undefined;

/** Belongs to the caller, who disposes of it. Pictures go to the folder that `AGENTQ_PICTURES` names. */
export async function startVsCode(options: Partial<VsCodeOptions>): Promise<VsCode> {
  provided ??= provideVsCode();
  const pictures = process.env["AGENTQ_PICTURES"];
  return await VsCode.start({
    ...provided,
    project: join(root, "examples/invoices"),
    settings: {},
    ...(pictures === undefined ? {} : { pictures }),
    ...options,
  });
}
