/** The answer to an evaluation as it travels: an installation becomes words, with who sees it and who keeps an old copy. */
import type { EvalResult } from "../protocol/repl-shapes.ts";
import type { Evaluated } from "../repl/image.ts";

export async function evaluationToWire({ installation, ...result }: Evaluated): Promise<EvalResult> {
  if (installation === undefined) return result;
  const { renderInstallation } = await import("../repl/redefine/installation-text.ts");
  return { ...result, installed: renderInstallation(installation) };
}
