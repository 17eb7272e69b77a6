/** The compiler's word on a proposal that no tool of this server makes. */
import { untilAborted } from "../../base/abort.ts";
import { errorText } from "../../base/errors.ts";
import type { ProposalChecks, ProposedDocument } from "../../proposals/proposal.ts";
import type { Check } from "../../protocol/proposal-shapes.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";

/** Begins at once. What checks is loaded with the first proposal of this kind. */
export function checksOf(
  typescript: () => Promise<TypeScriptService>,
  documents: readonly ProposedDocument[],
  signal: AbortSignal,
): ProposalChecks {
  const loading = Promise.all([typescript(), import("./compiler-check.ts")]);
  const edit = loading.then(([service, { EditCheck }]) => {
    return new EditCheck({ typescript: service, documents, related: [] }, signal);
  });
  const unavailable = (error: unknown): Check => {
    return { state: "unavailable", introduced: [], resolved: [], reason: errorText(error) };
  };
  return {
    judgeAgain: () => checksOf(typescript, documents, signal),
    check: edit.then(({ proposed }) => proposed).catch(unavailable),
    checkTexts: async (texts, until) =>
      untilAborted(edit, until).then(
        (check) => check.texts(texts, until),
        (error: unknown) => {
          until.throwIfAborted();
          return unavailable(error);
        },
      ),
  };
}
